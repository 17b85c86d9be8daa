"""Candidates that go there and back: see `there_and_back`; linear in the parameters of the path."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...errors import InputError
from ...motion.limits import MotionLimits
from ...motion.motion_sequence import MotionSequence
from ...motion.motion_state import MotionState
from ...motion.there_and_back import there_and_back
from ...motion.trajectory import Motion
from .wave_candidates import WaveFamily

REST = 0.2  # [s] at the pose where the arm turns


@dataclass(frozen=True)
class ThereAndBackFamily:
    """Wave pieces from rest, a rest at their ends, and the same pieces backwards.

    Attributes:
        path: The pieces.
        rest: How long the arm rests where it turns [s].
    """

    path: WaveFamily
    rest: float

    @classmethod
    def within(
        cls, start: Array, duration: float, limits: MotionLimits, rest: float = REST
    ) -> ThereAndBackFamily:
        """Return the motions from a pose.

        Args:
            start: Pose at both ends, shape (n,) [rad or m].
            duration: Of the whole motion [s].
            limits: Position, velocity and acceleration that candidates keep.
            rest: How long the arm rests where it turns [s].

        Raises:
            InputError: The rest leaves no time to move, or limits leave no path.
        """
        if not 0.0 < rest < duration:
            raise InputError(
                f"A motion there and back of {duration:g} s cannot rest for {rest:g} s; give it "
                "more time."
            )
        state = MotionState.at_rest(start)
        return cls(WaveFamily.within(state, (duration - rest) / 2, limits), rest)

    @property
    def size(self) -> int:
        """Number of parameters: those of the path."""
        return self.path.size

    @property
    def duration(self) -> float:
        """Length of each motion [s]."""
        return 2.0 * self.path.duration + self.rest

    @property
    def calm(self) -> Array:
        """Parameters of the motion with the least acceleration, shape (P,)."""
        return self.path.calm

    def drawn(self, x: Array) -> Array:
        """Return candidates of which every joint is as near the calm one as its limits ask."""
        return self.path.drawn(x)

    def motion(self, x: Array, time: Array) -> Motion:
        """Return candidates x, shape (C, P), at times (N,) [s]: q, dq, ddq of shape (C, N, n)."""
        time = np.asarray(time, dtype=float)
        length, back = self.path.duration, self.path.duration + self.rest
        there = self.path.motion(
            x, np.where(time < back, np.minimum(time, length), self._left(time))
        )
        moving = np.where((time > length) & (time < back), 0.0, 1.0)[:, None]
        way = np.where(time < back, 1.0, -1.0)[:, None]
        return Motion(time, there.q, way * moving * there.dq, moving * there.ddq)

    def _left(self, time: Array) -> Array:
        """Return how much is left of the motion, at most the path's length, shape (N,) [s]."""
        return np.clip(self.duration - time, 0.0, self.path.duration)

    def trajectory(self, x: Array) -> MotionSequence:
        """Return the motion of one candidate, x of shape (P,)."""
        return there_and_back(self.path.trajectory(x), self.rest)
