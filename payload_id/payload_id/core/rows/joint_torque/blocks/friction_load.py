r"""Friction that grows with the torque that the gear transmits: mu |T| sign(dq).

The measured torque, without error, is tau = T + sign(dq) mu |T| + other friction + rotor. With T0
what is left of it without the last two, which bounds and readings tell up to h,

    mu |T| = nu |T0|,    nu = mu / (1 + mu) where the joint drives (T0 dq > 0),
                         nu = mu / (1 - mu) where it brakes,

exactly: one parameter for each of the two, in [0, mu_max / (1 - mu_max)], which holds for friction
that is not the same fraction in both, too. Where |T0| <= h which of them it is is not known; there,
and where the direction is not, all of it is bounded. It then lies in sign(dq) nu [0, |T0| + h], and
most likely is sign(dq) nu |T0|, with nu as T0 tells: estimates that took the middle would be off by
nu h / 2 at every such sample.

The columns are made of readings, with their noise: what is left of an equation has the noise times
1 - nu where the joint drives, 1 + nu where it brakes. Estimates have to know (`nuisance_fit.py`),
or they take the nu with the least noise for the true one; on average over a run is enough.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ....arrays import Array
from ...nuisance import Effect, NuisanceBlock
from ...quadrature import cell_ends
from ...windows import STAMP_TOLERANCE
from .stated import Stated, Window

PIECES = 4  # of a window over which accelerations are taken
LARGEST = 0.4  # nu / 2 that estimates reckon with: noise times 1 - nu is never below none
PART = 0.5  # of the time that a joint drives, about: it goes down as often as up
SPAN = 0.004  # [s] over which they are told by velocities as they are
HIGHER = 1.5  # allowance for what they do within either


@dataclass(frozen=True)
class FrictionLoad(NuisanceBlock[Window]):
    """Friction as a fraction of the torque transmitted: nu where a joint drives, where it brakes.

    Attributes:
        gain: By how much more than the reading the torque can be, shape (n,) [-].
        friction: Largest friction that grows neither with speed nor torque, shape (n,) [N m or N].
        viscous: Largest viscous coefficient, shape (n,) [N m s/rad or N s/m].
        rotor: Largest rotor inertia, shape (n,) [kg m2 or kg].
        other: Largest offset, ripple and the like, shape (n,) [N m or N].
        delay: Of the torques, shape (n,) [s].
        slow: Speed below which the direction is not known, shape (n,) [rad/s or m/s].
        speed_error: Of the measured velocities, shape (n,) [rad/s or m/s].
    """

    gain: Array
    friction: Array
    viscous: Array
    rotor: Array
    other: Array
    delay: Array
    slow: Array
    speed_error: Array

    @classmethod
    def of(cls, stated: Stated) -> FrictionLoad:
        """Return it as it is stated."""
        gain, size = stated.largest_gain, stated.each("friction_load")
        other = gain * stated.each("torque_offset") + stated.each("friction_coulomb_asymmetry") / 2
        other = other + stated.each("torque_ripple") + gain * stated.each("torque_drift") / 2
        half = np.tile(size / (1.0 - size) / 2, 2)
        return cls(
            stated.names("friction_load_driving", "friction_load_braking"), half, half,
            gain=gain - 1.0,
            friction=stated.dry_friction,
            viscous=stated.each("friction_viscous") + stated.each("friction_viscous_asymmetry") / 2,
            rotor=stated.each("rotor_inertia"),
            other=other,
            delay=stated.each("torque_delay"),
            slow=stated.slow,
            speed_error=stated.each("velocity_error"),
        )  # fmt: skip

    def effect(self, window: Window) -> Effect:
        """Return what it does to the equations of a window."""
        dq, weight = window.samples.dq, window.weight
        sign = np.where(np.abs(dq) > self.slow, np.sign(dq), 0.0)
        T0, h = self._transmitted(window, sign)
        size, sure = np.abs(T0), (np.abs(T0) > h) & (sign != 0.0)
        quadrants = [sign * size * where for where in (sign * T0 > 0.0, sign * T0 < 0.0)]
        # Elsewhere it is in sign [0, nu (|T0| + h)], or in nu (|T0| + h) [-1, 1].
        factor = np.where(sure, 2.0 * h, np.where(sign != 0.0, size + h, 2.0 * (size + h)))
        half = self.half_width[: len(self.gain)]
        found = Effect.of_channels(
            [weight @ (x * sure) for x in quadrants], half * (weight @ factor)
        )
        likely = Effect.of_channels([weight @ (x * ~sure) for x in quadrants], found.left_out)
        middle = half * (weight @ (sign * (size + h) * ~sure))
        return replace(found, middle=middle, likely=likely.columns)

    def growth(self, channels: int) -> Array:
        """Return how noise grows: times 1 - nu while the joint drives, 1 + nu while it brakes."""
        part = PART * np.minimum(self.half_width, LARGEST)
        return np.hstack([-np.diag(part[:channels]), np.diag(part[channels:])])

    def _transmitted(self, window: Window, sign: Array) -> tuple[Array, Array]:
        """Return T0 and the bound h on its error, shape (N, n) [N m] each."""
        r, error, speed = window.samples.tau, window.reading_error, np.abs(window.samples.dq)
        half = 0.5 * self.friction
        T0 = r - half * sign - 0.5 * self.viscous * window.samples.dq
        h = (1.0 + self.gain) * error + self.gain * np.abs(r) + self.other
        h = h + np.where(sign != 0.0, half, self.friction)
        h += self.viscous * (0.5 * speed + self.speed_error)
        return T0, h + self.rotor * self._acceleration(window) + self._late(window)

    def _late(self, window: Window) -> Array:
        """Return by how much the delay moves the readings, shape (n,) [N m]."""
        r, error, step = window.samples.tau, window.reading_error, np.diff(window.samples.stamp)
        change = (np.abs(np.diff(r, axis=0)) + error[1:] + error[:-1]) / step[:, None]
        time = np.where(self.delay > 0.0, np.maximum(self.delay, step.max()), 0.0)
        return np.asarray(time * change.max(axis=0))

    def _acceleration(self, window: Window) -> Array:
        """Return the largest |ddq| in the window, shape (n,) [rad/s2 or m/s2].

        The mean over any `SPAN`, which shows a vibration, or over a piece with velocities that err.
        """
        stamp, dq = window.samples.stamp, window.samples.dq
        at = cell_ends(len(stamp), PIECES)
        change = np.abs(np.diff(dq[at], axis=0)) + 2.0 * self.speed_error
        of_pieces = (change / np.diff(stamp[at])[:, None]).max(axis=0)
        later = np.searchsorted(stamp, stamp + SPAN - STAMP_TOLERANCE)
        later = np.maximum(later, np.arange(len(stamp)) + 1)
        first = np.flatnonzero(later < len(stamp))
        last = later[first]
        change = np.abs(dq[last] - dq[first]) / (stamp[last] - stamp[first])[:, None]
        return np.asarray(HIGHER * np.maximum(of_pieces, change.max(axis=0)))
