r"""What an arm may do within a slice of time, as a middle, a drift with time and what is left.

With s the time from the middle of a slice of half width h, as part of h,

    q(t) = q_c + q_s s + e,   |e| <= q_rest,    |q(t) - q_c| <= q_reach,

and likewise for velocities and accelerations; the drift is what all joints have in common, so that
it must not be counted joint by joint. It follows from the ranges alone. A slice may be given as
several parts, on each of which the ranges are known: the drift is that of the middles of the parts'
ranges. On a part [t0, t1] on which the rate is at least a > 0,

    lower + a (t - t0) <= q(t) <= upper - a (t1 - t),

for a falling quantity the other way round, and without a known sign a = 0. What is left beside the
drift is then largest or least at an end of a part. The tracking errors of the tube add to the rest
and to the reach, with a drift of their own that is not known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...motion.trajectory import MotionRanges
from ..tube.tracking_tube import TrackingTube

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
    def of(cls, ranges: MotionRanges, tube: TrackingTube, parts: int = 1) -> SliceMotion:
        """Return the states on the slices of a motion that is followed within a tube.

        Args:
            ranges: Extrema of the desired motion on K parts slices of time.
            tube: How far the arm, and the controller's reference, may be from it.
            parts: How many of them make one slice of the result, all of about the same length.
        """
        count = len(ranges) // parts
        width = np.diff(ranges.edges).reshape(count, parts, 1)
        end = np.cumsum(width, axis=1)
        whole = end[:, -1:] / 2
        time = _Parts(start=(end - width - whole) / whole, end=(end - whole) / whole, width=width)
        shape = (count, parts, -1)
        q = (ranges.q_lower.reshape(shape), ranges.q_upper.reshape(shape))
        dq = (ranges.dq_lower.reshape(shape), ranges.dq_upper.reshape(shape))
        ddq = (ranges.ddq_lower.reshape(shape), ranges.ddq_upper.reshape(shape))
        position, velocity = _drifting(*q, dq, time), _drifting(*dq, ddq, time)
        acceleration = _drifting(*ddq, None, time)
        return cls(
            position=position.within(tube.position),
            velocity=velocity.within(tube.velocity),
            reference_velocity=velocity.within(tube.reference_velocity),
            reference_acceleration=acceleration.within(tube.reference_acceleration),
            desired_velocity=velocity,
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


@dataclass(frozen=True, eq=False)
class _Parts:
    """Parts of slices, shape (K, parts, 1); start and end from -1 to 1, width in seconds."""

    start: Array
    end: Array
    width: Array


def _drifting(
    lower: Array, upper: Array, rate: tuple[Array, Array] | None, time: _Parts
) -> Drifting:
    """Return a quantity of which the ranges on parts of slices are known, (K, parts, n) each.

    Args:
        lower: Least values.
        upper: Largest values.
        rate: Least and largest rate of change; None: not known.
        time: The parts.
    """
    low, high = lower.min(axis=1), upper.max(axis=1)
    rounding = 4 * EPS * (np.abs(low) + np.abs(high))
    slope = _slope(lower, upper, rate, time)[:, None]
    rise, fall = np.zeros_like(lower), np.zeros_like(lower)  # surely made within a part
    if rate is not None:
        rise = np.maximum(rate[0], 0.0) * time.width
        fall = np.maximum(-rate[1], 0.0) * time.width
    first, last = slope * time.start, slope * time.end
    above = np.maximum(upper - rise - first, upper - fall - last).max(axis=1)
    below = np.minimum(lower + fall - first, lower + rise - last).min(axis=1)
    drift = slope[:, 0]
    # A drift beyond the reach cannot be: the range is of an instant, whatever the slice's length.
    reach, rest = (high - low) / 2, (above - below) / 2 + 4 * EPS * np.abs(drift)
    better = (rest < 0.7 * reach) & (np.abs(drift) < 1.5 * reach)
    centre = np.where(better, (above + below) / 2, (high + low) / 2)
    return Drifting(
        centre,
        np.where(better, drift, 0.0),
        np.where(better, rest, reach) + rounding,
        np.maximum(high - centre, centre - low) + rounding,
    )


def _slope(lower: Array, upper: Array, rate: tuple[Array, Array] | None, time: _Parts) -> Array:
    """Return what a quantity changes in half a slice, as far as its ranges tell, shape (K, n)."""
    if lower.shape[1] == 1:
        if rate is None:
            return np.zeros_like(lower[:, 0])
        return np.asarray((rate[0] + rate[1])[:, 0] / 2 * time.width[:, 0] / 2)
    middle, s = (lower + upper) / 2, (time.start + time.end) / 2
    return np.asarray((s * middle).sum(axis=1) / (s**2).sum(axis=1))
