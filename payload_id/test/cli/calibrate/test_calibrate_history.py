"""`calibrate --history` and what is done with its result, as users meet them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from arms import Motion, draw_payload
from command_line import run, run_without_ros
from payload_id import Recording, RobotFile, RobotModel
from payload_id.core.errors import ConfigurationError
from payload_id.core.motion import trajectory
from payload_id.core.simulation.realistic_arm import RealisticArm
from payload_id.files.learnt.history_file import load_history, save_history
from payload_id.files.recordings.known_runs import read_known_runs
from payload_id.files.recordings.write_bag import write_joint_states

pytestmark = pytest.mark.slow
BOUNDS = ["--uncertainty=torque_absolute=2", "--uncertainty=friction_coulomb=3",
          "--uncertainty=friction_viscous=3", "--uncertainty=link_relative=0.1",
          "--uncertainty=torque_offset=5", "--uncertainty=torque_gain=0.05"]  # fmt: skip
COMMON = ("--robot", "kinova_gen3", "--window", "0.2")
RUNS = 6


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with recordings, a list of them, and the robot file with their history."""
    folder = tmp_path_factory.mktemp("history")
    robot = RobotFile.load("kinova_gen3")
    model = RobotModel.from_robot_file(robot)
    real = RealisticArm.drawn(model, "gen3_like", 4)
    lines = []
    for k in range(RUNS + 1):
        phi = np.zeros(10) if k % 3 == 0 else draw_payload(np.random.default_rng([k, 3]))
        time = np.arange(0.0, 6.0, 0.01)
        motion = Motion.draw(model, np.random.default_rng([k, 4]))
        samples = real.run(trajectory.Motion(time, *motion.at(time)), phi, k, k, rate=100.0).samples
        effort = samples.tau * robot.effort.sign
        recording = Recording(samples.stamp, samples.q, samples.dq, effort, start_ns=10**18)
        write_joint_states(folder / f"run_{k}", recording, joints=robot.joints)
        lines.append(f"  run_{k}: {{mass: {phi[0]:.6f}}}" if phi.any() else f"  run_{k}: {{}}")
    (folder / "mass").write_text(f"{phi[0]:.6f}")
    (folder / "runs.yaml").write_text("runs:\n" + "\n".join(lines[:RUNS]) + "\n")
    done = run("calibrate", "--runs", folder / "runs.yaml", "--history", "--segments", "2.5",
               *COMMON, *BOUNDS, "--out", folder / "known.yaml")  # fmt: skip
    assert done.returncode == 0, done.stderr + done.stdout
    (folder / "printed").write_text(done.stdout)
    return folder


def test_runs_and_what_they_allow_are_printed(folder):
    printed = (folder / "printed").read_text()
    assert "12 runs on" in printed
    assert printed.count("run_1") == 2
    assert "7 more runs" in printed  # for 95 % of the mass; fewer runs knew the rest
    assert "--intervals calibrated" in " ".join(printed.split())


def test_replay_names_both_intervals(folder, capsys):
    arguments = ["replay", folder / f"run_{RUNS}", "--robot", folder / "known.yaml"]
    arguments += ["--window", "0.2", "--intervals", "calibrated", "--level", "0.9"]
    done = run_without_ros(capsys, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    estimate = result.get("estimate", result)
    calibrated = estimate["calibrated"]
    assert calibrated["level"] == 0.9
    assert calibrated["runs"][0] == 12
    assert calibrated["lower"][0] <= float((folder / "mass").read_text()) <= calibrated["upper"][0]
    assert calibrated["lower"][5] is None
    assert "By 12 earlier runs of this arm the mass is between" in estimate["message"]
    shown = run_without_ros(capsys, *arguments, "--to", "1").stdout
    assert "by history (90%)" in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--robot", "kinova_gen3", "--window", "0.2"], "it has none"),
        (["--robot", "known.yaml"], "windows of 0.2 s"),
        (["--robot", "known.yaml", "--window", "0.2", "--uncertainty", "torque_gain=0.2"],
         "other bounds"),
        (["--robot", "known.yaml", "--window", "0.2", "--level", "95"], "between 0 and 1"),
    ],
)  # fmt: skip
def test_histories_that_say_nothing_of_a_run_are_refused(folder, arguments, words, capsys):
    arguments = [folder / text if text == "known.yaml" else text for text in arguments]
    options = ["--intervals", "calibrated", *arguments]
    done = run_without_ros(capsys, "replay", folder / "run_0", *options)
    assert done.returncode == 2
    assert words in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_a_mass_that_the_prior_does_not_allow_is_named_with_its_run(folder, tmp_path, capsys):
    listed = (folder / "runs.yaml").read_text().replace("  run_1:", "  run_1: {mass: 5000} #")
    (folder / "absurd.yaml").write_text(listed)
    options = ["--runs", folder / "absurd.yaml", "--history", *COMMON, "--out"]
    done = run_without_ros(capsys, "calibrate", *options, tmp_path / "no.yaml")
    assert done.returncode == 2
    assert "run_1 is said to carry 5000 kg" in " ".join(done.stderr.split())


def test_runs_too_short_to_tell_a_payload_promise_nothing_of_later_ones(folder, tmp_path, capsys):
    known = ["--runs", folder / "runs.yaml", "--history", *COMMON, *BOUNDS]
    options = ["--segments", "0.25", "--out", tmp_path / "short.yaml", "--json"]
    done = run_without_ros(capsys, "calibrate", *known, *options)
    assert done.returncode == 2 and "tell nothing of the arm" in " ".join(done.stderr.split())
    done = run_without_ros(capsys, "calibrate", *known, "--segments", "1.5", *options[2:])
    assert done.returncode == 0, done.stderr
    history = load_history(tmp_path / "short.npz")
    # Of what a run tells less than the prior, it does not say how far others err.
    assert np.isnan(history.scores).any() and np.nanmax(np.abs(history.scores)) < 10.0
    done = run_without_ros(capsys, "calibrate", *known, "--segments", "1e-5", *options[2:])
    assert done.returncode == 2 and "next to no samples" in done.stderr


def test_a_known_payload_that_no_body_has_is_refused(folder, tmp_path, capsys):
    (folder / "none.yaml").write_text(
        (folder / "runs.yaml")
        .read_text()
        .replace("  run_1:", "  run_1: {payload: [1, 0, 0, 0, -1, 0, 0, 0.1, 0, 0.1]} #")
    )
    options = ["--runs", folder / "none.yaml", "--history", *COMMON, "--out"]
    done = run_without_ros(capsys, "calibrate", *options, tmp_path / "no.yaml")
    assert done.returncode == 2 and "No body has the parameters" in " ".join(done.stderr.split())


def test_bounds_on_the_arm_need_whole_payloads(folder, capsys):
    options = ["--runs", folder / "runs.yaml", *COMMON, "--out", folder / "no.yaml"]
    done = run_without_ros(capsys, "calibrate", *options)
    assert done.returncode == 2
    assert "only the mass is known" in " ".join(done.stderr.split())
    assert not (folder / "no.yaml").exists()


def test_an_edited_effort_section_is_refused(folder, capsys):
    """The robot file that the history's one extends is another one now."""
    edited = folder / "edited.yaml"
    scale = "[1, 1, 1, 1, 1, 1, -1]"  # the driver's are all -1
    text = (folder / "known.yaml").read_text()
    edited.write_text(text.replace("\n...", f"\neffort: {{sign: {scale}}}\n..."))
    arguments = ["--robot", edited, "--window", "0.2", "--intervals", "calibrated"]
    done = run_without_ros(capsys, "replay", folder / "run_0", *arguments)
    assert done.returncode == 2
    said = " ".join(done.stderr.split())
    assert "another factor of the effort of the joint states: [-1, -1" in said
    assert "Make it again" in said


