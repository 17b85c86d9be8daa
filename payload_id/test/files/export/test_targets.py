"""Exports: what a target needs to know is asked for."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

from payload_id.cli.main import main
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.errors import ConfigurationError, InputError
from payload_id.core.identification.estimate import Estimate
from payload_id.core.identification.status import Status
from payload_id.files.export.exported import exported
from payload_id.files.export.loads.result_file import Result, read_result
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.runs.run_file import RunFile

PHI = from_mass_com_inertia(1.25, [0.012, -0.034, 0.056], np.diag([4e-3, 5e-3, 6e-3]))
XARM = RobotFile.load("xarm7")


def estimate(frame: str) -> Estimate:
    return Estimate(
        phi=PHI, lower=PHI - 1e-3, upper=PHI + 1e-3, identifiable=np.full(10, True),
        status=Status.GOOD, message="All is well.", estimator="lmi", intervals="hull",
        payload_frame=frame,
    )  # fmt: skip


@pytest.fixture
def saved(tmp_path) -> Callable[..., Result]:
    """Return a function that writes an estimate as 'identify --json' does, and reads it."""

    def save(frame: str = "link_eef") -> Result:
        path = tmp_path / "result.json"
        path.write_text(json.dumps(estimate(frame).to_dict()))
        return read_result(path)

    return save


def test_what_a_target_needs_to_know_is_asked_for(saved):
    for name, robot, options, words in (
        ("franka", None, {}, "--rated-mass"),
        ("franka", XARM, {}, "--frame"),
        ("franka", None, {"frame": "flange", "rated_mass": 3.0}, "--robot"),
        ("ur", None, {"frame": "link_eef", "rated_mass": 3.0}, "--robot"),
        ("franka", XARM, {"frame": "link_eef", "with_inertia": False}, "--no-inertia"),
        ("xarm", XARM, {"frame": "link3"}, "move against each other"),
        ("xarm", XARM, {"frame": "link_ef"}, "link_eef"),
        ("arm", XARM, {}, "xarm"),
    ):
        with pytest.raises((ConfigurationError, InputError), match=words):
            exported(saved(), name, robot, **options)
    with pytest.raises(InputError, match="cannot be written"):
        exported(saved(frame="${system('x')}"), "xacro")
    assert exported(saved(), "franka", frame="link_eef", rated_mass=3.0)


def test_a_robot_file_with_another_gripper_than_the_runs_is_refused(tmp_path, capsys):
    robot, frame = RobotFile.load("kinova_gen3"), "end_effector_link"
    run = RunFile(robot.joints, frame, robot.urdf, robot=robot.name, result=estimate(frame))
    run.save(tmp_path)
    words = ["load", "export", str(tmp_path), "--as", "ur", "--frame", frame, "--robot"]
    assert main([*words, "kinova_gen3"]) == 0
    assert main([*words, "kinova_gen3_2f85"]) == 2
    assert "0.9209 kg" in capsys.readouterr().err
