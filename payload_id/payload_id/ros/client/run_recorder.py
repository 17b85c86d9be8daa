"""Recording joint states as received, run by run, by a program that talks to nodes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rclpy.node import Node

from ...core.errors import RecordingError
from ...files.bags.bag_writer import BagWriter
from ...files.bags.joint_states_bag import JOINT_STATE
from ...files.robots.robot_file import RobotFile
from ..common.polled_subscription import joint_state_subscription
from ..common.steady_timer import steady_timer
from ..common.timeouts import LOOK

QUEUE = 4000  # messages that may wait to be taken


class RunRecorder:
    """Makes a bag of the joint states that arrive while `recording` is entered.

    Attributes:
        received: Joint states so far, recorded or not.
    """

    def __init__(self, node: Node, robot: RobotFile, topic: str, reliability: str = "") -> None:
        """Subscribe.

        Args:
            node: A node that an executor in another thread serves.
            robot: Its robot file.
            topic: Of the joint states.
            reliability: "reliable" or "best_effort"; empty: as the robot file says.
        """
        self._node, self.received = node, 0
        self._states = joint_state_subscription(node, robot, QUEUE, reliability, topic)
        self._writer: BagWriter | None = None
        self._lock = threading.Lock()
        steady_timer(node, LOOK, self._on_due)

    @property
    def topic(self) -> str:
        """Topic of the joint states."""
        return self._states.topic

    @contextmanager
    def recording(self, folder: Path) -> Iterator[Path]:
        """Record meanwhile; the data are on disk once it is left, for whatever reason.

        Args:
            folder: The bag's; if it exists, the next free name is taken.

        Yields:
            path: The folder.

        Raises:
            RecordingError: The bag cannot be written, or misses messages.
        """
        writer = BagWriter(folder)
        self._write_to(writer)
        try:
            yield writer.path
        finally:
            self._write_to(None)
            writer.close()
        if writer.lost:
            raise RecordingError(
                f"{writer.lost} messages are missing in {writer.path}: the disk is too slow."
            )

    def _write_to(self, writer: BagWriter | None) -> None:
        """Give what has arrived to the bag of until now, and what follows to another one."""
        with self._lock:
            self._take()
            self._writer = writer

    def _on_due(self) -> None:
        """Take what has arrived."""
        with self._lock:
            self._take()

    def _take(self) -> None:
        """Record what has arrived, if that is wanted."""
        for data, received_ns in self._states.take_all(QUEUE):
            self.received += 1
            if self._writer is not None:
                stamp_ns = received_ns or self._node.get_clock().now().nanoseconds
                self._writer.write(self.topic, JOINT_STATE, stamp_ns, data)
