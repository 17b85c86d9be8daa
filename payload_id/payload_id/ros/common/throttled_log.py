"""Warnings that would otherwise fill the log."""

from __future__ import annotations

import time

from rclpy.node import Node

LOG_PERIOD = 5.0  # [s] between two log lines about the same thing


class ThrottledLog:
    """Warnings of a node, each subject at most every `LOG_PERIOD`.

    rclpy's own throttle knows lines of code, not subjects.
    """

    def __init__(self, node: Node) -> None:
        """Know no subject yet."""
        self._logger = node.get_logger()
        self._logged: dict[str, float] = {}

    def warn(self, subject: str, sentence: str) -> None:
        """Log a sentence, unless one about the same subject was logged a moment ago."""
        now = time.monotonic()
        if now - self._logged.get(subject, -LOG_PERIOD) >= LOG_PERIOD:
            self._logged[subject] = now
            self._logger.warning(sentence)
