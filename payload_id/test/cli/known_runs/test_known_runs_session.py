"""`payload-id known-runs` over real DDS: arm, planner and session are processes of their own."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from sensor_msgs.msg import JointState

from command_line import run
from payload_id.cli.main import main
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.errors import InputError
from payload_id.core.history import Load
from payload_id.files.recordings.known_runs import KnownRecording, read_known_runs, write_known_runs
from payload_id.files.recordings.recording import Recording
from payload_id.ros.client.wanted_runs import Wanted, made_before
from planned_robot import PARAMETERS, ROBOT, PlannedRobot, report_aside
from ros_domain import next_domain

DOMAIN = next_domain()
WEIGHT = from_mass_com_inertia(0.8, [0.01, 0.0, 0.08], 5e-4 * np.eye(3))
WEIGHTS = ("bare", "0.8")
RUNS = 3  # two of them bare
DURATION = 2.0  # [s]
PRIOR = "uncertainty.prior."


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    changes = {"time_budget": 0.8, "start_delay": 0.6, "silence": 2.0}
    changes["uncertainty.torque_absolute"] = 0.3  # the sampled torques of the simulation
    robot = PlannedRobot(tmp_path_factory.mktemp("planner"), DOMAIN, **changes)
    yield robot
    assert robot.close() == [0, 0, 0], robot.printed()
    assert "Traceback" not in robot.printed()


def carry(robot, phi):
    """Have the simulated arm carry a payload."""
    value = ParameterValue(type=ParameterType.PARAMETER_DOUBLE_ARRAY)
    value.double_array_value = [float(x) for x in phi]
    change = [Parameter(name="payload", value=value)]
    service = "/simulated_arm/set_parameters"
    assert robot.observer.call(SetParameters, service, parameters=change).results[0].successful


class Session:
    """The command, in a process of its own, and who types."""

    def __init__(self, robot, folder, weights=WEIGHTS):
        self.robot, self.log = robot, folder.with_suffix(f".{time.monotonic_ns()}.log")
        options = ["--out", folder, "--runs", RUNS, "--duration", DURATION, "--seed", 5]
        command = [sys.executable, "-m", "payload_id", "known-runs", *weights, *options]
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

    def is_asked(self, answer, count=1):
        """Wait until it has asked for a weight so often."""
        words = f"'{answer}' ('stop' ends)"
        is_due = lambda: self.printed.count(words) >= count or not self.alive  # noqa: E731
        self.robot.observer.wait(is_due, f"the question for {answer}")
        assert self.alive, self.printed

    @property
    def alive(self):
        return self.process.poll() is None

    def type(self, text):
        self.process.stdin.write(f"{text}\n")

    def moves(self, run):
        """Wait until the arm moves in a run."""
        before = lambda: self.printed.count("  run ") >= run - 1  # noqa: E731
        self.robot.observer.wait(lambda: before() or not self.alive, f"run {run - 1}")
        start = self.robot.q
        moved = lambda: np.abs(self.robot.q - start).max() > 0.02  # noqa: E731
        self.robot.observer.wait(lambda: moved() or not self.alive, f"motion in run {run}")
        assert self.alive, self.printed

    def ends(self, code):
        self.robot.observer.wait(lambda: not self.alive, "the end of the session")
        assert self.process.returncode == code, self.printed
        assert "Traceback" not in self.printed
        return " ".join(self.printed.split())


def assert_at_rest(robot, seconds=0.7):
    """Check that the arm does not move for some time."""
    robot.joint_states.clear()
    end = time.monotonic() + seconds
    robot.observer.wait(lambda: time.monotonic() > end and robot.joint_states, "time")
    q = np.array([state.position for state in robot.joint_states])
    assert np.ptp(q, axis=0).max() < 1e-3


@pytest.mark.parametrize(
    ("weights", "runs", "masses", "changes"),
    [
        ([0.0, 1.0], 3, (0.0, 0.0, 1.0), (0, 2)),
        ([1.0, 0.0, 1.0], 3, (1.0, 0.0, 1.0), (0, 1, 2)),
        ([1.0, 1.0], 4, (1.0,) * 4, (0, 2)),
    ],
)
def test_runs_are_divided_among_weights_in_their_order(weights, runs, masses, changes):
    wanted = Wanted.in_groups(weights, runs)
    assert (wanted.masses, wanted.changes) == (masses, changes)
    with pytest.raises(InputError, match="needs a run"):
        Wanted.in_groups(weights, 1)


def test_a_session_goes_on_only_with_its_own_weights(tmp_path):
    path = tmp_path / "runs.yaml"
    assert made_before(path, Wanted((0.0, 1.0))) == ()
    made = [KnownRecording(tmp_path / "01", Load.none())]
    write_known_runs(path, made, [])
    assert [run.path for run in made_before(path, Wanted((0.0, 1.0)))] == [tmp_path / "01"]
    for others in (Wanted((1.0, 0.0)), Wanted(())):
        with pytest.raises(InputError, match="Name the same weights"):
            made_before(path, others)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["heavy"], "'heavy'"), (["-1"], "0 kg or above"), (["inf"], "0 kg or above")],
)
def test_weights_that_are_none_are_refused(tmp_path, capsys, arguments, words):
    assert main(["known-runs", *arguments, "--out", str(tmp_path)]) == 2
    assert words in capsys.readouterr().err


def test_without_ros_a_sentence_says_what_is_missing(tmp_path):
    done = run("known-runs", "bare", "--out", tmp_path)
    assert done.returncode == 2 and "Moving the arm takes ROS 2" in done.stderr


@pytest.mark.slow
def test_runs_are_made_weight_by_weight_and_a_session_goes_on_after_whatever_ended_it(
    robot, tmp_path, capsys
):
    folder, listed = tmp_path / "runs", tmp_path / "runs" / "runs.yaml"
    carry(robot, np.zeros(10))
    with Session(robot, folder) as session:
        session.is_asked("bare")
        session.type("bare")
        session.moves(2)
        session.process.send_signal(signal.SIGTERM)  # in motion: ends by a certified stop
        assert "1 of 3 runs are in" in session.ends(130)
        assert_at_rest(robot)
        first = listed.read_bytes()

    other = robot.observer.publisher(JointState, "/joint_states", listeners=3)  # both, observer
    with Session(robot, folder) as session:
        session.is_asked("bare")
        session.type("bare")
        session.moves(1)
        report_aside(robot, other, lambda: "certificate allows" in robot.printed())
        ended = session.ends(2)
        robot.observer.node.destroy_publisher(other)
        assert "Run 2 was not completed" in ended and "certificate allows" in ended
        assert listed.read_bytes() == first

    assert robot.acknowledge().success
    with Session(robot, folder) as session:
        session.is_asked("bare")
        session.type("bare")
        session.is_asked("0.8")
        robot.commands.clear()
        session.type("bare")  # not what was asked for
        session.is_asked("0.8", 2)
        assert_at_rest(robot)
        session.type("0.8")  # but nobody has put it on
        ended = session.ends(2)
        assert "another weight is on" in ended and "2 of 3 runs are in" in ended
        assert not robot.commands

    carry(robot, WEIGHT)
    with Session(robot, folder) as session:
        session.is_asked("0.8")
        session.type("0.8")
        ended = session.ends(0)
        assert "All 3 runs are in" in ended

    runs = read_known_runs(listed)
    assert [float(each.load.phi[0]) for each in runs] == [0.0, 0.0, 0.8]
    assert np.isnan(runs[2].load.phi[1:]).all() and runs[0].load.known.all()
    recordings = [Recording.of_robot(each.path, ROBOT) for each in runs]
    moved = [np.ptp(recording.q, axis=0) for recording in recordings]
    assert all(len(each) > 90 * DURATION and part.max() > 0.1
               for each, part in zip(recordings, moved, strict=True))  # fmt: skip
    assert not np.allclose(moved[0], moved[1], rtol=0.05)  # each run has its own motion

    certificates = [*(robot.folder / "certificates").glob("*/motion.json")]
    boxes = [json.loads(path.read_text())["box"] for path in certificates]
    prior = PayloadPrior(PARAMETERS[f"{PRIOR}mass_max"], PARAMETERS[f"{PRIOR}com_max"]).box()
    assert len(boxes) == 5  # three runs, and two that did not come to their end
    for box in boxes:  # a wrong weight that the prior allows is certified as well
        assert (np.array(box["payload_lower"]) <= np.minimum(prior[0], WEIGHT)).all()
        assert (np.array(box["payload_upper"]) >= np.maximum(prior[1], WEIGHT)).all()

    command = shlex.split(session.printed.splitlines()[-1])
    assert command[:2] == ["payload-id", "calibrate"]
    assert main([*command[1:], "--window", "0.2"]) == 0
    assert "3 runs on" in capsys.readouterr().out
