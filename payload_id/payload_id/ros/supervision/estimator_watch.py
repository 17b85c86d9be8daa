"""What an estimator says, and whether it runs: it would notice another payload in the hand."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping

from diagnostic_msgs.msg import DiagnosticStatus
from payload_id_msgs.msg import PayloadEstimate
from rclpy.node import Node

from ..common.timeouts import SILENT
from ..common.topics import LATCHED


class EstimatorWatch:
    """Hears an estimator; one that was never heard is not missed.

    Attributes:
        name: Of its node.
        estimate: Its newest; None before the first.
        figures: Of its condition.
    """

    def __init__(self, node: Node, name: str) -> None:
        """Listen.

        Args:
            node: The node, with an executor that serves it.
            name: Of the estimator's node.
        """
        self._node, self.name = node, name
        self.estimate: PayloadEstimate | None = None
        self.figures: Mapping[str, str] = {}
        self._heard = -math.inf  # when its condition was, by `time.monotonic` [s]
        node.create_subscription(PayloadEstimate, f"{name}/payload", self.take, LATCHED)
        node.create_subscription(DiagnosticStatus, f"{name}/condition", self.hear, LATCHED)

    def take(self, estimate: PayloadEstimate) -> None:
        """Take in an estimate."""
        self.estimate = estimate

    def hear(self, condition: DiagnosticStatus) -> None:
        """Take in how it is."""
        self._heard = time.monotonic()
        self.figures = {x.key: x.value for x in condition.values}

    @property
    def absence(self) -> str:
        """Say that it is not heard any more, and what to do; empty while it is."""
        silence = time.monotonic() - self._heard
        if not SILENT < silence < math.inf:
            return ""
        return (
            f"The estimator {self._node.resolve_service_name(self.name)} was last heard "
            f"{silence:.0f} s ago, so nobody would notice another payload in the hand: see whether "
            "it runs, or start it anew."
        )
