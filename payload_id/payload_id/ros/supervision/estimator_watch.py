"""Whether the estimator still runs, which would notice another payload in the hand."""

from __future__ import annotations

from collections.abc import Callable

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node

from ..common.topics import LATCHED
from ..execution.silence import Silence

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
        self._silence: Silence | None = None
        node.create_subscription(DiagnosticStatus, f"{name}/condition", self._hear, LATCHED)

    def _hear(self, message: DiagnosticStatus) -> None:
        """Note that it is there."""
        self._silence = Silence()
        if self.told is not None:
            self.told(message)

    def look(self) -> None:
        """Count its silence; a timer of the node calls this."""
        if self._silence is not None:
            self._silence.look()

    @property
    def absence(self) -> str:
        """Say that it is not heard any more, and what to do; empty while it is."""
        if self._silence is None or self._silence.seconds <= UNHEARD:
            return ""
        return (
            f"The estimator {self._name} was last heard {self._silence.seconds:.0f} s ago, so "
            "nobody would notice another payload in the hand: see whether it runs, or start it "
            "anew."
        )
