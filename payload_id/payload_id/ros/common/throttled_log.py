"""Warnings that would otherwise fill the log."""

from __future__ import annotations

import time

from rclpy.node import Node

from .timeouts import LOG


class ThrottledLog:
    """Warnings of a node, each subject once in a while.

    rclpy's own throttle knows lines of code, not subjects.
    """

    def __init__(self, node: Node) -> None:
        """Know no subject yet."""
        self._logger = node.get_logger()
        self._logged: dict[str, float] = {}

    def warn(self, subject: str, sentence: str) -> None:
        """Log a sentence, unless one about the same subject was logged a moment ago."""
        now = time.monotonic()
        if now - self._logged.get(subject, -LOG) >= LOG:
            self._logged[subject] = now
            self._logger.warning(sentence)
