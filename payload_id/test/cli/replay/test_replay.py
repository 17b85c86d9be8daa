"""The replay command as its user meets it: a process, its output and its exit code."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from command_line import gen3_bag, run, run_here, run_without_ros, torque_noise_only
from payload_id import RobotFile
from payload_id.cli.main import parser
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.files.configuration.package_data import share_folder

DATA = Path(__file__).parents[5] / "shared" / "datasets" / "torque_kinova_gen3"
PAYLOAD = from_mass_com_inertia(1.2, [0.02, -0.01, 0.06], np.diag([0.004, 0.005, 0.003]))


def replay(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    return run("replay", *arguments)


def bounds(torque_relative: float = 0.025) -> list[str]:
    """Return the arguments for exactly known links and a little torque noise."""
    return torque_noise_only(torque_relative)


@pytest.fixture(scope="module")
def robot() -> RobotFile:
    """Return the shipped Gen3."""
    return RobotFile.load("kinova_gen3")


@pytest.fixture(scope="module")
def bag(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bag of a moving Gen3 with a known payload and bounded torque noise."""
    return gen3_bag(tmp_path_factory.mktemp("bags") / "run", PAYLOAD, 3, 0.08, 2.0, 0.025)


@pytest.fixture(scope="module")
def found(bag: Path) -> subprocess.CompletedProcess[str]:
    """Return what the command, a process of its own, says of the bag."""
    return replay(bag, "--robot", "kinova_gen3", "--json", *bounds())


@pytest.mark.slow
def test_json_is_one_object_whose_intervals_contain_the_truth(
    found: subprocess.CompletedProcess[str],
) -> None:
    assert found.returncode == 0, found.stderr
    result = json.loads(found.stdout)
    assert result["status"] == "GOOD"
    assert (np.array(result["lower"]) <= PAYLOAD).all()
    assert (PAYLOAD <= np.array(result["upper"])).all()
    assert result["uncertainty"]["torque_relative"] == 0.025


@pytest.mark.slow
def test_table_names_every_parameter_and_the_verdict(
    bag: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figure = tmp_path / "intervals.png"
    options = ["--robot", "kinova_gen3", "--figure", figure, *bounds()]
    done = run_without_ros(capsys, "replay", bag, *options)
    assert done.returncode == 0, done.stderr
    for word in ("m", "hx", "Iyz", "GOOD", "centre of mass"):
        assert word in done.stdout
    assert figure.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_result_depends_neither_on_how_the_robot_is_named_nor_on_the_process(
    bag: Path,
    robot: RobotFile,
    found: subprocess.CompletedProcess[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    by_path = run_without_ros(capsys, "replay", bag, "--robot", robot.path, "--json", *bounds())
    assert found.stdout and found.stdout == by_path.stdout


@pytest.mark.slow
def test_bounds_that_are_too_small_are_inconsistent_with_a_factor(
    bag: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--robot", "kinova_gen3", "--json", *bounds(torque_relative=0.002)]
    done = run_without_ros(capsys, "replay", bag, *options)
    result = json.loads(done.stdout)
    assert done.returncode == 3
    assert result["status"] == "INCONSISTENT"
    assert result["noise_factor"] > 1
    assert result["lower"] == [None] * 10


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--robot", "kinova_gen33"], ["kinova_gen33", "kinova_gen3"]),
        (["--robot", "kinova_gen3", "--topic", "/joint_state"], ["/joint_state", "/joint_states"]),
        (["--robot", "kinova_gen3", "--payload-frame", "flange"], ["flange", "end_effector_link"]),
        (["--robot", "kinova_gen3", "--uncertainty", "torque_relativ=0.1"], ["torque_relative"]),
        (["--robot", "kinova_gen3", "--uncertainty", "torque_relative=2.5"], ["below 1"]),
        (["--robot", "kinova_gen3", "--uncertainty", "torque_relative=x"], ["number"]),
        (["--robot", "kinova_gen3", "--window", "0"], ["window"]),
        (["--robot", "xarm7"], ["joint"]),
        ([], ["--robot"]),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    bag: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: list[str]
) -> None:
    done = run_here(capsys, "replay", bag, *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    for word in words:
        assert word in done.stderr


def test_recording_that_does_not_exist_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = run_without_ros(capsys, "replay", tmp_path / "nothing", "--robot", "kinova_gen3")
    assert done.returncode == 2
    assert "nothing" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_moment_of_data_is_no_data_not_a_number(
    bag: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--robot", "kinova_gen3", "--json", "--to", "0.05", *bounds()]
    done = run_without_ros(capsys, "replay", bag, *options)
    result = json.loads(done.stdout)
    assert done.returncode == 3
    assert result["status"] == "NO_DATA"
    assert result["phi"] == [None] * 10


def test_help_of_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    verbs = parser()._subparsers._group_actions[0].choices
    for verb in ([], *([name] for name in verbs)):
        done = run_here(capsys, *verb, "--help")
        assert done.returncode == 0
        assert "usage" in done.stdout


@pytest.mark.skipif(
    not DATA.is_dir(), reason="the recordings of a real Gen3 are not beside the project"
)
@pytest.mark.slow
def test_real_gen3_recording_is_consistent_from_about_one_newton_metre(
    capsys: pytest.CaptureFixture[str],
) -> None:
    table = DATA / "opti_traj_testing1.csv"
    common = (
        "replay", table, "--robot", "kinova_gen3", "--payload-frame", "bracelet_link", "--json",
        "--columns", share_folder() / "config" / "recordings" / "kinova_gen3_csv.yaml",
    )  # fmt: skip
    bound = "--uncertainty=torque_absolute=0.5"
    tight = json.loads(run_without_ros(capsys, *common, bound, "--to", "2").stdout)
    assert tight["status"] == "INCONSISTENT"
    wide = json.loads(run_without_ros(capsys, *common).stdout)
    # The gripper that it holds weighs 0.785 kg by its description (datasets/README.md).
    assert wide["status"] in ("GOOD", "USABLE")
    assert wide["lower"][0] <= 0.785 <= wide["upper"][0]
    assert wide["physically_consistent"]


@pytest.mark.slow
def test_what_is_stated_of_the_payload_narrows_or_is_named(
    bag: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--robot", "kinova_gen3", "--json", *bounds()]
    true, false = tmp_path / "true.yaml", tmp_path / "false.yaml"
    true.write_text("scales: {kind: known_mass, mass: 1.2, tolerance: 0.002}\n")
    false.write_text("scales: {kind: known_mass, mass: 1.8, tolerance: 0.002}\n")
    done = run_without_ros(capsys, "replay", bag, *options, "--knowledge", true)
    result = json.loads(done.stdout)
    assert (np.array(result["lower"]) <= PAYLOAD).all()
    assert (PAYLOAD <= np.array(result["upper"])).all()
    assert result["upper"][0] - result["lower"][0] <= 0.004 + 1e-6
    assert result["knowledge"] == ["scales"]
    done = run_without_ros(capsys, "replay", bag, *options, "--knowledge", false)
    result = json.loads(done.stdout)
    assert done.returncode == 3
    assert (result["status"], result["cause"]) == ("INCONSISTENT", "stated knowledge")
    assert "'scales'" in result["message"]
