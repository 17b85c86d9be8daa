"""A motion along the same path at a fraction of its speed, for dry runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import InputError
from .trajectory import Motion, MotionRanges, Trajectory, checked_edges

FAMILY = "slowed"
OUTWARD = 1.0 + 8.0 * np.finfo(float).eps


@dataclass(frozen=True)
class TimeScaled:
    """q(t) = motion(scale t): speeds become `scale`, accelerations `scale`^2 times as large.

    Attributes:
        motion: What is slowed.
        scale: Above 0, at most 1 [-].
    """

    motion: Trajectory
    scale: float

    def __post_init__(self) -> None:
        if not 0.0 < self.scale <= 1.0:
            raise InputError(
                f"A speed scale must be above 0 and at most 1; found {self.scale!r}. "
                "(10 % is written 0.1.)"
            )

    @property
    def duration(self) -> float:
        """Length of the motion [s]."""
        return self.motion.duration / self.scale

    def at(self, time: Array) -> Motion:
        """Return the motion at times in [0, duration], shape (N,) [s]."""
        time, s = np.asarray(time, dtype=float), self.scale
        there = self.motion.at(np.clip(time * s, 0.0, self.motion.duration))
        return Motion(time, there.q, s * there.dq, s**2 * there.ddq)

    def ranges(self, edges: Array) -> MotionRanges:
        """Return rigorous extrema on the slices between edges, shape (K + 1,) [s].

        Raises:
            InputError: The edges do not increase or leave [0, duration].
        """
        edges, s = checked_edges(edges, self.duration), self.scale
        found = self.motion.ranges(np.clip(edges * s, 0.0, self.motion.duration))
        rates = ("dq_lower", s), ("dq_upper", s), ("ddq_lower", s**2), ("ddq_upper", s**2)
        scaled = [_outward(getattr(found, name) * factor, name) for name, factor in rates]
        return MotionRanges(edges, found.q_lower, found.q_upper, *scaled)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists."""
        return {"family": FAMILY, "motion": self.motion.to_dict(), "scale": self.scale}


def _outward(bound: Array, name: str) -> Array:
    """Move a bound outwards by what its product may have lost to rounding."""
    outward = np.abs(bound) * (OUTWARD - 1.0) + np.finfo(float).tiny
    return np.asarray(bound - outward if name.endswith("lower") else bound + outward)
