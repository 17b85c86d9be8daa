r"""From torque to what is published as effort: gain, offset, drift, filter, noise, steps.

    y = (1 + g + g_T D) T + o + o_T D + h u,    u <- clip(u + dT / T_w, -1, 1),

D the warmth; then a low-pass and a delay, noise, and rounding to whole steps. A torque sensor and a
motor current times a constant are both of this form; they differ in what T is made of.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array
from .clipped_walk import Slip
from .late_signal import Lag, quantised


@dataclass(frozen=True)
class TorqueSignal:
    """Torque sensors, or current sensors with their constants, of n drives.

    Attributes:
        gain: g, shape (n,) [-].
        gain_drift: g_T, shape (n,) [1/K].
        offset: o, shape (n,) [N m].
        offset_drift: o_T, shape (n,) [N m/K].
        hysteresis: h, shape (n,) [N m].
        slip: u, with T_w the torque in which the hysteresis turns over [N m].
        lag: Low-pass and delay.
        noise: Standard deviation of white normal noise in each published value, shape (n,) [N m].
        step: Of the published value, shape (n,) [N m].
    """

    gain: Array
    gain_drift: Array
    offset: Array
    offset_drift: Array
    hysteresis: Array
    slip: Slip
    lag: Lag
    noise: Array
    step: Array

    def through(self, torque: Array, warmth: Array, step: float) -> tuple[Array, TorqueSignal]:
        """Return the late signal before noise, shape (N, n) [N m], and it as that leaves it.

        Args:
            torque: T, shape (N, n) [N m].
            warmth: D, same shape [K].
            step: Time between two instants [s].
        """
        u, slip = self.slip.through(torque)
        y = (1.0 + self.gain + self.gain_drift * warmth) * torque
        y = y + self.offset + self.offset_drift * warmth + self.hysteresis * u
        late, lag = self.lag.through(y, step)
        return late, replace(self, slip=slip, lag=lag)

    def published(self, clean: Array, rng: np.random.Generator) -> Array:
        """Return values with noise, in whole steps, shape (N, n) [N m]."""
        return quantised(clean + self.noise * rng.standard_normal(clean.shape), self.step)
