r"""Force windows: weighted means over a stretch of team time, in each robot's own grasp frame.

For a smooth weight w >= 0 with int w = 1 that vanishes with its slope at both ends,

    int w dV/dt dt = -int w' V dt,

so that the features F = (a_p, alpha, omega omega') of the Newton-Euler rows (`rows.wrench`) follow
from twists without differentiation, and from poses, p'' = sum over second differences, with weights
that fall off alike. The source with the smaller guaranteed error is taken, for each robot by
itself: twist, pose, or an IMU.
Features of one robot become those of another point of the body by

    a_p' = a_p + alpha x r + omega x (omega x r),

which is linear in F, and then by a rotation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from ..arm.arm_model import STANDARD_GRAVITY
from ..arrays import Array, BoolArray
from ..rows.wrench.newton_euler import PRODUCTS
from .blocks import GAP, LEAST_SAMPLES
from .bounds import RobotBounds
from .closed_form.resample import Resampling
from .samples import RobotSamples

GRAVITY = float(np.linalg.norm(STANDARD_GRAVITY))  # [m/s2]
UP = np.array([0.0, 0.0, 1.0])
_ROW, _COLUMN = (list(index) for index in zip(*PRODUCTS, strict=True))
ROUNDING = 1e-11
TAYLOR = 2e-3  # relative allowance where poses stand for velocities, beside differences
STILL_ANGULAR = 0.02  # [rad/s] mean angular velocity of a window below which it counts as a hold
STILL_LINEAR = 0.01  # [m/s]
QUADRATURE = 1.5 / 15.0  # Richardson's, half of it on top
STICTION = 0.01  # [m/s] around which friction changes its sign
QUARTERS = 4  # of a window, whose mean velocities are looked at


@dataclass(frozen=True)
class Windows:
    """Means of N robots over W windows, each in its own grasp frame.

    Attributes:
        start: Team time at which each begins, shape (W,) [s].
        length: How long each is, shape (W,) [s].
        present: Whether a robot gave all samples of a window, shape (N, W).
        holding: Whether a robot held the payload then, shape (N, W).
        shift: Clock offset that was taken out, shape (N, W) [s].
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
    length: Array
    present: BoolArray
    holding: BoolArray
    shift: Array
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

    def __len__(self) -> int:
        return len(self.start)

    @classmethod
    def empty(cls, N: int) -> Windows:
        """Return no windows of N robots."""
        flat, flag = np.zeros((N, 0)), np.zeros((N, 0), bool)
        twelve, six = np.zeros((N, 0, 12)), np.zeros((N, 0, 6))
        none = np.zeros(0)
        return cls(
            none, none, flag, flag, flat, twelve, twelve, six, six, six, six,
            np.zeros((N, 0, 2)), flat, flat, np.zeros((N, 0, 3, 3)),
        )  # fmt: skip

    def take(self, chosen: Array | slice) -> Windows:
        """Return some of the windows."""
        first = (self.start[chosen], self.length[chosen])
        return Windows(*first, *(v[:, chosen] for v in list(vars(self).values())[2:]))

    def joined(self, newer: Windows) -> Windows:
        """Return both; robots that these do not have are absent in them."""
        columns = [
            np.concatenate(x) for x in ((self.start, newer.start), (self.length, newer.length))
        ]
        more = newer.present.shape[0] - self.present.shape[0]
        for old, new in list(zip(vars(self).values(), vars(newer).values(), strict=True))[2:]:
            fill = np.zeros((more, *old.shape[1:]), dtype=old.dtype)
            columns.append(np.concatenate([np.concatenate([old, fill]), new], axis=1))
        return Windows(*columns)

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
    for k, (i, j) in enumerate(PRODUCTS):
        Q = np.zeros((3, 3))
        Q[i, j] = Q[j, i] = 1.0
        T[:3, 6 + k] = rotation @ (Q @ r - np.trace(Q) * r)
        turned = rotation @ Q @ rotation.T
        T[6:, 6 + k] = turned[_ROW, _COLUMN]
    return T


@dataclass(frozen=True)
class Weights:
    """A Hann window over a stretch of M + 1 samples with equal steps.

    Attributes:
        away: Instants from its beginning, shape (M + 1,) [s].
        value: w times the step, shape (M + 1,), sum 1.
        slope: Weights of -int w' f dt, shape (M + 1,) [1/s]; what the trapezoid rule leaves out
            at the ends, where w'' does not vanish, is taken out (Euler-Maclaurin).
        bend: Weights of int w'' f dt, shape (M + 1,) [1/s2].
        step: [s].
        length: [s].
    """

    away: Array
    value: Array
    slope: Array
    bend: Array
    step: float
    length: float

    @property
    def coarse(self) -> Weights:
        """The same window on every second sample."""
        return Weights._on(len(self.away) // 2, self.length)

    @classmethod
    def of(cls, length: float, step: float) -> Weights:
        """Return the window of a length [s] on steps of about a step [s]."""
        return cls._on(max(8, 2 * round(length / step / 2)), length)

    @classmethod
    def _on(cls, M: int, length: float) -> Weights:
        """Return the window on M equal steps."""
        h, s = length / M, np.arange(M + 1) / M
        value = h / length * (1.0 - np.cos(2.0 * np.pi * s))
        slope = -h * 2.0 * np.pi / length**2 * np.sin(2.0 * np.pi * s)
        curve = (2.0 * np.pi / length) ** 2 / length  # w'' at both ends
        slope[0] -= h**2 / 12.0 * curve
        slope[-1] += h**2 / 12.0 * curve
        bend = h * curve * np.cos(2.0 * np.pi * s)
        bend[[0, -1]] *= 0.5
        return cls(length * s, value, slope, bend, h, length)


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
    columns = [np.stack(column) for column in zip(*parts, strict=True)]
    shifts = np.repeat(shift[:, None], len(start), axis=1)
    return Windows(start, np.full(len(start), length), columns[0], holding, shifts, *columns[1:])


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
    series = _Series.of(robot, start, weights)
    features, error = _features(series, bounds, weights)
    wrench, wrench_error, rate, bend, lift, lift_error = _wrench(series, bounds, weights)
    return (
        series.inside, features, error, wrench, wrench_error, rate, bend,
        _speed(series), lift, lift_error, _drag(series, weights),
    )  # fmt: skip


def _drag(series: _Series, weights: Weights) -> Array:
    """Return the mean of -R' diag(tanh(velocity / STICTION)), shape (W, 3, 3)."""
    velocity = np.einsum("wmki,wmi->wmk", series.R, series.v)
    sign = np.tanh(velocity / STICTION)
    return -np.asarray(np.einsum("m,wmki,wmk->wik", weights.value, series.R, sign))


def _speed(series: _Series) -> Array:
    """Return the largest |mean omega| and |mean v| of the quarters of each window, shape (W, 2)."""
    quarters = np.array_split(np.concatenate([series.omega, series.v], axis=2), QUARTERS, axis=1)
    means = np.stack([quarter.mean(axis=1) for quarter in quarters], axis=1)
    return np.asarray(np.linalg.norm(means.reshape(len(means), -1, 2, 3), axis=3).max(axis=1))


@dataclass(frozen=True)
class _Series:
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
    def of(cls, robot: RobotSamples, start: Array, weights: Weights) -> _Series:
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


def _features(series: _Series, bounds: RobotBounds, weights: Weights) -> tuple[Array, Array]:
    """Return F and the bound on its error, shape (W, 12) each."""
    omega, omega_error = series.omega, series.gain[..., None] * bounds.angular_velocity
    omega_error = omega_error + series.left_out[..., :3]
    if series.gyro is not None and bounds.imu_angular_velocity < bounds.angular_velocity:
        omega = series.gyro
        omega_error = np.broadcast_to(
            series.gain[..., None] * bounds.imu_angular_velocity, omega.shape
        )
    w = weights.value
    products = np.einsum("m,wmk->wk", w, omega[..., _ROW] * omega[..., _COLUMN])
    size, e = np.abs(omega), omega_error
    wide = size[..., _ROW] * e[..., _COLUMN] + size[..., _COLUMN] * e[..., _ROW]
    product_error = np.einsum("m,wmk->wk", w, wide + e[..., _ROW] * e[..., _COLUMN])
    alpha, alpha_error = _smaller(
        _angular_of_twists(omega, omega_error, weights), _angular_of_poses(series, bounds, weights)
    )
    proper, proper_error = _smaller(
        _linear_of_twists(series, omega, omega_error, bounds, weights),
        _linear_of_poses(series, bounds, weights),
    )
    up, up_error = _vertical(series, bounds, weights)
    proper, proper_error = proper + GRAVITY * up, proper_error + GRAVITY * up_error
    proper_error = proper_error + bounds.gravity * (np.abs(up) + up_error)
    if series.specific is not None:
        felt = np.einsum("m,wmk->wk", w, series.specific)
        gain = np.einsum("m,wm->w", w, series.gain)
        felt_error = np.repeat((bounds.imu_specific_force * gain)[:, None], 3, axis=1)
        proper, proper_error = _smaller((proper, proper_error), (felt, felt_error))
    # a stamp that is off by the jitter moves every value by its rate
    jitter = bounds.jitter * _rates(series, weights)
    error = np.hstack([proper_error, alpha_error, product_error]) + jitter
    error += _quadrature(series, omega, weights)
    features = np.hstack([proper, alpha, products])
    return features, error + ROUNDING * (1.0 + np.abs(features))


def _quadrature(series: _Series, omega: Array, weights: Weights) -> Array:
    """Return what sums leave out of the features' integrals, shape (W, 12).

    They are of fourth order in the step, so that the sum over every second sample differs from the
    one over all by 15 times that.
    """
    parts = []
    for w, k in ((weights, 1), (weights.coarse, 2)):
        turn, v, up = omega[:, ::k], series.v[:, ::k], series.R[:, ::k, 2, :]
        linear = np.einsum("m,wmk->wk", w.slope, v)
        linear = linear + np.einsum("m,wmk->wk", w.value, np.cross(turn, v) + GRAVITY * up)
        alpha = np.einsum("m,wmk->wk", w.slope, turn)
        square = np.einsum("m,wmk->wk", w.value, turn[..., _ROW] * turn[..., _COLUMN])
        parts.append(np.hstack([linear, alpha, square]))
    return np.asarray(QUADRATURE * np.abs(parts[1] - parts[0]))


def _smaller(one: tuple[Array, Array], two: tuple[Array, Array]) -> tuple[Array, Array]:
    """Return, window by window, the values with the smaller bound, those of the first in a tie."""
    better = two[1].sum(axis=1) < one[1].sum(axis=1)
    return (
        np.where(better[:, None], two[0], one[0]),
        np.where(better[:, None], two[1], one[1]),
    )


def _angular_of_twists(omega: Array, error: Array, weights: Weights) -> tuple[Array, Array]:
    """Return -int w' omega, and its error."""
    value = np.einsum("m,wmk->wk", weights.slope, omega)
    return value, np.einsum("m,wmk->wk", np.abs(weights.slope), error)


def _angular_of_poses(
    series: _Series, bounds: RobotBounds, weights: Weights
) -> tuple[Array, Array]:
    """Return the same from differences of orientations, and its error."""
    h, R = weights.step, series.R
    W, M = R.shape[0], R.shape[1] - 1
    turned = (R[:, :-1].swapaxes(2, 3) @ R[:, 1:]).reshape(-1, 3, 3)
    mean = Rotation.from_matrix(turned).as_rotvec().reshape(W, M, 3) / h
    s = (np.arange(M) + 0.5) / M
    slope = -h * 2.0 * np.pi / weights.length**2 * np.sin(2.0 * np.pi * s)
    curve = (2.0 * np.pi / weights.length) ** 2 / weights.length
    value = np.einsum("m,wmk->wk", slope, mean)
    # midpoint rule, and mean over a step for the value at its middle: Euler-Maclaurin again
    ends = h**2 / 24.0 * curve * (mean[:, -1] - mean[:, 0])
    value = value - ends
    spin = np.linalg.norm(series.omega, axis=2) + np.sqrt(3.0) * bounds.angular_velocity
    e = (bounds.orientation + bounds.jitter * spin) * series.gain
    bend = np.abs(np.diff(slope, prepend=0.0, append=0.0)) / h
    speed = np.abs(series.omega).max(axis=2)
    error = e @ bend + np.einsum("m,wm->w", np.abs(weights.slope), 2.0 * speed * e)
    change = np.abs(np.diff(mean, n=2, axis=1)).max(axis=2) if M > 2 else np.zeros((W, 1))
    left = np.einsum("m,wm->w", np.abs(slope[1:-1]), change) / 24.0 + TAYLOR * np.abs(ends).max(
        axis=1
    )
    total = 1.02 * error + left + 2.0 * (bounds.orientation / h) * TAYLOR
    return value, np.repeat(total[:, None], 3, axis=1)


def _linear_of_twists(
    series: _Series, omega: Array, omega_error: Array, bounds: RobotBounds, weights: Weights
) -> tuple[Array, Array]:
    """Return int w (dv/dt + omega x v), and its error."""
    v, w = series.v, weights.value
    e = series.gain[..., None] * bounds.linear_velocity + series.left_out[..., 3:6]
    value = np.einsum("m,wmk->wk", weights.slope, v) + np.einsum("m,wmk->wk", w, np.cross(omega, v))
    error = np.einsum("m,wmk->wk", np.abs(weights.slope), e)
    turned = _cross_size(np.abs(omega), e) + _cross_size(omega_error, np.abs(v) + e)
    return value, error + np.einsum("m,wmk->wk", w, turned)


def _linear_of_poses(series: _Series, bounds: RobotBounds, weights: Weights) -> tuple[Array, Array]:
    """Return int w R' p'' from second differences of positions, and its error."""
    h, w = weights.step, weights.value
    x = series.x - series.x[:, :1]
    second = np.diff(x, n=2, axis=1) / h**2  # at samples 1..M-1
    fourth = np.zeros_like(second)
    fourth[:, 1:-1] = np.diff(second, n=2, axis=1)
    R = series.R[:, 1:-1]
    local = np.einsum("wmji,wmj->wmi", R, second - fourth / 12.0)
    value = np.einsum("m,wmk->wk", w[1:-1], local)
    weighted = w[1:-1, None, None] * R  # (W, M - 1, 3, 3): second differences by parts
    padded = np.pad(weighted, ((0, 0), (2, 2), (0, 0), (0, 0)))
    bend = np.abs(np.diff(padded, n=2, axis=1)) / h**2  # of every sample
    swept = np.linalg.norm(series.v, axis=2) + np.sqrt(3.0) * bounds.linear_velocity
    e = (bounds.position + bounds.jitter * swept) * series.gain
    error = 1.15 * np.einsum("wmji,wm->wi", bend, e)
    # an error of the orientation turns the acceleration, whose size the twists tell
    rate = np.linalg.norm(np.gradient(series.v, h, axis=1), axis=2) + np.linalg.norm(
        np.cross(series.omega, series.v), axis=2
    )
    error += (bounds.orientation * np.einsum("m,wm->w", w, series.gain * rate))[:, None]
    left = np.abs(np.einsum("m,wmk->wk", w[1:-1], np.einsum("wmji,wmj->wmi", R, fourth / 12.0)))
    return value, error + 0.1 * left + 1e-9


def _vertical(series: _Series, bounds: RobotBounds, weights: Weights) -> tuple[Array, Array]:
    """Return the mean of the vertical in {i}, and its error."""
    up = series.R[..., 2, :]
    w = weights.value
    e = bounds.orientation * series.gain
    across = np.abs(up).sum(axis=2, keepdims=True) - np.abs(up)
    error = np.einsum("m,wmk->wk", w, across * e[..., None]) + np.sqrt(2.0) * bounds.tilt
    error += (np.einsum("m,wm->w", w, 1.5 * e**2) + bounds.tilt**2)[:, None]
    return np.einsum("m,wmk->wk", w, up), error


def _rates(series: _Series, weights: Weights) -> Array:
    """Return the mean size of the features' rates of change, shape (W, 12)."""
    h, w = weights.step, weights.value
    gain = np.maximum(series.gain[:, 1:], series.gain[:, :-1])[..., None]
    proper = np.einsum("wmji,j->wmi", series.R, UP) * GRAVITY
    rate = gain * np.abs(np.diff(proper, axis=1)) / h
    turn = gain * np.abs(np.diff(series.omega, axis=1)) / h
    W = len(rate)
    out = np.zeros((W, 12))
    out[:, :3] = np.einsum("m,wmk->wk", w[1:], rate)
    slope = np.abs(weights.slope)[1:]
    out[:, :3] += np.einsum("m,wmk->wk", slope, gain * np.abs(np.diff(series.v, axis=1)) / h)
    out[:, 3:6] = np.einsum("m,wmk->wk", slope, turn)
    size = np.abs(series.omega[:, 1:])
    both = size[..., _ROW] * turn[..., _COLUMN] + size[..., _COLUMN] * turn[..., _ROW]
    out[:, 6:] = np.einsum("m,wmk->wk", w[1:], both)
    return out


def _wrench(series: _Series, bounds: RobotBounds, weights: Weights) -> tuple[Array, ...]:
    """Return mean wrench, error, rate, bend, and mean force along the vertical with its error."""
    w, f = weights.value, series.force
    gain = series.gain[..., None]
    error = gain * bounds.force_absolute + series.left_out[..., 6:]
    error = error + gain * bounds.force_relative * np.abs(f)
    dry = np.abs(series.R).sum(axis=2) * bounds.friction  # |R'| (F, F, F)
    force_error = error + dry
    m = np.zeros_like(f) if series.moment is None else series.moment
    part = 0.0 if series.moment is None else bounds.moment_relative
    moment_error = gain * bounds.moment_absolute + gain * part * np.abs(m)
    six = np.concatenate([f, m], axis=2)
    both = np.concatenate([force_error, np.broadcast_to(moment_error, f.shape)], axis=2)
    rate = np.einsum("m,wmk->wk", weights.slope, six)
    bend = np.abs(np.einsum("m,wmk->wk", weights.bend, six))
    grown = np.maximum(gain[:, 1:], gain[:, :-1])
    change = np.einsum("m,wmk->wk", w[1:], grown * np.abs(np.diff(six, axis=1))) / weights.step
    total = np.einsum("m,wmk->wk", w, both) + bounds.jitter * change
    coarse = np.einsum("m,wmk->wk", weights.coarse.value, six[:, ::2])
    total += QUADRATURE * np.abs(coarse - np.einsum("m,wmk->wk", w, six))
    up = series.R[..., 2, :]
    lift = np.einsum("m,wmk,wmk->w", w, up, f)
    lift_error = np.einsum("m,wmk,wmk->w", w, np.abs(up), force_error)
    across = np.linalg.norm(f, axis=2)
    off = bounds.orientation * np.sqrt(3.0) * series.gain + np.sqrt(2.0) * bounds.tilt
    lift_error += np.einsum("m,wm->w", w, off * across)
    biased = bounds.force_bias + bounds.force_gain * np.abs(lift)
    lift_error += np.sqrt(3.0) * biased + 1e-9
    wrench = np.einsum("m,wmk->wk", w, six)
    return wrench, total + ROUNDING * (1 + np.abs(wrench)), rate, bend, lift, lift_error


def _cross_size(a: Array, b: Array) -> Array:
    """Return |a| x |b| with all terms positive: the largest of each component."""
    return np.asarray(a[..., [1, 2, 0]] * b[..., [2, 0, 1]] + a[..., [2, 0, 1]] * b[..., [1, 2, 0]])
