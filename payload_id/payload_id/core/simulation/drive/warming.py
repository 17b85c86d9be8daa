r"""Temperature of drives: from where they start towards where their motion brings them.

    dT/dt = (T_room + R a - T) / t_w,    a = min(|v| / V, 1),

R what a drive in steady fast motion gains over the room, t_w the time that it takes. Friction's own
change is not fed back: R is a constant of the drive.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.signal import lfilter

from ...arrays import Array

BUSY = 0.5  # V, speed from which a drive counts as in fast motion [rad/s]


@dataclass(frozen=True)
class Warming:
    """Temperatures of n drives.

    Attributes:
        room: T_room [degrees Celsius].
        rise: R, shape (n,) [K].
        time: t_w [s].
    """

    room: float
    rise: Array
    time: float

    def temperature(self, velocity: Array, step: float, start: Array) -> Array:
        """Return temperatures at all instants.

        Args:
            velocity: Shape (N, n) [rad/s].
            step: Time between two instants [s].
            start: Temperature before the first one, shape (n,) [degrees Celsius].

        Returns:
            temperature: Shape (N, n) [degrees Celsius].
        """
        target = self.rise * np.minimum(np.abs(velocity) / BUSY, 1.0)
        keep = float(np.exp(-step / self.time))
        over = np.asarray(start, dtype=float) - self.room
        above, _ = lfilter([1.0 - keep], [1.0, -keep], target, axis=0, zi=keep * over[np.newaxis])
        return np.asarray(self.room + above)

    def after(self, busy: float) -> Array:
        """Return temperatures after fast motion for a time [s], from room temperature, (n,)."""
        return np.asarray(self.room + self.rise * (1.0 - np.exp(-busy / self.time)))
