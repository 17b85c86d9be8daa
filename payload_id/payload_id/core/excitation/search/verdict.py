"""What the certifier said of a motion, as the planner understands it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Verdict:
    """What the certifier said of one motion.

    Attributes:
        accepted: Whether it is certified.
        answer: Its certificate or refusal.
        reason: Why not, one sentence; empty if accepted.
    """

    accepted: bool
    answer: Any = None
    reason: str = ""
