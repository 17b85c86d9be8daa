"""Timers that run also while simulated time stands still."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.timer import Timer


def steady_timer(node: Node, period: float, callback: Callable[[], object]) -> Timer:
    """Have a node call back every `period` [s], by a clock that nobody sets."""
    return node.create_timer(period, callback, clock=Clock(clock_type=ClockType.STEADY_TIME))
