"""Exports: units, order and frame of each target by round trip; what may not be used is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import yaml

from payload_id.cli.main import main
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.errors import ConfigurationError, InputError
from payload_id.core.identification.estimate import Estimate
from payload_id.core.identification.status import Status
from payload_id.files.export.exported import TARGETS, exported
from payload_id.files.export.loads.result_file import Result, read_result
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel
from payload_id.files.runs.run_file import RunFile

MASS, COM = 1.25, np.array([0.012, -0.034, 0.056])
INERTIA = np.array([[4e-3, 1e-4, -2e-4], [1e-4, 5e-3, 3e-4], [-2e-4, 3e-4, 6e-3]])
PHI = from_mass_com_inertia(MASS, COM, INERTIA)
XARM, HOLDING = RobotFile.load("xarm7"), RobotFile.load("kinova_gen3_2f85")
NAMES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def estimate(frame: str = "link_eef", known: int = 10, half: float = 1e-3, **changes) -> Estimate:
    entries = {
        "phi": PHI, "lower": PHI - half, "upper": PHI + half, "identifiable": np.arange(10) < known,
        "status": Status.GOOD, "message": "All is well.", "estimator": "lmi", "intervals": "hull",
        "payload_frame": frame,
    }  # fmt: skip
    return Estimate(**{**entries, **changes})


@pytest.fixture
def saved(tmp_path) -> Callable[..., Result]:
    """Return a function that writes an estimate as 'replay --json' does, and reads it."""

    def save(more: dict | None = None, **changes) -> Result:
        path = tmp_path / "result.json"
        path.write_text(json.dumps(estimate(**changes).to_dict() | (more or {})))
        return read_result(path)

    return save


def told(found: dict, *names: str) -> list[float]:
    """Return numbers of a request by their names."""
    return [found[name] for name in names]


# How each target is told mass, centre of mass [m] and inertia; None: it is not told.
REQUESTS: dict[str, Callable[[dict], tuple]] = {
    "xarm": lambda x: (x["weight"], np.array(x["center_of_gravity"]) / 1e3, None),
    "ur": lambda x: (
        x["mass"], told(x["center_of_gravity"], *"xyz"), told(x, *NAMES)
    ),
    "franka": lambda x: (
        x["mass"], x["center_of_mass"],
        np.reshape(x["load_inertia"], (3, 3), order="F")[np.triu_indices(3)],
    ),
    "kinova": lambda x: (x["payload_mass"], told(x["payload_mass_center"], *"xyz"), None),
    "yaml": lambda x: (x["mass"], x["center_of_mass"], told(x["inertia"], *NAMES)),
    "gravity_filter": lambda x: (x["tool"]["mass"], x["tool"]["CoG"], None),
}  # fmt: skip


def test_every_target_is_told_the_body_in_its_own_units_and_order(saved):
    for name, numbers in REQUESTS.items():
        text = exported(saved(), name, XARM, frame="link_eef")
        mass, centre, inertia = numbers(yaml.safe_load(text))
        assert mass == pytest.approx(MASS), name
        np.testing.assert_allclose(centre, COM, err_msg=name)
        if inertia is not None:
            np.testing.assert_allclose(inertia, INERTIA[np.triu_indices(3)], err_msg=name)
        assert "link_eef" in text and "1.249 to 1.251 kg" in text
    assert "/xarm/set_tcp_load" in exported(saved(), "xarm", XARM)


ALLOWED = (Status.GOOD, Status.TOO_WIDE, Status.SMALL_LOAD)
WITH_INERTIA = ("ur", "franka", "urdf", "xacro")


def test_no_target_takes_what_may_not_be_used(saved):
    endless = PHI + 1e-3
    endless[0] = np.inf
    no_body = PHI.copy()
    no_body[4] = 1.0
    unusable = [({"status": x}, x.value) for x in Status if x not in ALLOWED]
    unusable += [({"phi": 3.0 * PHI}, "interval in m"), ({"upper": endless}, "inf kg")]
    for name in TARGETS:
        few = 0 if name == "yaml" else 9 if name in WITH_INERTIA else 3
        wrong = [*unusable, ({"known": few}, "unknown is not zero")]
        wrong += [({"phi": no_body}, "of no body")] if name in WITH_INERTIA else []
        for changes, words in wrong:
            with pytest.raises(InputError, match=words):
                exported(saved(**changes), name, XARM, frame="link_eef")
        with pytest.raises(InputError, match=r"1\.251 kg"):
            exported(saved(), name, XARM, frame="link_eef", rated_mass=1.25)
        assert exported(saved(status=Status.SMALL_LOAD), name, XARM, frame="link_eef")


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


def test_a_result_of_another_arm_is_not_moved_by_this_ones_description(saved):
    arm = RobotModel.from_urdf(XARM.urdf, estimate().payload_frame, XARM.joints, XARM.gravity)
    assert exported(saved({"robot_digest": arm.digest}), "xarm", XARM)
    with pytest.raises(ConfigurationError, match="xarm7.yaml"):
        exported(saved({"robot_digest": arm.digest[::-1]}), "xarm", XARM)


def kept_run(folder: Path, robot: RobotFile, frame: str) -> Path:
    """Save a run of a robot."""
    result = estimate(frame).to_dict()
    RunFile(robot.joints, frame, robot.urdf, robot=robot.name, result=result).save(folder)
    return folder


def test_a_saved_run_is_exported_with_its_own_description(tmp_path, capsys):
    words = ["export", str(kept_run(tmp_path, XARM, "link_eef")), "--as"]
    out = tmp_path / "deeper" / "load.yaml"
    assert main([*words, "xarm", "--out", str(out)]) == 0
    assert str(out) in capsys.readouterr().out
    assert main([*words, "xarm"]) == 0
    assert capsys.readouterr().out == out.read_text()
    assert main([*words, "gravity_filter"]) == 0
    assert yaml.safe_load(capsys.readouterr().out)["tool"]["gravity_field"] == [0.0, 0.0, -9.81]


def test_a_robot_file_with_another_gripper_than_the_runs_is_refused(tmp_path, capsys):
    frame = "end_effector_link"
    run = kept_run(tmp_path, RobotFile.load("kinova_gen3"), frame)
    words = ["export", str(run), "--as", "ur", "--frame", frame, "--robot"]
    assert main([*words, "kinova_gen3"]) == 0
    assert main([*words, "kinova_gen3_2f85"]) == 2
    assert "0.9209 kg" in capsys.readouterr().err


WRONG_RESULTS = {
    "status": "FINE", "phi": [1.0] * 9, "lower": ["a"] * 10, "upper": [True] * 10,
    "identifiable": [1] * 10, "payload_frame": "", "parameters": ["m"], "uncertainty": 3,
}  # fmt: skip


def test_a_file_that_is_no_result_is_refused_and_names_what_is_wrong(tmp_path, capsys):
    path = tmp_path / "result.json"
    sound = estimate().to_dict()
    contents = [(json.dumps(sound | {key: x}), f"'{key}'") for key, x in WRONG_RESULTS.items()]
    contents += [(json.dumps(sound | {"lower": [2.0] * 10}), "nowhere above")]
    contents += [(text, path.name) for text in ("", "[]", "null", "{}", "nonsense")]
    for content, words in contents:
        path.write_text(content)
        assert main(["export", str(path), "--as", "yaml"]) == 2
        said = capsys.readouterr().err
        assert words in said and said.count("\n") == 1
    for other in (tmp_path, tmp_path / "absent"):
        assert main(["export", str(other), "--as", "yaml"]) == 2
