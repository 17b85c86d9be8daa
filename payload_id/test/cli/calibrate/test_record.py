"""`payload-id calibrate record` over real DDS: arm, planner and session are own processes."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
import pytest
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters

from command_line import run_without_ros
from payload_id.cli.main import main
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.errors import InputError
from payload_id.core.history import KnownLoad
from payload_id.files.recordings.known_runs import KnownRecording, read_known_runs, write_known_runs
from payload_id.files.recordings.recording import Recording
from payload_id.ros.client.wanted_runs import Wanted, made_before, require_unchanged
from planned_robot import PARAMETERS, ROBOT, PlannedRobot
from promises.nodes import next_domain

DOMAIN = next_domain()
WEIGHT = from_mass_com_inertia(0.8, [0.01, 0.0, 0.08], 5e-4 * np.eye(3))
RECORD = ("calibrate", "record")
DURATION = 1.5  # [s] of each of two runs, one of them bare
PRIOR = "uncertainty.prior."


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    changes = {"time_budget": 0.5, "start_delay": 0.6, "silence": 2.0}
    changes["uncertainty.torque_absolute"] = 0.3  # the sampled torques of the simulation
    robot = PlannedRobot(tmp_path_factory.mktemp("planner"), DOMAIN, physics_step=2e-3, **changes)
    yield robot
    assert robot.close() == [0, 0, 0], robot.printed
    assert "Traceback" not in robot.printed


def carry(robot, phi):
    """Have the simulated arm carry a payload."""
    value = ParameterValue(type=ParameterType.PARAMETER_DOUBLE_ARRAY)
    value.double_array_value = [float(x) for x in phi]
    change = [Parameter(name="payload", value=value)]
    service = "/simulated_arm/set_parameters"
    assert robot.observer.call(SetParameters, service, parameters=change).results[0].successful


class Session:
    """The command, in a process of its own, and who types."""

    def __init__(self, robot, folder):
        self.robot, self.log = robot, folder.with_suffix(f".{time.monotonic_ns()}.log")
        options = ["--out", folder, "--runs", 2, "--duration", DURATION, "--seed", 5]
        command = [sys.executable, "-m", "payload_id", *RECORD, "bare", "0.8", *options]
        environment = {**os.environ, "ROS_DOMAIN_ID": str(DOMAIN), "PYTHONUNBUFFERED": "1"}
        with self.log.open("w") as stream:
            self.process = subprocess.Popen(
                [str(part) for part in command], env=environment, text=True, bufsize=1,
                stdin=subprocess.PIPE, stdout=stream, stderr=stream,
            )  # fmt: skip

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()

    @property
    def printed(self):
        return self.log.read_text()

    def waits(self, is_due, what):
        """Wait for something while the session goes on."""
        has_ended = lambda: self.process.poll() is not None  # noqa: E731
        self.robot.observer.wait(lambda: is_due() or has_ended(), what)
        assert not has_ended(), self.printed

    def is_asked(self, answer, count=1):
        """Wait until it has asked for a weight so often."""
        words = f"'{answer}' ('stop' ends)"
        self.waits(lambda: self.printed.count(words) >= count, f"the question for {answer}")

    def type(self, text):
        self.process.stdin.write(f"{text}\n")

    def moves(self):
        """Wait until the arm moves."""
        start = self.robot.q
        self.waits(lambda: np.abs(self.robot.q - start).max() > 0.02, "motion")

    def ends(self, code):
        """Wait for its end; return what it printed."""
        self.robot.observer.wait(lambda: self.process.poll() is not None, "the session's end")
        assert self.process.returncode == code, self.printed
        assert "Traceback" not in self.printed
        return " ".join(self.printed.split())


@contextmanager
def on_a_busy_machine(robot, folder, weight, is_made):
    """Have sessions until a run is made: what a busy machine has lost of one is no run."""
    for _ in range(3):
        with Session(robot, folder) as session:
            session.is_asked(weight)
            session.type(weight)
            ended = session.process.poll
            robot.observer.wait(lambda e=ended: is_made() or e() is not None, "a run")
            if is_made():
                yield session
                return
            assert "some were lost, or came too rarely" in " ".join(session.printed.split())


def assert_at_rest(robot):
    """Check that the arm does not move in the next joint states."""
    robot.joint_states.clear()
    robot.observer.wait(lambda: len(robot.joint_states) > 50, "joint states")
    q = np.array([state.position for state in robot.joint_states])
    assert np.ptp(q, axis=0).max() < 1e-3


def test_a_session_goes_on_only_with_its_own_weights_and_its_own_list(tmp_path, capsys):
    path, wanted = tmp_path / "runs.yaml", Wanted((0.0, 1.0))
    mine, theirs = (
        KnownRecording(tmp_path / name, KnownLoad.none()) for name in ("mine", "theirs")
    )
    assert made_before(path, wanted) == ()
    require_unchanged(path, ())
    write_known_runs(path, (theirs,), ())
    assert [run.path for run in made_before(path, wanted)] == [tmp_path / "theirs"]
    for others in (Wanted((1.0, 0.0)), Wanted(())):
        with pytest.raises(InputError, match="Name the same weights"):
            made_before(path, others)
    for own in ((), (mine,), (mine, theirs)):
        with pytest.raises(InputError, match="another session"):
            require_unchanged(path, own)
    require_unchanged(path, (theirs,))
    done = run_without_ros(capsys, "calibrate", "record", "bare", "--out", tmp_path)
    assert done.returncode == 2 and "ROS 2" in done.stderr


@pytest.mark.slow
def test_runs_are_made_weight_by_weight_and_a_session_goes_on_after_whatever_ended_it(
    robot, tmp_path, capsys
):
    folder, listed = tmp_path / "runs", tmp_path / "runs" / "runs.yaml"
    carry(robot, np.zeros(10))
    with Session(robot, folder) as session:
        session.is_asked("bare")
        session.type("bare")
        session.moves()
        session.process.send_signal(signal.SIGTERM)  # in motion: ends by a certified stop
        assert "No run was made" in session.ends(130)
        assert_at_rest(robot)

    with on_a_busy_machine(robot, folder, "bare", listed.is_file) as session:
        session.is_asked("0.8")
        first = listed.read_bytes()
        robot.commands.clear()
        session.type("bare")  # not what was asked for
        session.is_asked("0.8", 2)
        session.type("0.8")  # but nobody has put it on
        ended = session.ends(2)
        assert "another weight is on" in ended and "1 of 2 runs are in" in ended
        assert not robot.commands and listed.read_bytes() == first

    carry(robot, WEIGHT)
    both = lambda: len(read_known_runs(listed)) == 2  # noqa: E731
    with on_a_busy_machine(robot, folder, "0.8", both) as session:
        assert "All 2 runs are in" in session.ends(0)

    runs = read_known_runs(listed)
    assert [float(each.load.phi[0]) for each in runs] == [0.0, 0.8]
    assert np.isnan(runs[1].load.phi[1:]).all() and runs[0].load.known.all()
    recordings = [Recording.of_robot(each.path, ROBOT) for each in runs]
    moved = [np.ptp(recording.q, axis=0) for recording in recordings]
    assert all(len(each) > 90 * DURATION and part.max() > 0.05
               for each, part in zip(recordings, moved, strict=True))  # fmt: skip
    assert not np.allclose(moved[0], moved[1], rtol=0.05)  # each run has its own motion

    certificates = [*(robot.folder / "certificates").glob("*/motion.json")]
    boxes = [json.loads(path.read_text())["box"] for path in certificates]
    prior = PayloadPrior(PARAMETERS[f"{PRIOR}mass_max"], PARAMETERS[f"{PRIOR}com_max"]).box()
    assert len(boxes) >= 3  # two runs, and one that did not come to its end
    for box in boxes:  # a wrong weight that the prior allows is certified as well
        assert (np.array(box["payload_lower"]) <= np.minimum(prior[0], WEIGHT)).all()
        assert (np.array(box["payload_upper"]) >= np.maximum(prior[1], WEIGHT)).all()

    command = shlex.split(session.printed.splitlines()[-1])
    assert command[:3] == ["./payload-id", "calibrate", "history"]
    assert main([*command[1:], "--window", "0.2", "--segments", "0.5"]) == 0
    assert "runs on" in capsys.readouterr().out
