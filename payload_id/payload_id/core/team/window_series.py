"""One robot's values on the grid of each window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arm.arm_model import STANDARD_GRAVITY
from ..arrays import Array, BoolArray
from .blocks import GAP
from .closed_form.hann_weights import Weights
from .closed_form.resample import Resampling
from .samples import RobotSamples

GRAVITY = float(np.linalg.norm(STANDARD_GRAVITY))  # [m/s2]
STILL_ANGULAR = 0.02  # [rad/s] mean angular velocity of a window below which it counts as a hold
STILL_LINEAR = 0.01  # [m/s]; around it friction changes its sign
QUADRATURE = 1.5 / 15.0  # Richardson's, half of it on top
QUARTERS = 4  # of a window, whose mean velocities are looked at


@dataclass(frozen=True)
class Series:
    """One robot's values on the grid of each window, shapes (W, M + 1, ...)."""

    inside: BoolArray
    gain: Array
    R: Array
    x: Array
    omega: Array
    v: Array
    force: Array
    moment: Array | None
    gyro: Array | None
    specific: Array | None
    left_out: Array  # remainder of interpolation of (omega, v, force), (W, M + 1, 9)

    @classmethod
    def of(cls, robot: RobotSamples, start: Array, weights: Weights) -> Series:
        """Take values on the grid."""
        shape = (len(start), len(weights.away))
        at = Resampling.of(robot.time, (start[:, None] + weights.away).ravel(), GAP)

        def grid(values: Array | None) -> Array | None:
            if values is None:
                return None
            return at.values(values).reshape(*shape, *values.shape[1:])

        known = np.hstack([robot.twist, robot.force])
        twist = at.values(robot.twist).reshape(*shape, 6)
        return cls(
            np.asarray(at.inside.reshape(shape).all(axis=1)),
            at.gain().reshape(shape),
            at.rotations(robot.rotation).reshape(*shape, 3, 3),
            at.values(robot.position).reshape(*shape, 3),
            twist[..., :3],
            twist[..., 3:],
            at.values(robot.force).reshape(*shape, 3),
            grid(robot.moment),
            grid(robot.imu_angular_velocity),
            grid(robot.imu_specific_force),
            at.remainder(known).reshape(*shape, 9),
        )


def speed_of(series: Series) -> Array:
    """Return the largest |mean omega| and |mean v| of the quarters of each window, shape (W, 2)."""
    quarters = np.array_split(np.concatenate([series.omega, series.v], axis=2), QUARTERS, axis=1)
    means = np.stack([quarter.mean(axis=1) for quarter in quarters], axis=1)
    return np.asarray(np.linalg.norm(means.reshape(len(means), -1, 2, 3), axis=3).max(axis=1))
