"""A subscription that is emptied at a node's own pace instead of waking it for every message.

At 1 kHz an executor spends most of its time on waking up. Taking all waiting messages at once,
every few milliseconds, costs a third of that; the middleware's queue holds them meanwhile.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.type_support import check_is_valid_msg_type
from rclpy.validate_topic_name import validate_topic_name
from sensor_msgs.msg import JointState

from ...files.robots.robot_file import RobotFile

SEVERAL = 3  # times that numbers of messages go back, ...
LATELY = 3.0  # ... within so many [s], where more than one publisher sends them


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
        for data, info in self._taken(most):
            yield data, int(info.get("received_timestamp") or 0)

    def take_numbered(self, most: int) -> Iterator[tuple[bytes, int | None, int]]:
        """Yield the waiting messages, at most `most`.

        Yields:
            data: The serialized message (CDR).
            number: Which of its publisher's messages it is; None if the middleware does not say.
            received_ns: When the middleware received it [ns]; 0 if it does not say.
        """
        for data, info in self._taken(most):
            received_ns = int(info.get("received_timestamp") or 0)
            yield data, info.get("publication_sequence_number"), received_ns

    def _taken(self, most: int) -> Iterator[tuple[bytes, dict[str, Any]]]:
        """Yield the waiting messages with what the middleware says of them."""
        with self._handle:
            for _ in range(most):
                taken = self._handle.take_message(self._type, True)
                if taken is None:
                    return
                yield taken

    def destroy(self) -> None:
        """End it."""
        self._handle.destroy_when_not_in_use()

    def forget(self) -> None:
        """Let go what has arrived so far."""
        with self._handle:
            while self._handle.take_message(self._type, True) is not None:
                pass


class PublisherCount:
    """Tells by the numbers of messages whether one publisher alone sends them.

    A publisher counts its messages. Numbers that go back again and again are of several; where the
    middleware does not tell them, stamps that do.
    """

    def __init__(self) -> None:
        """Begin without messages."""
        self._newest = 0
        self._back: deque[float] = deque(maxlen=SEVERAL)

    def see(self, number: int | None, is_old: bool, now: float) -> None:
        """Take in a message.

        Args:
            number: Which of its publisher's messages it is; None where that is not known.
            is_old: Whether its stamp is older than the one of a message before it.
            now: When it is looked at [s].
        """
        if number <= self._newest if number else is_old:
            self._back.append(now)
        self._newest = number or self._newest

    def are_several(self, now: float) -> bool:
        """Tell whether several have sent messages lately [s]; one that begins anew is one."""
        return len(self._back) == SEVERAL and now - self._back[0] <= LATELY


def joint_state_subscription(
    node: Node, robot: RobotFile, topic: str, reliability: str, queue: int
) -> PolledSubscription:
    """Subscribe to a robot's joint states.

    Args:
        node: The node.
        robot: The robot file.
        topic: Empty: as the robot file says.
        reliability: "reliable" or "best_effort"; empty: as the robot file says.
        queue: Messages that may wait.
    """
    source = robot.joint_states
    reliable = (reliability or source.reliability) == "reliable"
    policy = ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT
    profile = QoSProfile(depth=queue, reliability=policy)
    return PolledSubscription(node, JointState, topic or source.topic, profile)
