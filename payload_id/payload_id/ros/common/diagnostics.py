"""Diagnostics as ROS tools show them: a level, a sentence, and figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from .steady_timer import steady_timer

PERIOD = 1.0  # [s]


class Level(Enum):
    """How bad it is."""

    OK = DiagnosticStatus.OK
    WARN = DiagnosticStatus.WARN
    ERROR = DiagnosticStatus.ERROR
    STALE = DiagnosticStatus.STALE


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


def publish_diagnostics(
    node: Node, subject: str, hardware: str, judge: Callable[[], Condition]
) -> None:
    """Have a node publish a condition on /diagnostics every `PERIOD`.

    Args:
        node: The node.
        subject: What it is the condition of, such as "joint states".
        hardware: Name of the robot.
        judge: Returns the condition.
    """
    publisher = node.create_publisher(DiagnosticArray, "/diagnostics", 10)
    name = f"{node.get_name()}: {subject}"

    def publish() -> None:
        condition = judge()
        stamp = node.get_clock().now().to_msg()
        publisher.publish(diagnostics_message(condition, name, hardware, stamp))

    steady_timer(node, PERIOD, publish)


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
