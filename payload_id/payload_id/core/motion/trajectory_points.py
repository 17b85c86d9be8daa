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

import numpy as np

from ..arrays import Array
from ..errors import InputError
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
    inner = trajectory.junctions
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
    h, M6, jerk = 1.0 / rate, trajectory.largest(6), trajectory.largest(3)
    found = trajectory.ranges(even_edges(trajectory, SLICE))
    speed, acceleration = found.speed.max(axis=0), found.acceleration.max(axis=0)
    return InterpolationError(
        h**6 / 46080.0 * M6 + NANOSECOND * speed,
        h**5 / 1920.0 * M6 + NANOSECOND * acceleration,
        h**4 / 96.0 * M6 + NANOSECOND * jerk,
    )
