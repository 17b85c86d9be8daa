"""`payload-id check` of a machine over real DDS: what drivers publish is judged, or missing."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager

import numpy as np
import pytest
import rclpy
from rclpy.context import Context
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState

from command_line import run_here
from payload_id import RobotFile, RobotModel
from payload_id.cli.check.environment import _domain, environment
from payload_id.core.motion.limits import inverse_dynamics
from payload_id.core.motion.trajectory import Motion
from payload_id.core.recording_checks.check_result import Verdict
from promises.nodes import next_domain

DOMAIN = next_domain()
ROBOT = RobotFile.load("kinova_gen3")


@contextmanager
def driver(effort: np.ndarray, old: float = 0.0):
    """Publish a standing Gen3 with some efforts and stamps that are so many seconds old."""
    context, ended = Context(), threading.Event()
    rclpy.init(context=context, domain_id=DOMAIN)
    node = rclpy.create_node("driver", context=context)
    out = node.create_publisher(JointState, "/joint_states", QoSProfile(depth=10))

    def publish() -> None:
        while not ended.wait(0.005):
            message = JointState(name=list(ROBOT.joints), position=ROBOT.home.tolist())
            seconds, rest = divmod(node.get_clock().now().nanoseconds - round(old * 1e9), 10**9)
            message.header.stamp.sec, message.header.stamp.nanosec = int(seconds), int(rest)
            message.velocity, message.effort = [0.0] * len(ROBOT.joints), effort.tolist()
            out.publish(message)

    thread = threading.Thread(target=publish)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        node.destroy_node()
        rclpy.shutdown(context=context)


@pytest.fixture
def lines(monkeypatch, capsys):
    """Return a function that lets it look, and returns exit code and lines by subject."""
    monkeypatch.setenv("ROS_DOMAIN_ID", str(DOMAIN))
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")

    def look(*arguments, robot="kinova_gen3"):
        done = run_here(capsys, "check", "--json", "--robot", robot, *arguments)
        found = json.loads(done.stdout)
        assert done.returncode == (2 if found["wrong"] else 0)
        return done.returncode, {line["subject"]: line for line in found["lines"]}

    return look


@pytest.mark.slow
def test_a_driver_that_works_is_called_good_and_one_without_torques_or_none_is_not(lines):
    still = np.zeros((1, len(ROBOT.joints)))
    at_home = Motion(np.zeros(1), ROBOT.home[None], still, still)
    tau = inverse_dynamics(RobotModel.from_robot_file(ROBOT), at_home, np.zeros(10))[0]
    with driver((tau + ROBOT.effort.offset) / ROBOT.effort.sign, old=30.0):
        code, found = lines("--seconds", "1")
    assert code == 0, found
    assert found["DDS"]["verdict"] == found["torques"]["verdict"] == "good"
    assert "driver" in found["publishers"]["found"]
    assert found["clock"]["verdict"] == "look" and "chrony" in found["clock"]["do"]
    with driver(still[0]):
        code, found = lines("--seconds", "1")
    assert code == 2
    assert any(x["verdict"] == "wrong" and "zero" in x["found"] for x in found.values())
    code, found = lines("--seconds", "0.5")
    assert code == 2 and "/joint_states" in found["joint states"]["found"]
    assert "driver" in found["joint states"]["do"]


def test_what_cannot_be_looked_at_is_a_line_beside_the_others_or_refused(
    lines, tmp_path, monkeypatch, capsys
):
    for options in (["--topic", "a b"], ["--topic", "/1"], ["--topic", "//"], ["--topic", "/ü"]):
        done = run_here(capsys, "check", "--robot", "kinova_gen3", *options)
        assert done.returncode == 2 and "No topic can have that name" in done.stderr
    monkeypatch.setenv("ROS_STATIC_PEERS", "no host here")
    code, found = lines()
    assert code == 2 and "no host here" in found["DDS"]["found"]
    assert found["robot file"]["verdict"] == found["libraries"]["verdict"] == "good"
    monkeypatch.setattr("payload_id.cli.check.command.importlib.util.find_spec", lambda x: None)
    (tmp_path / "arm.yaml").write_text("joints: 3\n")
    code, found = lines(robot=tmp_path / "arm.yaml")
    assert code == 2 and found["robot file"]["verdict"] == "wrong"


def test_domains_that_do_not_work_are_said_and_what_runs_the_tests_is_good():
    for variables, verdict in (
        ({}, Verdict.GOOD), ({"ROS_DOMAIN_ID": "42"}, Verdict.GOOD),
        ({"ROS_DOMAIN_ID": "101x"}, Verdict.WRONG), ({"ROS_DOMAIN_ID": "233"}, Verdict.WRONG),
        ({"ROS_DOMAIN_ID": "200"}, Verdict.LOOK),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "OFF"}, Verdict.LOOK),
    ):  # fmt: skip
        line = _domain(variables)
        assert line.verdict is verdict and bool(line.do) == (verdict is not Verdict.GOOD)
    assert [line for line in environment() if line.verdict is Verdict.WRONG] == []
