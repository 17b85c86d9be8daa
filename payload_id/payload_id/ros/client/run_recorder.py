"""Recording joint states as received, run by run, by a program that talks to nodes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rclpy.node import Node
from sensor_msgs.msg import JointState

from ...core.errors import RecordingError
from ...files.bags.bag_writer import BagWriter
from ...files.bags.joint_states_bag import JOINT_STATE
from ...files.robots.robot_file import RobotFile
from ..common.polled_subscription import joint_state_profile

QUEUE = 4000  # messages that may wait to be written


@contextmanager
def recorded(
    node: Node, robot: RobotFile, topic: str, folder: Path, reliability: str = ""
) -> Iterator[tuple[Path, list[int]]]:
    """Record joint states meanwhile; the data are on disk once it is left, for whatever reason.

    Args:
        node: The node, with an executor in another thread.
        robot: Its robot file.
        topic: Topic of the joint states.
        folder: Folder of the bag; if it exists, the next free name is taken.
        reliability: Quality of service; empty: as the robot file says.

    Yields:
        path: The bag.
        received: When each message was [ns].

    Raises:
        RecordingError: The bag cannot be written, or misses messages.
    """
    writer, received = BagWriter(folder), list[int]()

    def write(data: bytes, about: dict[str, Any]) -> None:
        received.append(int(about["received_timestamp"]))
        writer.write(topic, JOINT_STATE, received[-1], data)

    profile = joint_state_profile(robot, QUEUE, reliability)
    subscription = node.create_subscription(JointState, topic, write, profile, raw=True)
    try:
        yield writer.path, received
    finally:
        node.destroy_subscription(subscription)
        writer.close()
    if writer.lost:
        raise RecordingError(
            f"{writer.lost} messages are missing in {writer.path}: the disk is too slow."
        )
