"""The replay command as its user meets it: a process, its output and its exit code."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from command_line import gen3_bag, run_without_ros, torque_noise_only
from payload_id.core.body.inertial import from_mass_com_inertia

PAYLOAD = from_mass_com_inertia(1.2, [0.02, -0.01, 0.06], np.diag([0.004, 0.005, 0.003]))
ROBOT = ("--robot", "kinova_gen3")
QUICK = (*ROBOT, "--intervals", "hull_lp", *torque_noise_only(0.025))


@pytest.fixture(scope="module")
def bag(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bag of a moving Gen3 with a known payload and bounded torque noise."""
    return gen3_bag(tmp_path_factory.mktemp("bags") / "run", PAYLOAD, 3, 0.08, 1.0, 0.025)


def test_bounds_that_are_too_small_are_inconsistent_and_a_moment_is_no_data(bag, capsys):
    for options, status, unknown in (
        (torque_noise_only(0.002), "INCONSISTENT", "lower"), (["--to", "0.05"], "NO_DATA", "phi"),
    ):  # fmt: skip
        done = run_without_ros(capsys, "identify", bag, *QUICK, *options, "--json")
        result = json.loads(done.stdout)
        assert done.returncode == 3 and result["status"] == status
        assert result[unknown] == [None] * 10
        assert status == "NO_DATA" or result["noise_factor"] > 1


@pytest.mark.slow
def test_a_saved_result_is_a_run_that_says_the_same_again_and_is_handed_on(bag, tmp_path, capsys):
    run, figure = tmp_path / "run", tmp_path / "intervals.png"
    further = shutil.copytree(bag, tmp_path / "further")
    options = (*QUICK, "--also", further, "--figure", figure, "--save", run)
    said = run_without_ros(capsys, "identify", bag, *options).stdout
    assert all(x in said for x in ("hx", "Iyz", "GOOD", "centre of mass", str(figure), str(run)))
    assert figure.read_bytes().startswith(b"\x89PNG")
    again, told = (
        json.loads(run_without_ros(capsys, verb, run, "--json").stdout)
        for verb in ("identify", "report")
    )
    assert again["identical_to_live"] and again["windows"] > 15
    assert all(again[name] == told[name] for name in ("status", "phi", "lower", "upper", "seconds"))
    done = run_without_ros(capsys, "load", "export", run, "--as", "yaml")
    assert done.returncode == 0 and "end_effector_link" in done.stdout
