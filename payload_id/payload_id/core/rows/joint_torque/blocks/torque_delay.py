r"""Torques that are late, or early, by a constant time against positions and velocities.

A reading r(t) that shows the torque of the time t - delay, T(t) = r(t + delay), gives

    int T dt = int r dt + delay (r(t2) - r(t1)) + rest,

one column for each joint; with a weight w, int w T dt = int w r dt - delay int w' r dt + rest. The
rest is at most delay^2 times the largest slope of r within a delay of the window: that in the
window, and what its largest curvature adds on the way. The trapezoid rule sees r, not T, which is
delay h^2/6 of that curvature.

Coulomb friction steps where a velocity passes zero, which r shows a delay later. Samples that still
show the old sign, and the column, leave 2 F h of each step, h the sampling step; where the sign is
not known for a while, 2 F (delay + h); and 2 F delay of a step next to an end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....arrays import Array
from .nuisance_block import Effect, Stated, Window


@dataclass(frozen=True)
class TorqueDelay:
    """Delay of each joint's torque, of either sign.

    Attributes:
        size: Largest delay, shape (n,) [s].
        gain: By how much more than the reading the torque can be, shape (n,) [-].
        friction: Largest friction that turns round with the velocity, shape (n,) [N m or N].
        load: ... beside it, as a fraction of the torque, shape (n,) [-].
        slow: Speed below which its sign is not known, shape (n,) [rad/s or m/s].
        joints: Names.
    """

    size: Array
    gain: Array
    friction: Array
    load: Array
    slow: Array
    joints: tuple[str, ...]
    of_motion_alone: ClassVar[bool] = False

    @classmethod
    def of(cls, stated: Stated) -> TorqueDelay:
        """Return it as it is stated."""
        load = stated.each("friction_load")
        return cls(
            size=stated.each("torque_delay"),
            gain=stated.largest_gain - 1.0,
            friction=stated.dry_friction,
            load=load / (1.0 - load),
            slow=stated.slow,
            joints=stated.joints,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """One for each joint whose torque may be late."""
        return tuple(f"{self.joints[j]}.torque_delay" for j in np.flatnonzero(self.size))

    def effect(self, window: Window) -> Effect:
        """Return what it does to the equations of a window."""
        n, late = len(self.size), np.flatnonzero(self.size)
        r, error = window.reading, window.reading_error
        change, unsure = window.momentum @ r, np.abs(window.momentum) @ error
        steps = np.diff(window.samples.stamp)[:, None]
        slopes = (np.abs(np.diff(r, axis=0)) + error[1:] + error[:-1]) / steps
        bend = self._bend(window)
        slope = slopes.max(axis=0) + bend * (self.size + steps.max())
        rest = self.size * (unsure + self.gain * (np.abs(change) + unsure))
        rest += (1.0 + self.gain) * self.size**2 * slope + self._steps(window)
        rest += (1.0 + self.gain) * self.size * steps.max() ** 2 / 6.0 * bend
        columns = np.zeros((n, n))
        columns[range(n), range(n)] = -self.size * change
        rest = np.where(self.size > 0.0, rest, 0.0)
        return Effect(columns[:, late], rest, np.zeros((n, 10)), np.zeros(n))

    def _steps(self, window: Window) -> Array:
        """Return what steps of friction can add, in the window and next to its ends, shape (n,)."""
        dq, stamp = window.samples.dq, window.samples.stamp
        h = np.diff(stamp).max()
        fastest = (np.abs(np.diff(dq, axis=0)) / np.diff(stamp)[:, None]).max(axis=0)
        near = np.abs(dq[[0, -1]]) <= self.slow + self.size * fastest
        known = np.abs(dq) > self.slow
        both = known[1:] & known[:-1]
        crossings = (both & (dq[1:] * dq[:-1] < 0.0)).sum(axis=0)
        unknown = (known[:-1] & ~known[1:]).sum(axis=0) + ~known[0]  # for a while each
        late = crossings * h + unknown * (self.size + h) + near.sum(axis=0) * (self.size + h)
        torque = np.abs(window.reading) + window.reading_error
        largest = (1.0 + self.gain) * torque.max(axis=0) + self.friction
        return np.asarray(2.0 * (self.friction + self.load * largest) * late)

    @staticmethod
    def _bend(window: Window) -> Array:
        """Return the largest curvature of the readings, shape (n,) [N m/s2]."""
        stamp, r, error = window.samples.stamp, window.reading, window.reading_error
        steps = np.diff(stamp)[:, None]
        slopes, unsure = np.diff(r, axis=0) / steps, (error[1:] + error[:-1]) / steps
        middle = 0.5 * (stamp[2:] - stamp[:-2])[:, None]
        bends = (np.abs(np.diff(slopes, axis=0)) + unsure[1:] + unsure[:-1]) / middle
        return np.asarray(bends.max(axis=0, initial=0.0))
