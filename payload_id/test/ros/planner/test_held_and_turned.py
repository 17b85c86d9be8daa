"""The planner over DDS: a finger that must stay where it is, and a cable that limits a turn."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from payload_id_msgs.msg import StopReason
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter as RosParameter
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from finger_robot import finger_robot
from harness import NodeProcess, Observer
from payload_id.ros.common.joint_trajectory_message import trajectory_from_message
from payload_id.ros.planner.plan_server import NO_VOLUME
from planned_robot import ACCEPTED, BOUNDS, BRIDGE, PAYLOAD, ROBOT, PlannedRobot, assert_latched
from promises.nodes import next_domain

DOMAIN = next_domain()
TEXT = """
name: gen3_with_finger
held_joints: {knuckle: 0.4}
held_joints_watch: {silence: 2.0}
cable_turns: {joint_3: {lower: 3.1, upper: 4.4}}
driver:
  follows_while:
    no_fault: {topic: /driver/fault, type: std_msgs/msg/Bool, field: data, allowed: [0]}
home: [0.0, 0.26, 3.14159265, -2.27, 0.0, 0.96, 1.57]
"""
TURNED = [0.0, 0.0, 3.1, 0.0, 0.0, 0.0, 0.0]  # at home; only joint_3 matters


class Robot(PlannedRobot):
    """The simulated arm, which wraps positions, a driver of the finger, planner and bridge."""

    def __init__(self, folder) -> None:
        path = finger_robot(folder, TEXT)
        self.arm = NodeProcess(
            "simulated_arm", DOMAIN, folder / "arm.log", robot_file=path,
            payload=PAYLOAD, rate=100.0, physics_step=1e-3, wrap_positions=True,
        )  # fmt: skip
        both = {"robot_file": path, "clock_tolerance": 30.0, "cell": "none, a simulation"} | BOUNDS
        self.bridge = NodeProcess(
            "bridge", DOMAIN, folder / "bridge.log", silence=0.6, reaction=0.4, turned=TURNED,
            **both,
        )  # fmt: skip
        self.planner = NodeProcess(
            "planner", DOMAIN, folder / "planner.log", limits="safety_warning", stop_step=0.3,
            certificates_folder=folder / "certificates", **both,
        )  # fmt: skip
        self.observer = Observer(DOMAIN)
        self.joint_states = self.observer.listen(JointState, "/joint_states")
        self.commands = self.observer.listen(JointTrajectory, ACCEPTED)
        self.finger = None  # not reported yet
        self._driver = self.observer.node.create_publisher(JointState, "/joint_states", 10)
        self._ended = threading.Event()
        threading.Thread(target=self._report, daemon=True).start()  # whatever the test does
        self.observer.wait(self.is_ready, "a planner that is ready", 180.0)

    def close(self):
        self._ended.set()
        return super().close()

    def _report(self):
        while not self._ended.wait(0.1):
            if (finger := self.finger) is not None:
                message = JointState(name=["knuckle"], position=[finger])
                message.header.stamp = self.observer.node.get_clock().now().to_msg()
                self._driver.publish(message)

    @property
    def q(self):
        own = next(x for x in reversed(self.joint_states) if len(x.name) > 1)
        return np.array(own.position)


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    robot = Robot(tmp_path_factory.mktemp("held"))
    yield robot
    assert robot.close() == [0, 0, 0], robot.printed
    assert "Traceback" not in robot.printed


@pytest.mark.slow
def test_a_finger_that_is_off_or_not_heard_lets_nothing_begin_and_stops_what_moves(robot):
    refused = robot.plan()
    assert not refused.success and "knuckle" in refused.message
    assert "was never heard" in refused.message
    robot.finger = 0.45
    robot.observer.wait(lambda: "knuckle is at 0.45 rad" in robot.plan().message, "the refusal")
    robot.finger = 0.405
    robot.observer.wait(lambda: robot.plan().success, "a plan")
    notes = robot.planned().assumptions
    assert any("knuckle stands at 0.4 rad to within 0.02 rad; it is watched" in x for x in notes)
    assert NO_VOLUME in notes  # nobody said how large the payload is
    _, future, _ = robot.execute_until()
    robot.commands.clear()
    robot.finger = 0.43
    result = assert_latched(robot, "HELD_JOINT_OFF", future)
    assert "knuckle is at 0.43 rad; the certificates hold for 0.4 rad" in result.message
    robot.finger = 0.4
    robot.observer.wait(lambda: robot.plan().success, "a plan")
    robot.planned(duration=4.0)
    _, future, _ = robot.execute_until(moved=0.005)
    robot.finger = None
    result, _ = robot.result(future)
    assert result.reason.code == StopReason.HELD_JOINT_OFF
    assert "last heard" in result.message
    robot.finger = 0.4
    robot.observer.wait(lambda: robot.acknowledge().success, "the acknowledgement")


def set_on(robot, node, name, value):
    """Set a parameter of a node."""
    asked = RosParameter(name, value=value).to_parameter_msg()
    answer = robot.observer.call(SetParameters, f"{node}/set_parameters", parameters=[asked])
    assert answer.results[0].successful, answer.results[0].reason


def turned(robot, value):
    """Say how far joint_3 has turned."""
    array = [0.0, 0.0, value, 0.0, 0.0, 0.0, 0.0]
    set_on(robot, BRIDGE, "turned", array)


@pytest.mark.slow
def test_a_cable_limits_the_whole_turn_and_commands_begin_in_the_turn_that_is_reported(robot):
    robot.finger = 0.4
    robot.observer.wait(lambda: robot.plan().success, "a plan")
    ends = []
    while len(ends) < 2 or (len(ends) < 6 and max(ends) < np.pi + 0.03):
        description = robot.planned(duration=2.0, seed=len(ends))
        reported = robot.q
        assert np.abs(description.start_positions - reported).max() < 0.05  # no whole turn
        total = reported[2] % (2 * np.pi)  # within [3.1, 4.4]
        turns = round((total - description.start_positions[2]) / (2 * np.pi))
        words = f"joint_3 has turned by {turns:+d} whole turns more than its positions here say"
        assert any(words in x for x in description.assumptions), description.assumptions
        robot.commands.clear()
        _, future, _ = robot.begin()
        result, _ = robot.result(future)
        assert result.reason.code == StopReason.COMPLETED, result.message
        points = trajectory_from_message(robot.commands[0], ROBOT.joints)
        assert np.abs(points.q[0] - reported).max() < 0.05
        assert np.abs(np.diff(points.q, axis=0)).max() < 0.1
        whole = points.q[:, 2] + 2 * np.pi * turns
        assert whole.min() >= 3.1 and whole.max() <= 4.4
        ends.append(whole[-1])
        assert abs(robot.q[2] % (2 * np.pi) - whole[-1]) < 0.02
    assert np.pi + 0.03 < max(ends) < 2 * np.pi, ends  # positions were wrapped on the way
