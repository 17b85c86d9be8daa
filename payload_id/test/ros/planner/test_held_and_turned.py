"""The planner over DDS with a finger that must stay where it is."""

from __future__ import annotations

import os

import numpy as np
import pytest
import test_planner_node as planner
from payload_id_msgs.msg import StopReason
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from finger_robot import finger_robot
from harness import NodeProcess, Observer

DOMAIN = 90 + os.getpid() % 10
TEXT = """
name: gen3_with_finger
held_joints: {knuckle: 0.4}
held_joints_watch: {silence: 1.0}
"""


class Robot(planner.Robot):
    """The simulated arm, a driver of the finger in messages of its own, and the planner."""

    def __init__(self, folder) -> None:
        path = finger_robot(folder, TEXT)
        self.arm = NodeProcess(
            "simulated_arm", DOMAIN, folder / "arm.log", robot_file=path,
            payload=planner.PAYLOAD, rate=100.0,
        )  # fmt: skip
        self.planner = NodeProcess(
            "planner", DOMAIN, folder / "planner.log", robot_file=path, limits="safety_warning",
            silence=0.6, stop_step=0.3, reaction=0.4, clock_tolerance=2.0,
            cell="none, a simulation", certificates_folder=folder / "certificates",
            **planner.BOUNDS,
        )  # fmt: skip
        self.observer = Observer(DOMAIN)
        self.joint_states = self.observer.listen(JointState, "/joint_states")
        self.commands = self.observer.listen(JointTrajectory, planner.TRAJECTORY)
        self.finger = None  # not reported yet
        self._driver = self.observer.node.create_publisher(JointState, "/joint_states", 10)
        self.observer.node.create_timer(0.1, self._report)
        self.observer.wait(self.is_ready, "a planner that is ready", 180.0)

    def _report(self):
        if self.finger is not None:
            message = JointState(name=["knuckle"], position=[self.finger])
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
    assert robot.close() == [0, 0], robot.planner.printed()
    assert "Traceback" not in robot.planner.printed()


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
    _, future, _ = robot.execute_until()
    robot.commands.clear()
    robot.finger = 0.43
    result = planner.assert_latched(robot, "HELD_JOINT_OFF", future)
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
