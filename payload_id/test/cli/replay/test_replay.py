"""The replay command as its user meets it: a process, its output and its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from command_line import gen3_bag, run, run_without_ros, torque_noise_only
from payload_id import RobotFile
from payload_id.core.body.inertial import from_mass_com_inertia

PAYLOAD = from_mass_com_inertia(1.2, [0.02, -0.01, 0.06], np.diag([0.004, 0.005, 0.003]))
ROBOT = ("--robot", "kinova_gen3")
QUICK = (*ROBOT, "--intervals", "hull_lp", *torque_noise_only(0.025))


@pytest.fixture(scope="module")
def bag(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bag of a moving Gen3 with a known payload and bounded torque noise."""
    return gen3_bag(tmp_path_factory.mktemp("bags") / "run", PAYLOAD, 3, 0.08, 1.0, 0.025)


@pytest.fixture
def replay(capsys):
    """Return a function that replays; it returns the exit code and the result."""

    def run_json(*arguments):
        done = run_without_ros(capsys, "replay", *arguments, "--json")
        return done.returncode, json.loads(done.stdout)

    return run_json


def contains(result) -> bool:
    """Tell whether the truth is in all intervals."""
    lower, upper = np.array(result["lower"]), np.array(result["upper"])
    return bool((lower <= PAYLOAD).all() and (upper >= PAYLOAD).all())


@pytest.mark.slow
def test_a_process_says_the_same_and_its_intervals_contain_the_truth(bag, replay, capsys):
    """However the robot is named."""
    found = run("replay", bag, *QUICK, "--json")
    assert found.returncode == 0, found.stderr
    path = ("--robot", RobotFile.load("kinova_gen3").path)
    here = run_without_ros(capsys, "replay", bag, *QUICK, *path, "--json")
    assert found.stdout == here.stdout
    result = json.loads(found.stdout)
    assert result["status"] == "GOOD" and contains(result)
    assert result["uncertainty"]["torque_relative"] == 0.025


@pytest.mark.slow
def test_table_names_every_parameter_and_the_verdict_and_a_figure_is_drawn(bag, tmp_path, capsys):
    figure = tmp_path / "intervals.png"
    done = run_without_ros(capsys, "replay", bag, *QUICK, "--figure", figure)
    assert done.returncode == 0, done.stderr
    assert all(x in done.stdout for x in ("m", "hx", "Iyz", "GOOD", "centre of mass", str(figure)))
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_bounds_that_are_too_small_are_inconsistent_and_a_moment_is_no_data(bag, replay):
    code, result = replay(bag, *QUICK, *torque_noise_only(0.002))
    assert code == 3 and result["status"] == "INCONSISTENT" and result["noise_factor"] > 1
    assert result["lower"] == [None] * 10
    code, result = replay(bag, *QUICK, "--to", "0.05")
    assert code == 3 and result["status"] == "NO_DATA" and result["phi"] == [None] * 10


@pytest.mark.slow
def test_what_is_stated_of_the_payload_narrows_or_is_named(bag, tmp_path, replay):
    stated, found = tmp_path / "stated.yaml", []
    for mass in (1.2, 1.8):
        stated.write_text(f"scales: {{kind: known_mass, mass: {mass}, tolerance: 0.002}}\n")
        found.append(replay(bag, *QUICK, "--knowledge", stated))
    (good, true), (bad, false) = found
    assert good == 0 and contains(true) and true["knowledge"] == ["scales"]
    assert true["upper"][0] - true["lower"][0] <= 0.004 + 1e-6
    assert bad == 3 and (false["status"], false["cause"]) == ("INCONSISTENT", "stated knowledge")
    assert "'scales'" in false["message"]
