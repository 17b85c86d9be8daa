r"""A motion as points for a controller that interpolates, and how far that is from the motion.

joint_trajectory_controller joins points with positions, velocities and accelerations by quintic
polynomials. Over an interval of length h with |q^(6)| <= M6, the error e = q - quintic has three
zeros at each end; by Rolle's theorem e' has five and e'' four, so that

    |e|   <= M6 / 6! (h^2/4)^3            = h^6 M6 / 46080,
    |e'|  <= M6 / 5! (h^2/4)^2 h          = h^5 M6 / 1920,
    |e''| <= M6 / 4! (h^2/4) h^2          = h^4 M6 / 96.

Polynomials of degree 5, such as Bezier pieces, are met exactly if every junction of a
sequence is a point. Messages carry times in whole nanoseconds; what rounding to them does is added.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from ..arrays import Array
from ..errors import InputError
from .extrema import Smooth
from .motion_sequence import MotionSequence
from .path_stop import PathStop
from .there_and_back import Reversed
from .time_scaling import TimeScaled
from .trajectory import Motion, Trajectory, even_edges

NANOSECOND = 1e-9  # [s]
SLICE = 0.2  # [s] on which speed and acceleration are bounded


@dataclass(frozen=True)
class InterpolationError:
    """Bounds on the difference between a motion and the controller's interpolation of its points.

    Attributes:
        position: Shape (n,) [rad or m].
        velocity: Shape (n,) [rad/s or m/s].
        acceleration: Shape (n,) [rad/s2 or m/s2].
    """

    position: Array
    velocity: Array
    acceleration: Array


def points_of(trajectory: Trajectory, rate: float, begin: float = 0.0) -> Motion:
    """Return the points of a motion, times in whole nanoseconds.

    Args:
        trajectory: The motion.
        rate: Least number of points a second [Hz].
        begin: Time of the first one [s].

    Raises:
        InputError: The motion is over at that time.
    """
    last = trajectory.duration
    if not (0.0 <= begin < last and rate > 0.0):
        raise InputError(
            f"Points need a rate above 0 and a time span within the motion's {last:g} s; found "
            f"{rate:g} Hz from {begin:g} s to {last:g} s."
        )
    inner = junctions(trajectory)
    cuts = np.concatenate([[begin], inner[(inner > begin) & (inner < last)], [last]])
    parts = [
        np.linspace(a, b, max(1, int(np.ceil((b - a) * rate - 1e-9))) + 1)[:-1]
        for a, b in zip(cuts[:-1], cuts[1:], strict=True)
    ]
    nanoseconds = np.unique(np.rint(np.concatenate([*parts, [last]]) / NANOSECOND))
    time = nanoseconds * NANOSECOND
    motion = trajectory.at(np.clip(time, 0.0, trajectory.duration))
    return Motion(time, motion.q, motion.dq, motion.ddq)


def interpolation_error(trajectory: Trajectory, rate: float) -> InterpolationError:
    """Return bounds for points at a rate [Hz], junctions included."""
    h, M6, jerk = 1.0 / rate, largest_derivative(trajectory, 6), largest_derivative(trajectory, 3)
    found = trajectory.ranges(even_edges(trajectory, SLICE))
    speed, acceleration = found.speed.max(axis=0), found.acceleration.max(axis=0)
    return InterpolationError(
        h**6 / 46080.0 * M6 + NANOSECOND * speed,
        h**5 / 1920.0 * M6 + NANOSECOND * acceleration,
        h**4 / 96.0 * M6 + NANOSECOND * jerk,
    )


def junctions(trajectory: Trajectory) -> Array:
    """Return the times at which one part of a motion gives way to the next, shape (J,) [s]."""
    if isinstance(trajectory, TimeScaled):
        return junctions(trajectory.motion) / trajectory.scale
    if isinstance(trajectory, Reversed):
        return trajectory.duration - junctions(trajectory.motion)[::-1]
    if isinstance(trajectory, PathStop):
        return trajectory.junctions_of(junctions(trajectory.motion))
    if not isinstance(trajectory, MotionSequence):
        return np.zeros(0)
    begins = np.concatenate([[0.0], np.cumsum(trajectory.until)])
    found = [begins[1:-1]]
    for part, begin, until in zip(trajectory.parts, begins, trajectory.until, strict=False):
        inner = junctions(part)
        found.append(begin + inner[inner < until])
    return np.unique(np.concatenate(found))


def largest_derivative(
    trajectory: Trajectory, order: int, begin: float = 0.0, end: float = np.inf
) -> Array:
    """Return a bound on a derivative of the positions between junctions, shape (n,).

    Args:
        trajectory: The motion.
        order: 1 to 6.
        begin: Time from which it shall hold [s].
        end: Time until which it shall hold [s].
    """
    if isinstance(trajectory, TimeScaled):
        s = trajectory.scale
        return s**order * largest_derivative(trajectory.motion, order, s * begin, s * end)
    if isinstance(trajectory, Reversed):
        last = trajectory.duration
        return largest_derivative(trajectory.motion, order, last - end, last - begin)
    if isinstance(trajectory, PathStop):
        motion, span = trajectory.motion, (trajectory.place(begin), trajectory.end)
        if begin >= trajectory.ramp:
            return largest_derivative(motion, order, *span)
        return trajectory.largest_of(lambda k: largest_derivative(motion, k, *span), order)
    if isinstance(trajectory, MotionSequence):
        begins = np.concatenate([[0.0], np.cumsum(trajectory.until)])
        spans = zip(trajectory.parts, begins[:-1], begins[1:], strict=True)
        found = [
            largest_derivative(part, order, begin - first, end - first)
            for part, first, last in spans
            if first <= end + NANOSECOND and last >= begin - NANOSECOND
        ]
        return np.max(found, axis=0)
    if not hasattr(trajectory, "largest"):
        raise InputError(
            f"No bound on derivatives is known of motions of the kind {type(trajectory).__name__}."
        )
    return cast(Smooth, trajectory).largest(order)
