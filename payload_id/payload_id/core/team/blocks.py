r"""Means of pose and twist over short blocks of team time: what grasp frames are found from.

What holds of a rigid body is linear in the matrices R_i0i and the vectors p_i0i, V_i themselves,

    R_101 R_1i = C_i R_i0i,    p_101 + R_101 p_1i = c_i + C_i p_i0i,    V_1 = [Ad_T1i] V_i,

(C_i, c_i) the pose of {i0} in {10}: so it holds of their means with the same weights, too. Noise
averages out, and nothing is differentiated. A block's weights are a Hann window over two spacings;
neighbouring blocks overlap by half.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from .closed_form.hann_weights import Weights
from .closed_form.resample import Resampling
from .robot_arrays import RobotArrays
from .samples import RobotSamples

SPACING = 0.1  # [s] from one block to the next
GAP = 0.055  # [s] between samples that no value is interpolated over
LEAST_SAMPLES = 8  # of a robot, before anything is made of them


@dataclass(frozen=True)
class Blocks(RobotArrays):
    """Means of N robots over B blocks.

    Attributes:
        time: Middle of each block on the team's clock, shape (B,) [s].
        rotation: Mean of R_i0i, turned into a rotation, shape (N, B, 3, 3).
        mean_rotation: Mean of R_i0i as it is, shape (N, B, 3, 3).
        position: Mean of p_i0i, shape (N, B, 3) [m].
        twist: Mean of (omega_i, v_i), shape (N, B, 6).
        rate: Of change of that mean with a shift in time, shape (N, B, 6).
        bend: Sizes of the second derivatives of angular velocity and velocity, the largest of a
            block's middle and its two halves, shape (N, B, 2).
        pace: Mean sizes of the rates of change of attitude, place, angular velocity and velocity,
            as much larger as interpolation lets errors grow, shape (N, B, 4).
        gain: By how much interpolation lets errors grow, shape (N, B).
        left_out: What interpolation leaves out of attitude, place, angular velocity and velocity,
            shape (N, B, 4) [rad, m, rad/s, m/s].
    """

    time: Array
    rotation: Array
    mean_rotation: Array
    position: Array
    twist: Array
    rate: Array
    bend: Array
    pace: Array
    gain: Array
    left_out: Array

    @classmethod
    def empty(cls, N: int) -> Blocks:
        """Return no blocks of N robots."""
        return cls.of([None] * N, np.zeros(0), np.zeros(N), SPACING)

    @classmethod
    def of(
        cls, robots: list[RobotSamples | None], time: Array, shift: Array, step: float
    ) -> Blocks:
        """Return the blocks at some times.

        Args:
            robots: Samples of each robot on its own clock, None for none.
            time: Middles of the blocks on the team's clock, shape (B,) [s].
            shift: Offset of each robot's clock, shape (N,) [s].
            step: Of the grid on which values are taken [s].
        """
        parts = [_robot_blocks(robot, time + shift[i], step) for i, robot in enumerate(robots)]
        present, *columns = (np.stack(column) for column in zip(*parts, strict=True))
        return cls(present, np.repeat(shift[:, None], len(time), axis=1), time, *columns)


def _robot_blocks(robot: RobotSamples | None, time: Array, step: float) -> tuple[Array, ...]:
    """Return one robot's columns of `Blocks`, at times of its own clock."""
    B = len(time)
    if robot is None or len(robot) < LEAST_SAMPLES or not B:
        nothing = np.tile(np.eye(3), (B, 1, 1))
        none6 = np.zeros((B, 6))
        return (
            np.zeros(B, bool),
            nothing,
            nothing,
            np.zeros((B, 3)),
            none6,
            none6,
            np.zeros((B, 2)),
            np.zeros((B, 4)),
            np.ones(B),
            np.zeros((B, 4)),
        )
    weights = Weights.of(2.0 * SPACING, min(step, SPACING / 10.0))
    away, weight, slope = weights.away - SPACING, weights.value, weights.slope
    at = Resampling.of(robot.time, (time[:, None] + away).ravel(), GAP)
    shape = (B, len(away))

    def mean(values: Array, weights: Array) -> Array:
        return np.asarray(
            np.einsum("a,ba...->b...", weights, values.reshape(*shape, *values.shape[1:]))
        )

    rotation = mean(at.rotations(robot.rotation), weight)
    twist = at.values(robot.twist)
    U, _, Vt = np.linalg.svd(rotation)
    return (
        np.asarray(at.inside.reshape(shape).all(axis=1)),
        U @ Vt,
        rotation,
        mean(at.values(robot.position), weight),
        mean(twist, weight),
        mean(twist, slope),
        _bend(twist.reshape(*shape, 6), away[1] - away[0]),
        mean(_pace(twist.reshape(*shape, 6), at.gain().reshape(shape), away[1] - away[0]), weight),
        mean(at.gain(), weight),
        mean(_left_out(at, robot), weight),
    )


def _bend(twist: Array, step: float) -> Array:
    """Return the sizes of the second derivatives of the two parts, shape (B, 2).

    Where one is zero for a moment it is not a tenth of a block before and after.

    Args:
        twist: On the grid of each block, shape (B, n, 6).
        step: Of the grid [s].
    """
    n = twist.shape[1]
    half = max(2, n // 4)
    s = np.arange(-half, half + 1)
    curve = -np.cos(np.pi * s / half)  # w'' of a Hann window
    curve -= curve.mean()
    curve /= 0.5 * curve @ (s * step) ** 2
    middles = (half, n // 2, n - 1 - half)
    found = np.stack(
        [np.einsum("a,bai->bi", curve, twist[:, k - half : k + half + 1]) for k in middles]
    )
    return np.asarray(np.linalg.norm(found.reshape(3, -1, 2, 3), axis=3).max(axis=0))


def _pace(twist: Array, gain: Array, step: float) -> Array:
    """Return by how much a second late changes the four kinds, shape (B n, 4).

    Args:
        twist: On the grid of each block, shape (B, n, 6).
        gain: Of errors by interpolation, shape (B, n).
        step: Of the grid [s].
    """
    sizes = [np.linalg.norm(twist[..., k : k + 3], axis=2) for k in (0, 3)]
    change = np.abs(np.diff(twist, axis=1)) / step
    change = np.maximum(
        change[:, [0, *range(change.shape[1])]], change[:, [*range(change.shape[1]), -1]]
    )
    sizes += [np.linalg.norm(change[..., k : k + 3], axis=2) for k in (0, 3)]
    return np.asarray((gain[..., None] * np.stack(sizes, axis=2)).reshape(-1, 4))


def _left_out(at: Resampling, robot: RobotSamples) -> Array:
    """Return what interpolation leaves out of the four kinds, shape (n, 4)."""
    values = np.hstack([robot.rotation.reshape(-1, 9), robot.position, robot.twist])
    bend = at.remainder(values)
    parts = bend[:, :9], bend[:, 9:12], bend[:, 12:15], bend[:, 15:]
    return np.stack([part.max(axis=1) for part in parts], axis=1)
