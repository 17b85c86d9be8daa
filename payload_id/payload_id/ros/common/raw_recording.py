"""The bag that a sampler makes of what it receives."""

from __future__ import annotations

from pathlib import Path

from rclpy.node import Node
from std_msgs.msg import String

from ...core.errors import RecordingError
from ...files.bags.bag_writer import BagWriter
from .topics import LATCHED


class RawRecording:
    """Records messages as received, if a folder is given; says on `~/bag` where, empty: nowhere."""

    def __init__(self, node: Node, folder: str, storage: str, what: str) -> None:
        """Begin.

        Args:
            node: The sampler.
            folder: The bag's folder; if it exists, the next free name is taken; empty: no bag.
            storage: "mcap" or "sqlite3".
            what: What is recorded, such as "joint states".

        Raises:
            RecordingError: The folder cannot be created.
        """
        self._node, self._what = node, what
        self._writer: BagWriter | None = None
        if folder:
            path = Path(folder).expanduser().resolve()
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = BagWriter(path, storage)
            node.get_logger().info(f"Recording {what} in {self.path}")
        self._place = node.create_publisher(String, "~/bag", LATCHED)
        self._place.publish(String(data=self.path))

    @property
    def path(self) -> str:
        """Folder of the bag; empty if none is made."""
        return "" if self._writer is None else str(self._writer.path)

    def add_message_type(self, name: str, definition: str) -> None:
        """Have the bag know a message type of this package."""
        if self._writer is not None:
            self._writer.add_message_type(name, definition)

    def write(self, topic: str, kind: str, received_ns: int, data: bytes) -> None:
        """Record one message; a stamp of 0 means now."""
        if self._writer is not None:
            stamp_ns = received_ns or self._node.get_clock().now().nanoseconds
            self._writer.write(topic, kind, stamp_ns, data)

    def loss(self) -> str:
        """Say what is missing in the bag; empty if nothing is."""
        if self._writer is None or not self._writer.lost:
            return ""
        return (
            f"{self._writer.lost} messages are missing in {self.path}: the disk is full or too "
            "slow."
        )

    def close(self) -> None:
        """End the bag; further calls change nothing."""
        if self._writer is None:
            return
        writer, self._writer = self._writer, None
        try:
            path = writer.close()
            self._node.get_logger().info(f"{self._what.capitalize()} were recorded in {path}")
        except RecordingError as error:
            self._node.get_logger().error(str(error))
