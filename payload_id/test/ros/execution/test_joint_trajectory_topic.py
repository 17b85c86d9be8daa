"""The topic of a trajectory controller: whether one is there, and what it is sent."""

from __future__ import annotations

import numpy as np
import pytest
from trajectory_msgs.msg import JointTrajectory

from harness import START_NS, Observer
from payload_id.core.motion.trajectory import Motion
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.ros.execution.back_ends.joint_trajectory_topic import JointTrajectoryTopic
from promises.nodes import next_domain

DOMAIN = next_domain()

JOINTS = ("shoulder", "elbow")
TOPIC = "/arm/trajectory"
TUBE = TrackingTube.exact(2)


@pytest.fixture
def observers():
    """Return whoever commands, and the controller's side."""
    pair = Observer(DOMAIN), Observer(DOMAIN)
    yield pair
    for each in pair:
        each.close()


def test_a_trajectory_of_somebody_else_is_noticed_and_an_own_one_is_not(observers):
    observer, controller = observers
    back_end = JointTrajectoryTopic(observer.node, TOPIC, JOINTS)
    controller.listen(JointTrajectory, TOPIC)
    observer.wait(lambda: not back_end.absence(), "the controller")
    back_end.take()
    observer.wait(lambda: back_end.is_taken, "the connection")
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
