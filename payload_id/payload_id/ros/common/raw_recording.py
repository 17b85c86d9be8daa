"""The bag that a sampler makes of what it receives, and of what else tells the run."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from payload_id_msgs.msg import PayloadEstimate, PlanDescription
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.subscription import Subscription
from rosbags.interfaces import (
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)
from std_msgs.msg import String

from ...core.errors import ConfigurationError, RecordingError, in_words
from ...files.bags.bag_writer import BagWriter
from ...files.configuration.input_path import from_home
from ...files.configuration.package_data import package_share_folder
from .steady_timer import steady_timer
from .timeouts import LOG, TELL
from .topics import LATCHED

ROOM = 100_000_000  # free bytes with which a recording goes on after the disk was full
RETRY = 10.0  # [s] between two bags that are begun because the disk has failed
# What tells a run beside what was measured: estimates with their verdicts, and the descriptions of
# plans with the digests of their certificates.
COMPANIONS = {
    f"payload_id_msgs/msg/{kind.__name__}": kind for kind in (PayloadEstimate, PlanDescription)
}
DESCRIPTION = "robot_description"  # of std_msgs/String


class RawRecording:
    """Records messages as received, if a folder is given.

    Beside what it is handed, it records robot description, estimates and plans of its namespace.
    Where the disk fails, it goes on in another bag as soon as it can.

    Attributes:
        path: Folder of the newest bag; empty: none was made.
    """

    def __init__(self, node: Node, folder: str, what: str) -> None:
        """Look whether a bag can be made; `begin` makes it.

        Args:
            node: The sampler.
            folder: The bag's folder; if it exists, the next free name is taken; empty: no bag.
            what: What is recorded, such as "joint states".

        Raises:
            RecordingError: It cannot.
        """
        self.path = ""
        self._node, self._what = node, what
        self._writer: BagWriter | None = None
        self._lost = 0  # by bags before
        self._types: dict[str, str] = {}
        self._topics: set[str] = set()  # those written so far
        self._followed: dict[str, Subscription] = {}
        self._folder = from_home(folder, "bag").resolve() if folder else None
        if self._folder is not None:
            _check_folder(self._folder)
            steady_timer(node, RETRY, self._go_on)
            steady_timer(node, TELL, self._look_for_companions)

    def begin(self) -> None:
        """Begin a bag, if a folder is given.

        Raises:
            RecordingError: The folder cannot be created.
        """
        if self._folder is not None:
            self._writer = self._new_writer(self._folder)
            self._lost = 0
            self._node.get_logger().info(f"Recording {self._what} in {self.path}")
            description = self._node.resolve_topic_name(DESCRIPTION)
            self._follow(description, "std_msgs/msg/String", String)

    def _new_writer(self, folder: Path) -> BagWriter:
        """Return a new bag that knows all message types."""
        writer = BagWriter(folder)
        for name, definition in self._types.items():
            writer.add_message_type(name, definition)
        self._topics.clear()
        self.path = str(writer.path)
        return writer

    def add_message_type(self, name: str, definition: str) -> None:
        """Have the bag know a message type of this package."""
        self._types[name] = definition
        if self._writer is not None:
            self._writer.add_message_type(name, definition)

    def _go_on(self) -> None:
        """Begin another bag if the present one cannot be written to any more."""
        if self._folder is None or self._writer is None or not self._writer.failed:
            return
        try:
            if shutil.disk_usage(self._folder.parent).free < ROOM:
                return
            writer = self._new_writer(self._folder)
        except (OSError, RecordingError):
            return
        self._lost += self._writer.lost
        before, self._writer = self._writer, writer
        self._node.get_logger().warning(
            f"The disk failed, or the bag was removed: {before.lost} messages are missing in "
            f"{before.path}. Recording goes on in {self.path}"
        )

    def write(self, topic: str, kind: str, received_ns: int, data: bytes) -> None:
        """Record one message; a stamp of 0 means now."""
        if self._writer is not None:
            stamp_ns = received_ns or self._node.get_clock().now().nanoseconds
            if topic not in self._topics:
                self._topics.add(topic)
                offered = self._node.get_publishers_info_by_topic(topic)
                self._writer.state_qos(topic, [_qos(x.qos_profile) for x in offered])
            self._writer.write(topic, kind, stamp_ns, data)

    def _look_for_companions(self) -> None:
        """Subscribe to estimates and plans that are published in this namespace."""
        space = f"{self._node.get_namespace().rstrip('/')}/"
        for topic, types in self._node.get_topic_names_and_types():
            for name in types:
                if name in COMPANIONS and topic not in self._followed and topic.startswith(space):
                    self._add_companion(topic, name)

    def _add_companion(self, topic: str, name: str) -> None:
        """Record estimates or plans, unless the definition of their type is not to be found."""
        kind = COMPANIONS[name]
        try:
            file = package_share_folder("payload_id_msgs") / "msg" / f"{kind.__name__}.msg"
            text = file.read_text(encoding="utf-8")
        except (ConfigurationError, OSError) as error:
            self._node.get_logger().warning(
                f"{topic} is not recorded: {in_words(error)}", throttle_duration_sec=LOG
            )
            return
        self.add_message_type(name, text)
        self._follow(topic, name, kind)

    def _follow(self, topic: str, name: str, kind: Any) -> None:
        """Record a topic, what was published last included."""
        self._followed[topic] = self._node.create_subscription(
            kind, topic, lambda data: self.write(topic, name, 0, data), LATCHED, raw=True
        )

    def loss(self) -> str:
        """Say what is missing in the bag; empty if nothing is."""
        lost = self._lost + (0 if self._writer is None else self._writer.lost)
        if not lost:
            return ""
        return (
            f"{lost} messages are missing in {self._folder}: the disk was full or too slow, or the "
            f"bag was removed.{self._standstill()}"
        )

    def _standstill(self) -> str:
        """Say that nothing is recorded now, and what helps; empty while something is."""
        if self._writer is None or not self._writer.failed:
            return ""
        return (
            " Nothing is recorded now: that goes on by itself, in a bag beside it, within "
            f"{RETRY:g} s of {1e-6 * ROOM:g} MB being free. Or start the sampler anew with "
            "another bag."
        )

    def close(self) -> None:
        """End the bag; further calls change nothing."""
        if self._writer is None:
            return
        writer, self._writer = self._writer, None
        while self._followed:
            self._node.destroy_subscription(self._followed.popitem()[1])
        try:
            path = writer.close()
            self._node.get_logger().info(f"{self._what.capitalize()} were recorded in {path}")
        except RecordingError as error:
            self._node.get_logger().error(str(error))


def _check_folder(folder: Path) -> None:
    """Raise unless a bag's folder could be made."""
    place = next(x for x in (folder, *folder.parents) if x.exists())
    if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
        raise RecordingError(
            f"The bag {folder} could not be written: {place} is no folder that this user may write "
            "to. Choose another one."
        )


def _qos(profile: QoSProfile) -> Qos:
    """Return a quality of service as a bag tells it."""
    return Qos(
        QosHistory[profile.history.name],
        profile.depth,
        QosReliability[profile.reliability.name],
        QosDurability[profile.durability.name],
        _time(profile.deadline),
        _time(profile.lifespan),
        QosLiveliness[profile.liveliness.name],
        _time(profile.liveliness_lease_duration),
        bool(profile.avoid_ros_namespace_conventions),
    )


def _time(duration: Duration) -> QosTime:
    return QosTime(*divmod(duration.nanoseconds, 10**9))
