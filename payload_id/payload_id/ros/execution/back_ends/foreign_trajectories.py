"""Trajectories that others send to the controller's topic, on which this node sends none."""

from __future__ import annotations

from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from trajectory_msgs.msg import JointTrajectory

from ...common.conversions import decoded
from ...common.polled_subscription import PolledSubscription
from ...common.topic_report import is_unnamed, publisher_names

WAITING = 100  # trajectories that may wait to be looked at
QUALITY = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)


class ForeignTrajectories:
    """Listens to the topic.

    Attributes:
        topic: Its full name.
    """

    def __init__(self, node: Node, topic: str) -> None:
        """Subscribe; polled, so that whoever asks is told of what has arrived.

        Args:
            node: The node.
            topic: The controller's topic.
        """
        self._node = node
        self._heard = PolledSubscription(node, JointTrajectory, topic, QUALITY)
        self.topic = self._heard.topic

    def heard(self) -> str:
        """Say that a trajectory has come since the last call; empty if none has."""
        found = ""
        for data, _ in self._heard.take_all(WAITING):
            message = decoded(data, JointTrajectory)
            points = "?" if message is None else len(message.points)
            found = f"A trajectory of {points} points on {self.topic} was not sent by this node"
        return found

    def others(self) -> str:
        """Say who may send trajectories; empty if nobody does."""
        names = publisher_names(self._node, self.topic)
        if not names:
            return ""
        return (
            f"The arm is in use: {self.topic} has a publisher in {', '.join(names)}; only one node "
            "may command it at a time"
        )

    def is_unnamed(self) -> bool:
        """Whether somebody publishes trajectories whose name is not known yet."""
        return is_unnamed(self._node, self.topic)
