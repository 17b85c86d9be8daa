"""Motion through a topic, as ros2_control's joint_trajectory_controller takes it."""

from __future__ import annotations

from collections.abc import Sequence

from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from trajectory_msgs.msg import JointTrajectory

from ....core.motion.trajectory import Motion
from ...common.joint_trajectory_message import message_of_points
from .back_end import BackEnd

QUALITY = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)


class JointTrajectoryTopic(BackEnd):
    """Publishes trajectory_msgs/JointTrajectory."""

    def __init__(self, node: Node, topic: str, joints: Sequence[str]) -> None:
        """Create the publisher.

        Args:
            node: The node.
            topic: The controller's topic.
            joints: Names of the joints, in the order of the points' columns.
        """
        self._publisher = node.create_publisher(JointTrajectory, topic, QUALITY)
        self._joints = joints
        self.target = str(self._publisher.topic_name)

    def absence(self) -> str:
        """Say that nobody hears the trajectories; empty if somebody does."""
        if self._publisher.get_subscription_count():
            return ""
        return (
            f"Nobody subscribes to {self.target}: activate the arm's trajectory controller, or set "
            "the parameter trajectory_topic."
        )

    def send(self, points: Motion, start_ns: int) -> None:
        """Publish points."""
        self._publisher.publish(message_of_points(points, self._joints, start_ns))
