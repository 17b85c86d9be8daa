"""Motion through a topic, as ros2_control's joint_trajectory_controller takes it."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile, ReliabilityPolicy
from trajectory_msgs.msg import JointTrajectory

from ....core.errors import InputError
from ....core.motion.trajectory import Motion
from ....core.safety.tube.tracking_tube import TrackingTube
from ...common.conversions import decoded
from ...common.joint_trajectory_message import message_of_points
from ...common.polled_subscription import PolledSubscription
from ...common.topic_report import is_unnamed, publisher_names
from .back_end import BackEnd, Trouble

WAITING = 100  # trajectories that may wait to be looked at
SENT = 64  # own trajectories that may still be on their way back
Signature = tuple[object, ...]
QUALITY = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)


class JointTrajectoryTopic(BackEnd):
    """Publishes trajectory_msgs/JointTrajectory; a publisher exists only while the arm is taken."""

    answers_holds = False  # some controllers drop a trajectory without points

    def __init__(self, node: Node, topic: str, joints: Sequence[str]) -> None:
        """Listen to the topic; what others send is noticed.

        Args:
            node: The node.
            topic: The controller's topic.
            joints: Names of the joints, in the order of the points' columns.
        """
        self._publisher: Publisher[JointTrajectory] | None = None
        self._node, self._joints = node, joints
        self._sent: deque[Signature] = deque(maxlen=SENT)
        # Polled: whoever asks is told of what has arrived, whatever else waits for the executor.
        self._heard = PolledSubscription(node, JointTrajectory, topic, QUALITY)
        self.target = self._heard.topic

    def take(self) -> None:
        """Create the publisher."""
        if self._publisher is None:
            self._publisher = self._node.create_publisher(JointTrajectory, self.target, QUALITY)

    @property
    def is_taken(self) -> bool:
        """Whether every subscriber that is there, this node among them, is connected."""
        if self._publisher is None:
            return False
        connected = self._publisher.get_subscription_count()
        return bool(connected >= max(2, self._node.count_subscribers(self.target)))

    def release(self) -> None:
        """Destroy the publisher."""
        if self._publisher is not None:
            self._node.destroy_publisher(self._publisher)
            self._publisher = None

    def absence(self) -> str:
        """Say that nobody hears the trajectories; empty if somebody does."""
        if self._node.count_subscribers(self.target) > 1:  # one of them is this back end
            return ""
        return (
            f"Nobody subscribes to {self.target}: activate the arm's trajectory controller, or set "
            "the parameter trajectory_topic."
        )

    def others(self) -> str:
        """Say who else publishes trajectories; empty if nobody does."""
        infos = self._node.get_publishers_info_by_topic(self.target)
        if len(infos) <= (self._publisher is not None) or self.is_unnamed():
            return ""
        names = set(publisher_names(self._node, self.target))
        names -= {self._node.get_fully_qualified_name()}
        return (
            f"The arm is in use: {self.target} has a publisher in "
            f"{', '.join(sorted(names)) or 'another node of the same name'}; only one node may "
            "command it at a time"
        )

    def is_unnamed(self) -> bool:
        """Whether somebody publishes trajectories whose name is not known yet."""
        return is_unnamed(self._node, self.target)

    def foreign(self) -> str:
        """Say that a trajectory of somebody else was heard; empty if none was."""
        found = ""
        for data, _ in self._heard.take_all(WAITING):
            message = decoded(data, JointTrajectory)
            if message is None or not self._is_own(_signature(message)):
                points = "?" if message is None else len(message.points)
                found = (
                    f"A trajectory of {points} points on {self.target} was not sent by this node"
                )
        return found

    def _is_own(self, heard: Signature) -> bool:
        """Whether this node sent a trajectory, and it has not come back already."""
        if heard not in self._sent:
            return False
        self._sent.remove(heard)
        return True

    def fault(self) -> tuple[Trouble, str] | None:
        """Return nothing: a topic has no answers."""
        return None

    def hold(self) -> None:
        """Publish a trajectory without points, which means: hold where you are."""
        self._publish(JointTrajectory(joint_names=list(self._joints)))

    def send(self, points: Motion, start_ns: int, tube: TrackingTube) -> None:
        """Publish points; a topic has no room for tolerances."""
        self._publish(message_of_points(points, self._joints, start_ns))

    def _publish(self, message: JointTrajectory) -> None:
        """Publish a trajectory, and note it as our own."""
        if self._publisher is None:
            raise InputError("The arm was not taken: nothing can be sent to it.")
        self._sent.append(_signature(message))
        self._publisher.publish(message)


def _signature(message: JointTrajectory) -> Signature:
    """Return what tells trajectories apart: all that a controller follows."""
    stamp = message.header.stamp
    points = tuple(
        (
            point.time_from_start.sec,
            point.time_from_start.nanosec,
            tuple(point.positions),
            tuple(point.velocities),
            tuple(point.accelerations),
        )
        for point in message.points
    )
    return stamp.sec, stamp.nanosec, tuple(message.joint_names), points
