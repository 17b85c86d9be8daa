"""The topic of a trajectory controller: whether one is there, and what it is sent."""

from __future__ import annotations

import numpy as np
import pytest
from trajectory_msgs.msg import JointTrajectory

from harness import START_NS, Observer
from payload_id.core.errors import InputError
from payload_id.core.motion.trajectory import Motion
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.ros.execution.back_ends.joint_trajectory_topic import JointTrajectoryTopic
from promises.nodes import next_domain

DOMAIN = next_domain()

JOINTS = ("shoulder", "elbow")
TOPIC = "/arm/trajectory"
TUBE = TrackingTube.exact(2)


@pytest.fixture
def observer():
    observer = Observer(DOMAIN)
    yield observer
    observer.close()


@pytest.fixture
def controller():
    controller = Observer(DOMAIN)
    yield controller
    controller.close()


def take(observer, back_end):
    """Take the arm once its controller is there."""
    observer.wait(lambda: not back_end.absence(), "the controller")
    back_end.take()
    observer.wait(lambda: back_end.is_taken, "the connection")


def test_an_arm_is_taken_and_given_back(observer, controller):
    first = JointTrajectoryTopic(observer.node, TOPIC, JOINTS)
    second = JointTrajectoryTopic(controller.node, TOPIC, JOINTS)
    assert not first.is_taken
    with pytest.raises(InputError, match="not taken"):
        first.hold()
    take(observer, first)
    assert not first.others()
    named = lambda: "of the same name" in second.others()  # noqa: E731
    controller.wait(named, "the one who took it")
    first.release()
    assert not first.is_taken
    controller.wait(lambda: not second.others(), "the arm to be free")
    take(controller, second)
    assert observer.wait(first.others, "the one who took it now")


def test_a_hold_is_a_trajectory_without_points(observer, controller):
    back_end = JointTrajectoryTopic(observer.node, TOPIC, JOINTS)
    heard = controller.listen(JointTrajectory, TOPIC)
    take(observer, back_end)
    back_end.hold()
    (message,) = controller.wait(lambda: heard, "the hold")
    assert not message.points


def test_a_trajectory_of_somebody_else_is_noticed_and_an_own_one_is_not(observer, controller):
    back_end = JointTrajectoryTopic(observer.node, TOPIC, JOINTS)
    controller.listen(JointTrajectory, TOPIC)
    take(observer, back_end)
    assert not back_end.others()
    q = np.array([[0.0, 1.0], [0.5, 1.5]])
    back_end.send(Motion(np.array([0.25, 1.25]), q, 0 * q, 0 * q), START_NS, TUBE)
    other = controller.publisher(JointTrajectory, TOPIC)
    assert "only one node may" in observer.wait(back_end.others, "the other publisher")
    assert not back_end.foreign()
    controller.wait(lambda: other.get_subscription_count() > 1, "its listeners")
    other.publish(JointTrajectory(joint_names=list(JOINTS)))
    found = observer.wait(back_end.foreign, "its trajectory", 5.0)
    assert TOPIC in found and not back_end.foreign()  # told once
