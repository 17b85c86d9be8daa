"""What the certifier said of a motion, as the planner understands it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...arrays import Array


@dataclass(frozen=True)
class Verdict:
    """What the certifier said of one motion.

    Attributes:
        accepted: Whether it is certified.
        answer: Its certificate or refusal.
        reason: Why not, one sentence; empty if accepted.
        missing: By how much a limit is missed, as a part of it; how near it came [-].
        torque: Torque that is missing at each joint, shape (n,) [N m or N]; None if it was not
            refused for torque.
        distance: Distance between bodies that is missing [m]; 0 if it was refused for another.
    """

    accepted: bool
    answer: Any = None
    reason: str = ""
    missing: float = 0.0
    torque: Array | None = None
    distance: float = 0.0
