"""Bias, drift and gain of each axis: reading = (1 + g) T + bias + drift (t - t0) + e.

T is the true wrench, t0 the zero of the stamps, so that with 1 / (1 + g) = 1 + g'

    T = reading + g' reading - bias' - drift' (t - t0) - (1 + g') e.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arrays import Array
from ....samples.wrench_samples import AXES
from ...nuisance import Effect, NuisanceBlock
from ..uncertainty import WrenchUncertainty


@dataclass(frozen=True)
class WrenchSums:
    """What windows show of a sensor; as measured of one window, or as predicted of K.

    Attributes:
        duration: Of the windows, shape (..., 1) [s].
        moment: Integral of t - t0, shape (..., 1) [s2].
        reading: Integral of the wrench, shape (..., 6) [N s, N m s].
    """

    duration: Array
    moment: Array
    reading: Array


@dataclass(frozen=True)
class Bias(NuisanceBlock[WrenchSums]):
    """bias'."""

    @classmethod
    def of(cls, stated: WrenchUncertainty) -> Bias:
        """Return the box that the stated biases leave."""
        return cls(*_box("bias", stated.largest_gain * stated.six("bias")))

    def effect(self, window: WrenchSums) -> Effect:
        """Return the time."""
        return _linear(window.duration, window)


@dataclass(frozen=True)
class Drift(NuisanceBlock[WrenchSums]):
    """drift'."""

    @classmethod
    def of(cls, stated: WrenchUncertainty) -> Drift:
        """Return the box that the stated drifts leave."""
        return cls(*_box("drift", stated.largest_gain * stated.six("drift")))

    def effect(self, window: WrenchSums) -> Effect:
        """Return the moment of the time."""
        return _linear(window.moment, window)


@dataclass(frozen=True)
class Gain(NuisanceBlock[WrenchSums]):
    """g'."""

    @classmethod
    def of(cls, stated: WrenchUncertainty) -> Gain:
        """Return the box that the stated gains leave."""
        return cls(*_box("gain", stated.largest_gain - 1.0))

    def effect(self, window: WrenchSums) -> Effect:
        """Return the readings."""
        return _linear(-window.reading, window)

    def growth(self, channels: int) -> Array:
        """Return how the error of the wrench, 1 + g' times the reading's, grows with u."""
        return np.diag(self.half_width)


def _box(kind: str, half_width: Array) -> tuple[tuple[str, ...], Array, Array]:
    """Return names, middles and half-widths of a parameter of each axis."""
    return tuple(f"{kind}.{axis}" for axis in AXES), np.zeros(6), half_width


def _linear(column: Array, window: WrenchSums) -> Effect:
    """Return the effect of a parameter of each axis that leaves nothing out."""
    column = np.broadcast_to(column, window.reading.shape)
    return Effect.of_channels([column], np.zeros(column.shape))
