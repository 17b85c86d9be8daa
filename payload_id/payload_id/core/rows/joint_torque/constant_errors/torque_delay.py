r"""Torques that are late, or early, by a constant time against positions and velocities.

A reading r(t) that shows the torque of the time t - delay, T(t) = r(t + delay), gives

    int T dt = int r dt + delay (r(t2) - r(t1)) + rest,

one column for each joint. The rest is at most delay^2 times the largest slope of r, at one end and
at the other; r is taken to change no faster next to a window than in it, but for Coulomb friction,
which steps where a velocity passes zero there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arrays import Array
from .constant_error import Effect, Window


@dataclass(frozen=True)
class TorqueDelay:
    """Delay of each joint's torque, of either sign.

    Attributes:
        size: Largest delay, shape (n,) [s].
        gain: By how much more than the reading the torque can be, shape (n,) [-].
        friction: Largest Coulomb friction, shape (n,) [N m or N].
        slow: Speed below which its sign is not known, shape (n,) [rad/s or m/s].
        joints: Names.
    """

    size: Array
    gain: Array
    friction: Array
    slow: Array
    joints: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """One for each joint whose torque may be late."""
        return tuple(f"{self.joints[j]}.torque_delay" for j in np.flatnonzero(self.size))

    def effect(self, window: Window) -> Effect:
        """Return what it does to the equations of a window."""
        n, late = len(self.size), np.flatnonzero(self.size)
        r, error = window.reading, window.reading_error
        change, unsure = r[-1] - r[0], error[0] + error[-1]
        steps = np.diff(window.samples.stamp)[:, None]
        slope = ((np.abs(np.diff(r, axis=0)) + error[1:] + error[:-1]) / steps).max(axis=0)
        rest = self.size * (unsure + self.gain * (np.abs(change) + unsure))
        rest += (1.0 + self.gain) * self.size**2 * slope + self._steps(window)
        columns = np.zeros((n, n))
        columns[range(n), range(n)] = -self.size * change
        return Effect(columns[:, late], np.where(self.size > 0.0, rest, 0.0), np.zeros((n, 10)))

    def _steps(self, window: Window) -> Array:
        """Return what friction that steps next to the window's ends can add, shape (n,)."""
        dq, stamp = window.samples.dq, window.samples.stamp
        fastest = (np.abs(np.diff(dq, axis=0)) / np.diff(stamp)[:, None]).max(axis=0)
        near = np.abs(dq[[0, -1]]) <= self.slow + self.size * fastest
        return np.asarray(2.0 * self.friction * self.size * near.sum(axis=0))
