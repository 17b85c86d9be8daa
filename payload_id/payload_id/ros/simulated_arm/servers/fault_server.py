"""Topics that say whether the arm follows its controller, and services that end a fault.

They are those of the robot file's section `driver`, where their message packages are installed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.node import Node

from ....core.errors import ConfigurationError
from ....files.drivers.driver_facts import Condition, DriverFacts
from ...common.steady_timer import steady_timer
from ...common.timeouts import LOOK
from ...supervision.named_types import named_type


class FaultServer:
    """Shows and ends faults as the driver does."""

    def __init__(
        self,
        node: Node,
        driver: DriverFacts,
        in_fault: Callable[[], bool],
        reset: Callable[[], object],
    ) -> None:
        """Offer what the robot file names.

        Args:
            node: The node.
            driver: What the robot file says of the driver.
            in_fault: Whether the arm is in fault.
            reset: Ends the fault; it is called by the last of the services that do.
        """
        self._log, self._in_fault, self._reset = node.get_logger(), in_fault, reset
        stated: dict[str, list[Condition]] = {}
        for condition in driver.follows_while.values():
            stated.setdefault(condition.topic, []).append(condition)
        self._topics = [
            (conditions, kind, node.create_publisher(kind, topic, 1))
            for topic, conditions in stated.items()
            if (kind := self._kind(conditions[0].type, topic)) is not None
        ]
        for step in driver.reset.values():
            if (kind := self._kind(step.type, step.service)) is not None:
                last = step is [*driver.reset.values()][-1]
                node.create_service(
                    kind, step.service, lambda request, answer, last=last: self._on(last, answer)
                )
        if self._topics:
            steady_timer(node, LOOK, self._publish)

    def _kind(self, full: str, name: str) -> Any:
        """Return a type by its full name, package/msg/Name; None if it is not installed."""
        try:
            return named_type(full)
        except ConfigurationError as error:
            self._log.info(f"{name} is left out: {error}")
            return None

    def _publish(self) -> None:
        """Publish whether the arm follows its controller."""
        for conditions, kind, publisher in self._topics:
            message = kind()
            for condition in conditions:
                of_type = type(getattr(message, condition.field))
                setattr(message, condition.field, of_type(self._value(condition)))
            publisher.publish(message)

    def _value(self, condition: Condition) -> float:
        """Return a value of a condition's field: one that is allowed, or one that is not."""
        if not self._in_fault():
            return condition.allowed[0]
        return next(x for x in range(len(condition.allowed) + 1) if not condition.holds(x))

    def _on(self, last: bool, answer: Any) -> Any:
        """End the fault, if this is the last step; say that all is well."""
        if last:
            self._reset()
        if hasattr(answer, "success"):
            answer.success = True
        return answer
