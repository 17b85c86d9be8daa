"""The topics of one robot of a team."""

from __future__ import annotations

import time
from collections import Counter

import numpy as np
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy

from ...files.teams.team_file import TeamRobot
from ..common.conversions import decoded, stamp_of
from ..common.polled_subscription import PolledSubscription
from ..common.topic_report import publisher_names, silence_report
from .robot_messages import TYPES, WIDTH, RobotMessages, WrongMessageError, reader_of


class RobotListener:
    """Subscribes to what one robot publishes.

    Attributes:
        robot: The robot.
        received: Messages received.
    """

    def __init__(self, node: Node, robot: TeamRobot, queue: int) -> None:
        """Subscribe.

        Args:
            node: The node.
            robot: The robot.
            queue: Messages of each topic that may wait to be taken.
        """
        self.robot, self.received = robot, 0
        self._node, self._queue = node, queue
        policy = ReliabilityPolicy.RELIABLE if robot.reliable else ReliabilityPolicy.BEST_EFFORT
        profile = QoSProfile(depth=queue, reliability=policy)
        self._topics = {
            kind: PolledSubscription(node, TYPES[kind], topic, profile)
            for kind, topic in robot.topics.items()
        }
        self._readers = {kind: reader_of(kind, robot) for kind in self._topics}
        self._began = time.monotonic()
        self._arrived: dict[str, float] = {}

    def take(self, guided: bool) -> RobotMessages | None:
        """Return what has arrived since the last time; None: nothing has."""
        stamps, rows, dropped = {}, {}, Counter[str]()
        for kind, topic in self._topics.items():
            seen, numbers = [], []
            for data, _ in topic.take_all(self._queue):
                self.received += 1
                self._arrived[kind] = time.monotonic()
                try:
                    at, row = self._read(kind, data)
                except WrongMessageError as error:
                    dropped[f"{kind} {error}"] += 1
                    continue
                seen.append(at)
                numbers.append(row)
            if seen:
                stamps[kind] = np.array(seen, dtype=np.int64)
                rows[kind] = np.array(numbers, dtype=float).reshape(len(seen), WIDTH[kind])
        heard = RobotMessages(self.robot.name, stamps, rows, guided, dropped)
        return heard if len(heard) else None

    def forget(self) -> None:
        """Let go what has arrived so far."""
        for topic in self._topics.values():
            topic.forget()
        self._began = time.monotonic()

    @property
    def age(self) -> float:
        """Time since the newest message of the topic that is silent for longest [s]."""
        now = time.monotonic()
        return max(now - self._arrived.get(kind, -np.inf) for kind in self._topics)

    def silence(self, patience: float) -> str:
        """Say that a topic of the robot has been silent for longer; empty: none has."""
        now = time.monotonic()
        for kind, topic in self._topics.items():
            silent = now - max(self._arrived.get(kind, self._began), self._began)
            if silent > patience:
                package = TYPES[kind].__module__.split(".")[0]
                type_name = f"{package}/msg/{TYPES[kind].__name__}"
                key = f"in robots.{self.robot.name} of the team file, "
                return silence_report(
                    self._node, topic.topic, type_name, silent, self.robot.rate, key,
                    f"robot {self.robot.name}",
                )  # fmt: skip
        return ""

    def rivalry(self) -> str:
        """Say that several nodes publish one of the robot's topics; empty: none has more."""
        for topic in self._topics.values():
            publishers = publisher_names(self._node, topic.topic)
            if len(publishers) > 1:
                return (
                    f"{len(publishers)} nodes publish {topic.topic}: {', '.join(publishers)}. What "
                    f"all of them say is taken for that of {self.robot.name}: end all but its own."
                )
        return ""

    def _read(self, kind: str, data: bytes) -> tuple[int, object]:
        """Return stamp and numbers of a message.

        Raises:
            WrongMessageError: It holds none.
        """
        message = decoded(data, TYPES[kind])
        if message is None:
            raise WrongMessageError("in a form that cannot be decoded")
        at = stamp_of(message.header.stamp)
        if at == 0:
            raise WrongMessageError("without a stamp")
        return at, self._readers[kind](message)
