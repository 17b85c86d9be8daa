"""Diagnostics as ROS tools show them: a level, a sentence, and figures."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from .error_sentence import OUTLIVED
from .steady_timer import steady_timer
from .timeouts import TELL
from .topics import LATCHED

LIFECYCLE = "lifecycle"  # figure of a condition: the node's state
RECENT = 10.0  # for which an error that was outlived makes the condition no better than WARN [s]


class Level(Enum):
    """How bad it is."""

    OK = DiagnosticStatus.OK  # as it should be
    WARN = DiagnosticStatus.WARN  # it works, or soon will; somebody should look
    ERROR = DiagnosticStatus.ERROR  # it does not do what it is for
    STALE = DiagnosticStatus.STALE  # nobody judges it now: the node is not active


WORDS = {Level.OK.value: "ok", Level.WARN.value: "warning", Level.ERROR.value: "error",
         Level.STALE.value: "stale"}  # fmt: skip


@dataclass(frozen=True)
class Condition:
    """The state of something.

    Attributes:
        level: How bad it is.
        sentence: What was found, what is expected, what to do.
        figures: Numbers by name and unit.
    """

    level: Level
    sentence: str
    figures: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def of(cls, figures: Mapping[str, object], *remarks: tuple[Level, str]) -> Condition:
        """Return the condition of which the first remark tells; empty texts are none."""
        level, said = next(remark for remark in remarks if remark[1])
        return cls(level, said, figures)


def publish_diagnostics(
    node: Node, subject: str, hardware: Callable[[], str], judge: Callable[[], Condition]
) -> Callable[[], None]:
    """Have a node publish a condition on /diagnostics and `~/condition` every second.

    Args:
        node: The node.
        subject: What it is the condition of, such as "joint states".
        hardware: Returns the name of the robot.
        judge: Returns the condition.

    Returns:
        publish: Publishes it at once, as well.
    """
    publisher = node.create_publisher(DiagnosticArray, "/diagnostics", 10)
    own = node.create_publisher(DiagnosticStatus, "~/condition", LATCHED)
    namespace = node.get_namespace()
    where = "" if namespace == "/" else f" in {namespace}"
    name = f"{node.get_name()}: {subject}{where}"

    def publish() -> None:
        condition = with_errors(judge)
        stamp = node.get_clock().now().to_msg()
        message = diagnostics_message(condition, name, f"{hardware()}{where}", stamp)
        publisher.publish(message)
        own.publish(message.status[0])

    steady_timer(node, TELL, publish)
    return publish


def with_errors(judge: Callable[[], Condition]) -> Condition:
    """Return a condition with what callbacks and threads of this process have raised."""
    try:
        condition = judge()
    except Exception as error:  # that must be told, too
        OUTLIVED.note(error)
        condition = Condition(Level.ERROR, OUTLIVED.newest)
    if not OUTLIVED.count:
        return condition
    figures = {**condition.figures, "errors outlived": OUTLIVED.count, "newest": OUTLIVED.newest}
    if condition.level is Level.OK and time.monotonic() - OUTLIVED.at < RECENT:
        return Condition(Level.WARN, f"{OUTLIVED.newest} {condition.sentence}", figures)
    return replace(condition, figures=figures)


def diagnostics_message(
    condition: Condition, name: str, hardware: str, stamp: Time
) -> DiagnosticArray:
    """Return a condition as a message.

    Args:
        condition: The condition.
        name: What it is the condition of, such as "payload_sampler: joint states".
        hardware: Name of the robot.
        stamp: When it was found.
    """
    values = [KeyValue(key=key, value=_text(x)) for key, x in condition.figures.items()]
    status = DiagnosticStatus(
        level=condition.level.value,
        name=name,
        message=condition.sentence,
        hardware_id=hardware,
        values=values,
    )
    message = DiagnosticArray(status=[status])
    message.header.stamp = stamp
    return message


def _text(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
