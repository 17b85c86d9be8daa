r"""Force windows: weighted means over a stretch of team time, in each robot's own grasp frame.

Features of one robot (`window_features`) become those of another point of the body by

    a_p' = a_p + alpha x r + omega x (omega x r),

which is linear in F, and then by a rotation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array, BoolArray
from ..rows.wrench.feature_error import COLUMN, ROW
from .blocks import LEAST_SAMPLES
from .bounds import RobotBounds
from .closed_form.hann_weights import Weights
from .robot_arrays import RobotArrays
from .samples import RobotSamples
from .window_features import features_of
from .window_series import STILL_ANGULAR, STILL_LINEAR, Series, speed_of
from .window_wrench import drag_of, wrench_of


@dataclass(frozen=True)
class Windows(RobotArrays):
    """Means of N robots over W windows, each in its own grasp frame.

    Attributes:
        start: Team time at which each begins, shape (W,) [s].
        end: Team time at which each ends, shape (W,) [s].
        holding: Whether a robot held the payload then, shape (N, W).
        features: F of the robot's grasp frame, shape (N, W, 12).
        feature_error: Bound on its error, shape (N, W, 12).
        wrench: Mean force, then moment, on the payload, shape (N, W, 6) [N, N m].
        wrench_error: Bound on its error, shape (N, W, 6).
        wrench_rate: Its change with a shift in time, shape (N, W, 6) [N/s, N m/s].
        wrench_bend: Size of its second derivative, shape (N, W, 6).
        speed: Largest |mean omega| and |mean v| of a quarter of it, shape (N, W, 2).
        lift: Mean force along the robot's own vertical, shape (N, W) [N].
        lift_error: Bound on its error, shape (N, W) [N].
        drag: Mean direction, in {i}, of a friction of one newton along each axis of {i0} against
            the motion along that axis, shape (N, W, 3, 3) [-].
    """

    start: Array
    end: Array
    holding: BoolArray
    features: Array
    feature_error: Array
    wrench: Array
    wrench_error: Array
    wrench_rate: Array
    wrench_bend: Array
    speed: Array
    lift: Array
    lift_error: Array
    drag: Array

    @classmethod
    def empty(cls, N: int) -> Windows:
        """Return no windows of N robots."""
        none, alone = np.zeros(0), [RobotBounds()] * N
        return windows_of([None] * N, alone, none, 1.0, np.zeros(N), 0.1, np.zeros((N, 0), bool))

    def of_robot(self, i: int) -> Windows:
        """Return the windows as if no other robot exerted anything."""
        alone = (np.arange(len(self.present)) == i)[:, None]
        each = alone[..., None]
        return replace(
            self, wrench=self.wrench * each, wrench_rate=self.wrench_rate * each,
            lift=self.lift * alone,
        )  # fmt: skip

    def still(self) -> BoolArray:
        """Return in which windows the payload is held at rest, shape (W,)."""
        slow = (self.speed <= [STILL_ANGULAR, STILL_LINEAR]).all(axis=2)
        return np.asarray((slow | ~self.present).all(axis=0) & self.present.any(axis=0))

    def holds(self) -> int:
        """Return the number of static holds: stretches of windows at rest."""
        still = self.still()
        return int(np.count_nonzero(still & ~np.concatenate([[False], still[:-1]])))

    def as_seen_from(self, i: int, rotation: Array, position: Array) -> tuple[Array, Array]:
        """Return robot i's features and their error in another frame of the body, (W, 12) each.

        Args:
            i: Number of the robot.
            rotation: R of {i} in that frame, shape (3, 3).
            position: Origin of {i} there, shape (3,) [m].
        """
        T = feature_transform(rotation, position)
        return self.features[i] @ T.T, self.feature_error[i] @ np.abs(T).T


def feature_transform(rotation: Array, position: Array) -> Array:
    """Return T with F_a = T F_b for two frames of one body, shape (12, 12).

    Args:
        rotation: R_ab, shape (3, 3).
        position: Origin of {b} in {a}, shape (3,) [m].
    """
    T = np.zeros((12, 12))
    r = -rotation.T @ position  # from {b} to {a}, in {b}
    T[:3, :3] = T[3:6, 3:6] = rotation
    for k in range(3):
        T[:3, 3 + k] = rotation @ np.cross(np.eye(3)[k], r)
    for k, (i, j) in enumerate(zip(ROW, COLUMN, strict=True)):
        Q = np.zeros((3, 3))
        Q[i, j] = Q[j, i] = 1.0
        T[:3, 6 + k] = rotation @ (Q @ r - np.trace(Q) * r)
        turned = rotation @ Q @ rotation.T
        T[6:, 6 + k] = turned[ROW, COLUMN]
    return T


def windows_of(
    robots: list[RobotSamples | None],
    bounds: list[RobotBounds],
    start: Array,
    length: float,
    shift: Array,
    step: float,
    holding: BoolArray,
) -> Windows:
    """Return the windows that begin at some times.

    Args:
        robots: Samples of each robot on its own clock, None for none.
        bounds: What is assumed about each.
        start: Team time of each window's beginning, shape (W,) [s].
        length: Of the windows [s].
        shift: Offset of each robot's clock, shape (N,) [s].
        step: Of the grid on which values are taken [s].
        holding: Whether a robot held the payload, shape (N, W).
    """
    weights = Weights.of(length, step)
    parts = [
        _robot_windows(robot, bounds[i], start + shift[i], weights)
        for i, robot in enumerate(robots)
    ]
    present, *columns = (np.stack(column) for column in zip(*parts, strict=True))
    shifts = np.repeat(shift[:, None], len(start), axis=1)
    return Windows(present, shifts, start, start + length, holding, *columns)


def _robot_windows(
    robot: RobotSamples | None, bounds: RobotBounds, start: Array, weights: Weights
) -> tuple[Array, ...]:
    """Return one robot's columns of `Windows`, at times of its own clock."""
    W = len(start)
    if robot is None or len(robot) < LEAST_SAMPLES or not W:
        six, none = np.zeros((W, 6)), np.zeros(W)
        twelve = np.zeros((W, 12))
        return (
            np.zeros(W, bool), twelve, twelve, six, six, six, six, np.zeros((W, 2)), none, none,
            np.zeros((W, 3, 3)),
        )  # fmt: skip
    series = Series.of(robot, start, weights)
    features, error = features_of(series, bounds, weights)
    wrench, wrench_error, rate, bend, lift, lift_error = wrench_of(series, bounds, weights)
    return (
        series.inside, features, error, wrench, wrench_error, rate, bend,
        speed_of(series), lift, lift_error, drag_of(series, weights),
    )  # fmt: skip
