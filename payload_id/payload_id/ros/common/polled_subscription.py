"""A subscription that is emptied at a node's own pace instead of waking it for every message.

At 1 kHz an executor spends most of its time on waking up. Taking all waiting messages at once,
every few milliseconds, costs a third of that; the middleware's queue holds them meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.type_support import check_is_valid_msg_type
from rclpy.validate_topic_name import validate_topic_name
from sensor_msgs.msg import JointState

from ...files.robots.robot_file import RobotFile
from .topics import JOINT_STATES


class PolledSubscription:
    """Messages as bytes, in the order of arrival.

    Attributes:
        topic: The topic's full name, after remapping.
    """

    def __init__(self, node: Node, message_type: Any, topic: str, profile: QoSProfile) -> None:
        """Subscribe.

        Args:
            node: The node.
            message_type: Class of the messages.
            topic: The topic.
            profile: Quality of service; its depth must hold what arrives between two polls.
        """
        self._type = message_type
        validate_topic_name(topic)
        self.topic = node.resolve_topic_name(topic)
        check_is_valid_msg_type(message_type)
        with node.handle:
            self._handle = rclpy_implementation.Subscription(
                node.handle, message_type, topic, profile.get_c_qos_profile()
            )

    def take_all(self, most: int) -> Iterator[tuple[bytes, int]]:
        """Yield the waiting messages, at most `most`.

        Yields:
            data: The serialized message (CDR).
            received_ns: When the middleware received it [ns]; 0 if it does not say.
        """
        with self._handle:
            for _ in range(most):
                taken = self._handle.take_message(self._type, True)
                if taken is None:
                    return
                data, info = taken
                yield data, int(info.get("received_timestamp") or 0)

    def destroy(self) -> None:
        """End it."""
        self._handle.destroy_when_not_in_use()

    def forget(self) -> None:
        """Let go what has arrived so far."""
        with self._handle:
            while self._handle.take_message(self._type, True) is not None:
                pass


def joint_state_subscription(
    node: Node, robot: RobotFile, queue: int, reliability: str = "", topic: str = JOINT_STATES
) -> PolledSubscription:
    """Subscribe to a robot's joint states; for commands, which nobody remaps, on another topic."""
    profile = joint_state_profile(robot, queue, reliability)
    return PolledSubscription(node, JointState, topic, profile)


def joint_state_profile(robot: RobotFile, queue: int, reliability: str = "") -> QoSProfile:
    """Return the quality of service of a robot's joint states.

    Args:
        robot: The robot file.
        queue: Messages that may wait.
        reliability: "reliable" or "best_effort"; empty: as the robot file says.
    """
    reliable = (reliability or robot.joint_states.reliability) == "reliable"
    policy = ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT
    return QoSProfile(depth=queue, reliability=policy)
