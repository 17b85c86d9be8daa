"""Standing still: anywhere on the path of a motion, or at one pose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Array
from ...motion.trajectory import Motion, MotionRanges, Trajectory

FAMILY = "held_still"


@dataclass(frozen=True)
class HeldStill:
    """The poses of a motion, each without velocity and acceleration: what a hold needs.

    Attributes:
        motion: Whose path it is.
    """

    motion: Trajectory

    @property
    def duration(self) -> float:
        """Length of the motion [s]."""
        return self.motion.duration

    def at(self, time: Array) -> Motion:
        """Return the poses at times in [0, duration], shape (N,) [s]."""
        there = self.motion.at(time)
        return Motion(there.time, there.q, 0.0 * there.dq, 0.0 * there.ddq)

    def ranges(self, edges: Array) -> MotionRanges:
        """Return rigorous extrema on the slices between edges, shape (K + 1,) [s].

        Raises:
            InputError: The edges do not increase or leave [0, duration].
        """
        found = self.motion.ranges(edges)
        still = np.zeros_like(found.q_lower)
        return MotionRanges(found.edges, found.q_lower, found.q_upper, *[still] * 4)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists: for people; no family reads them back as a motion.

        A trajectory read from a file must move as its positions do, which this one does not.
        """
        return {"family": FAMILY, "motion": self.motion.to_dict()}


@dataclass(frozen=True)
class Standing:
    """One pose, for a second.

    Attributes:
        q: Joint positions, shape (n,) [rad or m].
    """

    q: Array
    duration: float = 1.0

    def at(self, time: Array) -> Motion:
        """Return the pose at times, shape (N,) [s]."""
        still = np.zeros((len(time), len(self.q)))
        return Motion(time, still + self.q, still, still)

    def ranges(self, edges: Array) -> MotionRanges:
        """Return the extrema on the slices between edges, shape (K + 1,) [s]."""
        there = self.at(edges[1:])
        return MotionRanges(edges, there.q, there.q, *[there.dq] * 4)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists: for people; no family reads them back as a motion."""
        return {"family": FAMILY, "q": self.q.tolist()}
