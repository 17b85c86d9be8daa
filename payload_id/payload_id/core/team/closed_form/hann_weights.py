"""Weights of means, slopes and bends over a stretch of samples: a Hann window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array


@dataclass(frozen=True)
class Weights:
    """A Hann window over a stretch of M + 1 samples with equal steps.

    Attributes:
        away: Instants from its beginning, shape (M + 1,) [s].
        value: w times the step, shape (M + 1,), sum 1.
        slope: Weights of -int w' f dt, shape (M + 1,) [1/s]; what the trapezoid rule leaves out
            at the ends, where w'' does not vanish, is taken out (Euler-Maclaurin).
        bend: Weights of int w'' f dt, shape (M + 1,) [1/s2].
        step: [s].
        length: [s].
    """

    away: Array
    value: Array
    slope: Array
    bend: Array
    step: float
    length: float

    @property
    def coarse(self) -> Weights:
        """The same window on every second sample."""
        return Weights._on(len(self.away) // 2, self.length)

    @classmethod
    def of(cls, length: float, step: float) -> Weights:
        """Return the window of a length [s] on steps of about a step [s]."""
        return cls._on(max(8, 2 * round(length / step / 2)), length)

    @classmethod
    def _on(cls, M: int, length: float) -> Weights:
        """Return the window on M equal steps."""
        h, s = length / M, np.arange(M + 1) / M
        value = h / length * (1.0 - np.cos(2.0 * np.pi * s))
        slope = -h * 2.0 * np.pi / length**2 * np.sin(2.0 * np.pi * s)
        curve = (2.0 * np.pi / length) ** 2 / length  # w'' at both ends
        slope[0] -= h**2 / 12.0 * curve
        slope[-1] += h**2 / 12.0 * curve
        slope /= slope @ (length * s)  # exact for what changes evenly
        bend = h * curve * np.cos(2.0 * np.pi * s)
        bend[[0, -1]] *= 0.5
        return cls(length * s, value, slope, bend, h, length)
