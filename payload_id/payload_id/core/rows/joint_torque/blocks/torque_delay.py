r"""Torques that are late, or early, by a constant time against positions and velocities.

A reading r(t) that shows the torque of the time t - delay, T(t) = r(t + delay), gives

    int T dt = int r dt + delay (r(t2) - r(t1)) + rest,

one column for each joint. The rest is at most delay^2 times the largest slope of r within a delay
of the window: that in the window, and what its largest curvature adds on the way. The trapezoid
rule sees r, not T, which is delay h^2/6 of that curvature.

Coulomb friction steps where a velocity passes zero, which r shows a delay later. Samples that still
show the old sign, and the column, leave 2 F h of each step, h the sampling step; where the sign is
not known for a while, 2 F (delay + h); and 2 F delay of a step next to an end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arrays import Array
from ...nuisance import Effect, NuisanceBlock
from .stated import Stated, Window


@dataclass(frozen=True)
class TorqueDelay(NuisanceBlock[Window]):
    """Delay of each joint's torque, of either sign.

    Attributes:
        gain: By how much more than the reading the torque can be, shape (n,) [-].
        friction: Largest friction that turns round with the velocity, shape (n,) [N m or N].
        load: ... beside it, as a fraction of the torque, shape (n,) [-].
        slow: Speed below which its sign is not known, shape (n,) [rad/s or m/s].
    """

    gain: Array
    friction: Array
    load: Array
    slow: Array

    @classmethod
    def of(cls, stated: Stated) -> TorqueDelay:
        """Return it as it is stated."""
        load, size = stated.each("friction_load"), stated.each("torque_delay")
        return cls(
            stated.names("torque_delay"), np.zeros(len(size)), size,
            gain=stated.largest_gain - 1.0,
            friction=stated.dry_friction,
            load=load / (1.0 - load),
            slow=stated.slow,
        )  # fmt: skip

    def effect(self, window: Window) -> Effect:
        """Return what it does to the equations of a window."""
        r, error, size = window.samples.tau, window.reading_error, self.half_width
        change, unsure = r[-1] - r[0], error[0] + error[-1]
        steps = np.diff(window.samples.stamp)[:, None]
        slopes = (np.abs(np.diff(r, axis=0)) + error[1:] + error[:-1]) / steps
        bend = self._bend(window)
        slope = slopes.max(axis=0) + bend * (size + steps.max())
        rest = size * (unsure + self.gain * (np.abs(change) + unsure))
        rest += (1.0 + self.gain) * size**2 * slope + self._steps(window)
        rest += (1.0 + self.gain) * size * steps.max() ** 2 / 6.0 * bend
        return Effect.of_channels([-change], np.where(size > 0.0, rest, 0.0))

    def _steps(self, window: Window) -> Array:
        """Return what steps of friction can add, in the window and next to its ends, shape (n,)."""
        dq, stamp = window.samples.dq, window.samples.stamp
        h = np.diff(stamp).max()
        fastest = (np.abs(np.diff(dq, axis=0)) / np.diff(stamp)[:, None]).max(axis=0)
        near = np.abs(dq[[0, -1]]) <= self.slow + self.half_width * fastest
        known = np.abs(dq) > self.slow
        both = known[1:] & known[:-1]
        crossings = (both & (dq[1:] * dq[:-1] < 0.0)).sum(axis=0)
        unknown = (known[:-1] & ~known[1:]).sum(axis=0) + ~known[0]  # for a while each
        late = crossings * h + (unknown + near.sum(axis=0)) * (self.half_width + h)
        torque = np.abs(window.samples.tau) + window.reading_error
        largest = (1.0 + self.gain) * torque.max(axis=0) + self.friction
        return np.asarray(2.0 * (self.friction + self.load * largest) * late)

    @staticmethod
    def _bend(window: Window) -> Array:
        """Return the largest curvature of the readings, shape (n,) [N m/s2]."""
        stamp, r, error = window.samples.stamp, window.samples.tau, window.reading_error
        steps = np.diff(stamp)[:, None]
        slopes, unsure = np.diff(r, axis=0) / steps, (error[1:] + error[:-1]) / steps
        middle = 0.5 * (stamp[2:] - stamp[:-2])[:, None]
        bends = (np.abs(np.diff(slopes, axis=0)) + unsure[1:] + unsure[:-1]) / middle
        return np.asarray(bends.max(axis=0, initial=0.0))
