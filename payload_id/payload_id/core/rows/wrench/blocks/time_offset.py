"""A wrench that is late or early by a constant time tau against the motion.

It adds tau dT/dt, whose integral over a window is tau (T(t2) - T(t1)), told by the readings at both
ends. What is of second order stands in the coefficients' errors (`newton_euler`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arrays import Array
from ....samples.wrench_samples import WrenchSamples
from ...nuisance import Effect, NuisanceBlock
from ..uncertainty import WrenchUncertainty


@dataclass(frozen=True)
class WrenchWindow:
    """What one window of samples shows.

    Attributes:
        samples: Of the window, N.
        weight: Of each sample in an integral, shape (N,) [s].
        duration: Sum of the weights [s].
    """

    samples: WrenchSamples
    weight: Array
    duration: float


@dataclass(frozen=True)
class TimeOffset(NuisanceBlock[WrenchWindow]):
    """tau.

    Attributes:
        noise: How far the change of two readings may be off, shape (6,) [N, N m].
        drift: ... by the time between them, shape (6,) [N/s, N m/s].
        gain: ... and by their difference, shape (6,) [-].
    """

    noise: Array
    drift: Array
    gain: Array

    @classmethod
    def of(cls, stated: WrenchUncertainty) -> TimeOffset:
        """Return the box of +-time_error."""
        gain = stated.largest_gain
        noise = 2.0 * stated.six("error")
        noise += np.sqrt(2.0) * stated.sigma_factor * stated.six("sigma")
        box = np.zeros(1), np.array([stated.time_error])
        return cls(("time_offset",), *box, gain * noise, gain * stated.six("drift"), gain - 1.0)

    def effect(self, window: WrenchWindow) -> Effect:
        """Return the change of the readings, and by how much that of the wrench may differ."""
        change = window.samples.wrench[-1] - window.samples.wrench[0]
        off = self.noise + self.drift * window.duration + self.gain * np.abs(change)
        return Effect(-change[:, None], self.half_width[0] * off)
