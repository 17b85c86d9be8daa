"""Candidates that go there and back: see `there_and_back`; linear in the parameters of the path.

The path is made of wave pieces from rest to rest, as many as joints can use at their speed.
"""

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
from ...motion.wave import WavePiece
from .wave_candidates import WaveFamily

REST = 0.2  # [s] at the pose where the arm turns
SHORTEST = 2.4  # [s] of a piece
SWING = 2.8  # [rad or m] a piece lasts at least so long that a joint at its limit goes as far


@dataclass(frozen=True)
class ThereAndBackFamily:
    """Wave pieces one after the other, a rest at their end, and all of it backwards.

    Attributes:
        piece: Each of the pieces, as if it began at the start.
        count: Number of pieces.
        rest: How long the arm rests where it turns [s].
        duration: Length of each motion [s].
    """

    piece: WaveFamily
    count: int
    rest: float
    duration: float

    @classmethod
    def within(
        cls, start: Array, duration: float, limits: MotionLimits, rest: float = REST
    ) -> ThereAndBackFamily:
        """Return the motions from a pose; limits of position shape the first piece alone.

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
        path = (duration - rest) / 2
        count = max(1, int(path / max(SHORTEST, SWING / float(np.median(limits.velocity)))))
        state = MotionState.at_rest(start)
        return cls(WaveFamily.within(state, path / count, limits), count, rest, duration)

    @property
    def size(self) -> int:
        """Number of parameters: those of the pieces, the first one's first."""
        return self.count * self.piece.size

    @property
    def calm(self) -> Array:
        """Parameters of the motion with the least acceleration, shape (P,)."""
        return np.tile(self.piece.calm, self.count)

    def drawn(self, x: Array) -> Array:
        """Return candidates whose pieces are as near the calm ones as limits ask."""
        return np.hstack([self.piece.drawn(part) for part in np.hsplit(x, self.count)])

    def motion(self, x: Array, time: Array) -> Motion:
        """Return candidates x, shape (C, P), at times (N,) [s]: q, dq, ddq of shape (C, N, n)."""
        time, length = np.asarray(time, dtype=float), self.piece.duration
        turn = self.count * length
        back = turn + self.rest
        local = np.clip(np.where(time < back, time, self.duration - time), 0.0, turn)
        which = np.minimum((local / length).astype(int), self.count - 1)
        found = np.empty((3, len(x), len(time), self.piece.n))
        offset: Array = np.zeros((len(x), 1, self.piece.n))
        for i, part in enumerate(np.hsplit(x, self.count)):
            here = which == i
            there = self.piece.motion(part, np.clip(local[here] - i * length, 0.0, length))
            found[:, :, here] = there.q + offset, there.dq, there.ddq
            offset = offset + self._k(part)[:, None]
        found[1:, :, (time > turn) & (time < back)] = 0.0
        found[1, :, time >= back] *= -1.0
        return Motion(time, *found)

    def _k(self, x: Array) -> Array:
        """Return the displacements of pieces of parameters x, shape (..., n) [rad or m]."""
        return self.piece.bezier.k(x[..., : self.piece.n])

    def trajectory(self, x: Array) -> MotionSequence:
        """Return the motion of one candidate, x of shape (P,)."""
        parts, start = [], self.piece.bezier.start
        for part in np.split(x, self.count):
            made = self.piece.trajectory(part)
            parts.append(WavePiece(start, made.k, made.wave, made.duration))
            start = MotionState.at_rest(start.q + made.k)
        path = MotionSequence(tuple(parts), (self.piece.duration,) * self.count)
        return there_and_back(path if self.count > 1 else parts[0], self.rest)
