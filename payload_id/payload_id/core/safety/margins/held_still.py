"""Standing still anywhere on the path of a motion."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ...arrays import Array
from ...motion.piece import Piece
from ...motion.trajectory import Motion, MotionRanges, Trajectory


@dataclass(frozen=True)
class HeldStill(Trajectory):
    """The poses of a motion, each without velocity and acceleration: what a hold needs.

    No family reads it back: a motion from a file moves as its positions do, which this does not.

    Attributes:
        motion: Whose path it is.
    """

    motion: Trajectory
    duration: float = field(init=False)

    family: ClassVar[str] = "held_still"

    def __post_init__(self) -> None:
        object.__setattr__(self, "duration", self.motion.duration)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Those of the motion: the same poses."""
        return self.motion.pieces

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
