"""Whether the estimator still runs, which would notice another payload in the hand."""

from __future__ import annotations

import time
from collections.abc import Callable

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node

from ..common.topics import LATCHED

UNHEARD = 5.0  # [s] without its condition, which comes every second


class EstimatorWatch:
    """Hears an estimator's condition; one that was never heard is not missed.

    Attributes:
        told: Called with each condition; None: nobody.
    """

    def __init__(self, node: Node, name: str) -> None:
        """Listen.

        Args:
            node: The node, with an executor that serves it.
            name: Of the estimator's node.
        """
        self.told: Callable[[DiagnosticStatus], object] | None = None
        self._name = node.resolve_service_name(name)
        self._heard: float | None = None  # when [s]
        node.create_subscription(DiagnosticStatus, f"{name}/condition", self._hear, LATCHED)

    def _hear(self, message: DiagnosticStatus) -> None:
        """Note that it is there."""
        self._heard = time.monotonic()
        if self.told is not None:
            self.told(message)

    @property
    def absence(self) -> str:
        """Say that it is not heard any more, and what to do; empty while it is."""
        silence = 0.0 if self._heard is None else time.monotonic() - self._heard
        if silence <= UNHEARD:
            return ""
        return (
            f"The estimator {self._name} was last heard {silence:.0f} s ago, so "
            "nobody would notice another payload in the hand: see whether it runs, or start it "
            "anew."
        )
