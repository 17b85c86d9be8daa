"""Whether the arm's driver passes commands on: its topics of faults and modes.

In fault a driver drops commands without a word while the controller runs on. What the robot file's
`driver.follows_while` names is heard, whatever its type, where that type's package is here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from ...core.errors import ConfigurationError
from ...files.drivers.driver_facts import Condition, DriverFacts, ResetStep
from ..common.conversions import decoded
from ..common.polled_subscription import PolledSubscription
from .named_types import MissingPackageError, named_type

DEPTH = 100  # messages that may wait between two looks
EVERYBODY = QoSProfile(depth=DEPTH, reliability=ReliabilityPolicy.BEST_EFFORT)
# For what was said before this node came; publishers that keep nothing log that they do not.
EARLIER = QoSProfile(
    depth=DEPTH,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)


class DriverConditions:
    """Listens to one topic, on which one or several conditions rest."""

    def __init__(
        self, node: Node, conditions: Mapping[str, Condition], reset: Iterable[ResetStep]
    ) -> None:
        """Subscribe, if the type is here.

        Args:
            node: The node.
            conditions: Those of one topic and type, by their names.
            reset: What ends a fault.

        Raises:
            ConfigurationError: The type has no such field, or no number in it.
        """
        self._node, self._conditions = node, dict(conditions)
        self._topic, self._type = next((x.topic, x.type) for x in conditions.values())
        self._reset = _remedy(node, reset)
        self._missing, self._now, self._were = "", "", ""
        self._subscriptions: list[PolledSubscription] = []
        self._last: deque[bytes] = deque(maxlen=1)
        try:
            self._kind = named_type(self._type)
        except MissingPackageError as error:
            self._missing = str(error)
            return
        for name, condition in conditions.items():
            _value(self._kind(), name, condition)
        self._subscriptions = [
            PolledSubscription(node, self._kind, self._topic, profile)
            for profile in (EARLIER, EVERYBODY)
        ]

    def look(self) -> str:
        """Say that the driver drops commands, or did since the last look; empty: it does not.

        Every message counts; one that says the same as the last is not looked at again.
        """
        for subscription in self._subscriptions:
            for data, _ in subscription.take_all(DEPTH):
                if data in self._last:
                    continue
                self._last.append(data)
                if (message := decoded(data, self._kind)) is not None:
                    self._hear(message)
        found, self._were = self._were or self._now, ""
        return f"{found}. {self._reset}" if found else ""

    def _hear(self, message: Any) -> None:
        """Judge a message."""
        said = (
            self._sentence(name, condition, _value(message, name, condition))
            for name, condition in self._conditions.items()
        )
        self._now = next(filter(None, said), "")
        self._were = self._were or self._now

    def _sentence(self, name: str, condition: Condition, value: float) -> str:
        """Say that a value is not one with which the arm follows its controller; empty: it is."""
        if condition.holds(value):
            return ""
        allowed = ", ".join(f"{x:g}" for x in condition.allowed)
        return (
            f"{self._node.resolve_topic_name(self._topic)} says {condition.field} {value:g}; the "
            f"arm follows its controller with {allowed} (driver.follows_while.{name} of the robot "
            "file)"
        )

    def unwatched(self) -> Sequence[str]:
        """Say that the topic cannot be heard, or is not."""
        what = f"{self._topic} ({', '.join(self._conditions)})"
        if self._missing:
            return (f"{what}: {self._missing}",)
        if self._node.count_publishers(self._topic) == 0:
            return (f"{what}: nobody publishes it.",)
        return ()


def driver_conditions(node: Node, driver: DriverFacts) -> list[DriverConditions]:
    """Return who listens to each topic of faults and modes."""
    topics: dict[tuple[str, str], dict[str, Condition]] = {}
    for name, condition in driver.follows_while.items():
        topics.setdefault((condition.topic, condition.type), {})[name] = condition
    reset = driver.reset.values()
    return [DriverConditions(node, conditions, reset) for conditions in topics.values()]


def _value(message: Any, name: str, condition: Condition) -> float:
    """Return the number that a condition is about.

    Raises:
        ConfigurationError: There is none.
    """
    try:
        return float(reduce(getattr, condition.field.split("."), message))
    except (AttributeError, TypeError, ValueError) as error:
        raise ConfigurationError(
            f"'driver.follows_while.{name}' of the robot file: {condition.type} has no "
            f"number or flag in the field {condition.field!r}."
        ) from error


def _remedy(node: Node, reset: Iterable[ResetStep]) -> str:
    """Return what ends a fault, as commands that hold in any namespace."""
    if not reset:
        return "Find the cause and end the fault as the arm's manual says."
    calls = ", then ".join(
        f"'ros2 service call {node.resolve_service_name(x.service)} {x.type} \"{x.request}\"'"
        for x in reset
    )
    return f"Find the cause, then end the fault: {calls}."
