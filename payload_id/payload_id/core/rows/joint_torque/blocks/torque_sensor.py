"""Gain and offset of each torque sensor, constant in a run: reading = (1 + g) T + offset.

With 1 / (1 + g) = 1 + g',   T = reading + g' reading - offset'.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....arrays import Array
from ...nuisance import Effect, NuisanceBlock
from .stated import Stated, Sums


@dataclass(frozen=True)
class TorqueOffset(NuisanceBlock[Sums]):
    """The offset, seen at the joint.

    Attributes:
        drift: Largest error of one constant for all times, shape (n,) [N m or N].
        jitter: Largest error of a window's length [s].
    """

    kind: ClassVar[str] = "torque_offset"

    drift: Array
    jitter: float

    @classmethod
    def of(cls, stated: Stated) -> TorqueOffset:
        """Return the box of +-torque_offset, seen at the joint; half of what drifts is beside."""
        gain, offset = stated.largest_gain, stated.each(cls.kind)
        drift = gain * stated.each("torque_drift") / 2
        jitter = 2.0 * stated.bounds.stamp_jitter
        none = np.zeros(len(offset))
        return cls(stated.names(cls.kind), none, gain * offset, drift, jitter)

    def effect(self, window: Sums) -> Effect:
        """Return the time, and what is left of drift and of errors of the stamps."""
        left_out = self.drift * window.duration + self.largest * self.jitter
        return Effect.of_channels([np.broadcast_to(window.duration, left_out.shape)], left_out)


@dataclass(frozen=True)
class TorqueGain(NuisanceBlock[Sums]):
    """g'."""

    kind: ClassVar[str] = "torque_gain"

    @classmethod
    def of(cls, stated: Stated) -> TorqueGain:
        """Return the box that |g| <= torque_gain leaves."""
        half = stated.largest_gain - 1.0
        return cls(stated.names(cls.kind), np.zeros(len(half)), half)

    def effect(self, window: Sums) -> Effect:
        """Return the readings; what noise they have is the bound's to tell."""
        return Effect.of_channels([-window.reading], np.zeros(window.reading.shape))

    def growth(self, channels: int) -> Array:
        """Return how the error of the torque, 1 + g' times the reading's, grows with u."""
        return np.diag(self.half_width / (1.0 + self.centre))
