"""The topic of a trajectory controller: whether one is there, and what it is sent."""

from __future__ import annotations

import os

import numpy as np
import pytest
from trajectory_msgs.msg import JointTrajectory

from harness import START_NS, Observer
from payload_id.core.motion.trajectory import Motion
from payload_id.ros.execution.back_ends.joint_trajectory_topic import JointTrajectoryTopic

JOINTS = ("shoulder", "elbow")
TOPIC = "/arm/trajectory"


@pytest.fixture
def observer():
    observer = Observer(150 + os.getpid() % 20)
    yield observer
    observer.close()


@pytest.fixture
def controller():
    controller = Observer(150 + os.getpid() % 20)
    yield controller
    controller.close()


def test_points_reach_a_controller_that_is_there(observer, controller):
    back_end = JointTrajectoryTopic(observer.node, TOPIC, JOINTS)
    assert back_end.target == TOPIC
    assert TOPIC in back_end.absence() and "trajectory controller" in back_end.absence()
    heard = controller.listen(JointTrajectory, TOPIC)
    observer.wait(lambda: not back_end.absence(), "the controller")
    q = np.array([[0.0, 1.0], [0.5, 1.5]])
    back_end.send(Motion(np.array([0.25, 1.25]), q, 0 * q, 0 * q), START_NS)
    (message,) = controller.wait(lambda: heard, "the points")
    assert tuple(message.joint_names) == JOINTS
    assert message.header.stamp.sec == START_NS // 10**9
    assert [list(point.positions) for point in message.points] == q.tolist()
    first = message.points[0].time_from_start
    assert (first.sec, first.nanosec) == (0, 250_000_000)


def test_a_hold_is_a_trajectory_without_points(observer, controller):
    back_end = JointTrajectoryTopic(observer.node, TOPIC, JOINTS)
    heard = controller.listen(JointTrajectory, TOPIC)
    observer.wait(lambda: not back_end.absence(), "the controller")
    back_end.hold()
    (message,) = controller.wait(lambda: heard, "the hold")
    assert not message.points


def test_a_trajectory_of_somebody_else_is_noticed_and_an_own_one_is_not(observer, controller):
    back_end = JointTrajectoryTopic(observer.node, TOPIC, JOINTS)
    controller.listen(JointTrajectory, TOPIC)
    observer.wait(lambda: not back_end.absence(), "the controller")
    assert not back_end.others()
    q = np.array([[0.0, 1.0], [0.5, 1.5]])
    back_end.send(Motion(np.array([0.25, 1.25]), q, 0 * q, 0 * q), START_NS)
    other = controller.publisher(JointTrajectory, TOPIC)
    assert "only one may" in observer.wait(back_end.others, "the other publisher")
    assert not back_end.foreign()
    controller.wait(lambda: other.get_subscription_count() > 1, "its listeners")
    other.publish(JointTrajectory(joint_names=list(JOINTS)))
    found = observer.wait(back_end.foreign, "its trajectory", 5.0)
    assert TOPIC in found and not back_end.foreign()  # told once
