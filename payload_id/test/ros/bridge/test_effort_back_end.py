"""An arm moved by torques: within the tube, and in whose hands it is whoever dies."""

from __future__ import annotations

import os
import signal
import time
from array import array

import numpy as np
import pytest
from controller_manager_msgs.srv import ListControllers
from payload_id_msgs.action import Follow
from payload_id_msgs.msg import Certificate, StopReason
from payload_id_msgs.srv import Acknowledge
from rclpy.action import ActionClient
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState

from harness import NodeProcess, Observer
from promises.nodes import next_domain
from torque_robot import CELL, PAYLOAD, ROTOR, certified_motion, torque_robot

DOMAIN = next_domain()
BRIDGE, MANAGER = "/payload_bridge", "/controller_manager"
RESTING = "joint_trajectory_controller"
SUCCEEDED, ABORTED = 4, 6  # of action_msgs/GoalStatus
SHALLOW = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
DRIFT = 0.05  # [rad] that an arm may move while one controller takes over from another one


class TorqueRobot:
    """Simulated arm that executes torques, bridge, and an observer."""

    def __init__(self, folder) -> None:
        self.folder, self.robot = folder, torque_robot(folder)
        self.path = str(self.robot.path)
        self.arm = NodeProcess(
            "simulated_arm", DOMAIN, folder / "arm.log", robot_file=self.path,
            payload=PAYLOAD.tolist(), armature=ROTOR, rate=500.0, physics_step=1e-3,
        )  # fmt: skip
        self.observer = Observer(DOMAIN)
        self.states = self.observer.listen(JointState, "/joint_states", SHALLOW)
        self.start_bridge()

    def start_bridge(self) -> None:
        self.bridge = NodeProcess(
            "bridge", DOMAIN, self.folder / "bridge.log", robot_file=self.path, cell=CELL,
            back_end="effort", start_delay=1.0, clock_tolerance=60.0, silence=0.6, reaction=0.3,
            state_folder=self.folder,
        )  # fmt: skip
        self.observer.diagnosis("Ready.")

    @property
    def q(self):
        """Where the arm is now: what has waited in a busy machine's queue is of before."""
        heard = len(self.states)
        self.observer.wait(lambda: len(self.states) > heard + SHALLOW.depth, "joint states")
        return np.array(self.states[-1].position)

    def active(self):
        """Return which controllers of the arm are active."""
        listed = self.observer.call(ListControllers, f"{MANAGER}/list_controllers").controller
        return {x.name for x in listed if x.state == "active" and x.claimed_interfaces}

    def move(self, by):
        """Prove a motion from where the arm is, and have it followed; return handle and result."""
        motion, stops = certified_motion(self.folder, self.robot, self.q, by)
        files = [Certificate(file=array("B", text.encode())) for text in (motion, *stops)]
        client = ActionClient(self.observer.node, Follow, f"{BRIDGE}/follow")
        self.observer.wait(client.server_is_ready, "follow")
        goal = Follow.Goal(motion_id="m", motion=files[0], stops=files[1:], requested_by="a test")
        sent = client.send_goal_async(goal)
        handle = self.observer.wait(lambda: sent.done() and sent.result(), "the goal's handle")
        return handle, handle.get_result_async()

    def move_until(self, by, moved=0.03):
        start = self.q
        handle, future = self.move(by)
        self.observer.wait(lambda: np.abs(self.q - start).max() > moved or future.done(), "motion")
        assert not future.done(), future.result().result.message
        return handle, future

    def result(self, future):
        answer = self.observer.wait(lambda: future.done() and future.result(), "the result")
        return answer.result, answer.status

    def rests(self):
        """Return whether the arm has stood still for a while."""
        recent = self.states[-100:]
        return len(recent) == 100 and max(np.abs(x.velocity).max() for x in recent) < 0.01

    def given_back(self):
        self.observer.wait(lambda: self.active() == {RESTING}, "the resting controller")

    def acknowledge(self):
        answer = self.observer.call(Acknowledge, f"{BRIDGE}/acknowledge", reason="looked at it")
        assert answer.success, answer.message


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    robot = TorqueRobot(tmp_path_factory.mktemp("effort"))
    yield robot
    robot.bridge.stop()
    robot.arm.stop()
    robot.observer.close()
    assert "Traceback" not in robot.bridge.printed


@pytest.fixture
def robot(built):
    """Let no fault that an earlier test has left keep the arm from moving."""
    built.observer.call(Acknowledge, f"{BRIDGE}/acknowledge", reason="another test")
    return built


def loop_of(robot, other_than=0):
    """Wait for a process that could send torques; return its number."""
    robot.observer.mailbox["/diagnostics"].clear()

    def found():
        for said in robot.observer.mailbox["/diagnostics"]:
            for status in said.status:
                values = {x.key: x.value for x in status.values}
                number = int(values.get("torque loop's process", 0))
                if values.get("torque loop") == "waits" and number != other_than:
                    return number
        return None

    return robot.observer.wait(found, "a torque loop that waits")


@pytest.mark.slow
def test_a_certified_motion_is_followed_by_torques_within_its_tube(robot):
    loop_of(robot)
    start = robot.q
    assert robot.active() == {RESTING}
    _, future = robot.move(0.15)
    result, status = robot.result(future)
    assert status == SUCCEEDED and result.at_rest, result.message
    assert result.largest_tube_use < 1.0
    assert np.allclose(robot.q, result.state.holding, atol=0.02)
    assert np.abs(robot.q - start).max() > 0.1
    robot.given_back()


@pytest.mark.slow
def test_a_loop_that_is_killed_leaves_the_arm_to_its_resting_controller(robot):
    loop = loop_of(robot)
    _, future = robot.move_until(0.1)
    os.kill(loop, signal.SIGKILL)
    killed, before = time.monotonic(), robot.q
    result, status = robot.result(future)
    assert status == ABORTED and result.reason.code == StopReason.CONTROLLER_FAULT, result.message
    assert RESTING in result.message
    robot.given_back()
    robot.observer.wait(robot.rests, "an arm at rest")
    assert np.abs(robot.q - before).max() < DRIFT and time.monotonic() - killed < 20.0
    robot.acknowledge()
    loop_of(robot, other_than=loop)


@pytest.mark.slow
def test_without_the_bridge_the_motion_ends_at_rest_and_the_arm_is_given_back(robot):
    loop = loop_of(robot)
    start = robot.q
    robot.move_until(0.15)
    robot.bridge.process.kill()
    robot.given_back()
    robot.observer.wait(robot.rests, "an arm at rest")
    ends = robot.q - start - 0.15  # less where the motion ends
    assert np.abs(ends).max() < 0.02, (ends, robot.bridge.printed[-500:])
    robot.observer.wait(lambda: not _runs(loop), "the end of the loop's process")


def _runs(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
