r"""What an arm may do within a slice of time, as a middle, a drift with time and what is left.

With s the time from the middle of a slice of half width h,

    q(t) = q_c + q_s s + e,   |e| <= q_rest,    |q(t) - q_c| <= q_reach,

and likewise for velocities and accelerations; the drift is what all joints have in common, so that
it must not be counted joint by joint. It follows from the ranges alone: where the velocity keeps
its sign, |dq| >= a, the position in the middle of the slice is a h away from both ends of its
range, and q - dq_c s changes by no more than h rad(dq) from there:

    q_s = dq_c,   q_rest = rad(q) - a h + h rad(dq).

Where the sign changes the drift is 0 and the rest is rad(q). The tracking errors of the tube add to
the rest and to the reach, with a drift of their own that is not known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..excitation.trajectory import MotionRanges
from ..inertial import Array
from .tube import TrackingTube

EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class Drifting:
    """One quantity of n joints on K slices, shape (K, n) each.

    Attributes:
        centre: Value in the middle of the range.
        drift: Change from the middle of the slice to its end, h times the slope.
        rest: Bound on what is left of it.
        reach: Bound on the distance from the centre.
    """

    centre: Array
    drift: Array
    rest: Array
    reach: Array

    @property
    def largest(self) -> Array:
        """Largest magnitude, shape (K, n)."""
        return np.abs(self.centre) + self.reach

    def within(self, error: Array) -> Drifting:
        """Return the quantity with an error of at most `error`, shape (n,), added."""
        return Drifting(self.centre, self.drift, self.rest + error, self.reach + error)

    def take(self, joints: list[int]) -> Drifting:
        """Return the quantity with joints in another order."""
        parts = (self.centre, self.drift, self.rest, self.reach)
        return Drifting(*(part[:, joints] for part in parts))


@dataclass(frozen=True, eq=False)
class SliceMotion:
    """All states on K slices.

    Attributes:
        position: q.
        velocity: dq.
        reference_velocity: dq_a.
        reference_acceleration: ddq_a.
        desired_velocity: dq_d; both velocities are within the tube of it.
    """

    position: Drifting
    velocity: Drifting
    reference_velocity: Drifting
    reference_acceleration: Drifting
    desired_velocity: Drifting

    @classmethod
    def of(cls, ranges: MotionRanges, tube: TrackingTube) -> SliceMotion:
        """Return the states on the slices of a motion that is followed within a tube."""
        h = np.diff(ranges.edges)[:, None] / 2
        q = _drifting(ranges.q_lower, ranges.q_upper, h, ranges.dq_lower, ranges.dq_upper)
        dq = _drifting(ranges.dq_lower, ranges.dq_upper, h, ranges.ddq_lower, ranges.ddq_upper)
        ddq = _constant(ranges.ddq_lower, ranges.ddq_upper)
        return cls(
            position=q.within(tube.position),
            velocity=dq.within(tube.velocity),
            reference_velocity=dq.within(tube.reference_velocity),
            reference_acceleration=ddq.within(tube.reference_acceleration),
            desired_velocity=dq,
        )

    def take(self, joints: list[int]) -> SliceMotion:
        """Return the states with joints in another order."""
        return SliceMotion(
            self.position.take(joints),
            self.velocity.take(joints),
            self.reference_velocity.take(joints),
            self.reference_acceleration.take(joints),
            self.desired_velocity.take(joints),
        )


def _constant(lower: Array, upper: Array) -> Drifting:
    """Return a quantity of which only the range is known."""
    centre = (lower + upper) / 2
    reach = (upper - lower) / 2 + 2 * EPS * (np.abs(lower) + np.abs(upper))
    return Drifting(centre, np.zeros_like(centre), reach, reach)


def _drifting(
    lower: Array, upper: Array, h: Array, slope_lower: Array, slope_upper: Array
) -> Drifting:
    """Return a quantity of which range and range of the slope are known."""
    whole = _constant(lower, upper)
    slope = (slope_lower + slope_upper) / 2
    bend = h * (slope_upper - slope_lower) / 2
    least = np.maximum(0.0, np.maximum(slope_lower, -slope_upper))
    rest = np.maximum(whole.reach - h * least, 0.0) + bend + 4 * EPS * (h * np.abs(slope))
    # A drift beyond the reach cannot be: the range is of an instant, whatever the slice's length.
    better = (rest < 0.7 * whole.reach) & (h * np.abs(slope) < 1.5 * whole.reach)
    return Drifting(
        whole.centre,
        np.where(better, h * slope, 0.0),
        np.where(better, rest, whole.reach),
        whole.reach,
    )
