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


def test_points_reach_a_controller_that_is_there(observer):
    back_end = JointTrajectoryTopic(observer.node, TOPIC, JOINTS)
    assert back_end.target == TOPIC
    assert TOPIC in back_end.absence() and "trajectory controller" in back_end.absence()
    heard = observer.listen(JointTrajectory, TOPIC)
    observer.wait(lambda: not back_end.absence(), "the controller")
    q = np.array([[0.0, 1.0], [0.5, 1.5]])
    back_end.send(Motion(np.array([0.25, 1.25]), q, 0 * q, 0 * q), START_NS)
    (message,) = observer.wait(lambda: heard, "the points")
    assert tuple(message.joint_names) == JOINTS
    assert message.header.stamp.sec == START_NS // 10**9
    assert [list(point.positions) for point in message.points] == q.tolist()
    first = message.points[0].time_from_start
    assert (first.sec, first.nanosec) == (0, 250_000_000)
