r"""Features F = (a_p, alpha, omega omega') of one robot's grasp frame: means over each window.

For a smooth weight w >= 0 with int w = 1 that vanishes with its slope at both ends,

    int w dV/dt dt = -int w' V dt,

so that the features of the Newton-Euler rows (`rows.wrench`) follow from twists without
differentiation, and from poses, p'' = sum over second differences, with weights that fall off
alike. The source with the smaller guaranteed error is taken: twist, pose, or an IMU.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from ..arrays import Array
from ..rows.quadrature import ROUNDING
from ..rows.wrench.feature_error import COLUMN, ROW
from .bounds import RobotBounds
from .closed_form.hann_weights import Weights
from .window_series import GRAVITY, QUADRATURE, Series

TAYLOR = 2e-3  # relative allowance where poses stand for velocities, beside differences


def features_of(series: Series, bounds: RobotBounds, weights: Weights) -> tuple[Array, Array]:
    """Return F and the bound on its error, shape (W, 12) each."""
    omega, omega_error = series.omega, series.gain[..., None] * bounds.angular_velocity
    omega_error = omega_error + series.left_out[..., :3]
    if series.gyro is not None and bounds.imu_angular_velocity < bounds.angular_velocity:
        read = np.isfinite(series.gyro).all(axis=(1, 2), keepdims=True)  # in the whole window
        better = series.gain[..., None] * bounds.imu_angular_velocity + series.left_out[..., :3]
        omega = np.where(read, series.gyro, omega)
        omega_error = np.where(read, better, omega_error)
    w = weights.value
    products = np.einsum("m,wmk->wk", w, omega[..., ROW] * omega[..., COLUMN])
    size, e = np.abs(omega), omega_error
    wide = size[..., ROW] * e[..., COLUMN] + size[..., COLUMN] * e[..., ROW]
    product_error = np.einsum("m,wmk->wk", w, wide + e[..., ROW] * e[..., COLUMN])
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
        felt_error[~np.isfinite(felt).all(axis=1)] = np.inf
        proper, proper_error = _smaller((proper, proper_error), (felt, felt_error))
    # a stamp that is off by the jitter moves every value by its rate
    jitter = bounds.jitter * _rates(series, weights)
    error = np.hstack([proper_error, alpha_error, product_error]) + jitter
    error += _quadrature(series, omega, weights)
    features = np.hstack([proper, alpha, products])
    return features, error + ROUNDING * (1.0 + np.abs(features))


def _quadrature(series: Series, omega: Array, weights: Weights) -> Array:
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
        square = np.einsum("m,wmk->wk", w.value, turn[..., ROW] * turn[..., COLUMN])
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


def _angular_of_poses(series: Series, bounds: RobotBounds, weights: Weights) -> tuple[Array, Array]:
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
    series: Series, omega: Array, omega_error: Array, bounds: RobotBounds, weights: Weights
) -> tuple[Array, Array]:
    """Return int w (dv/dt + omega x v), and its error."""
    v, w = series.v, weights.value
    e = series.gain[..., None] * bounds.linear_velocity + series.left_out[..., 3:6]
    value = np.einsum("m,wmk->wk", weights.slope, v) + np.einsum("m,wmk->wk", w, np.cross(omega, v))
    error = np.einsum("m,wmk->wk", np.abs(weights.slope), e)
    turned = cross_size(np.abs(omega), e) + cross_size(omega_error, np.abs(v) + e)
    return value, error + np.einsum("m,wmk->wk", w, turned)


def _linear_of_poses(series: Series, bounds: RobotBounds, weights: Weights) -> tuple[Array, Array]:
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


def _vertical(series: Series, bounds: RobotBounds, weights: Weights) -> tuple[Array, Array]:
    """Return the mean of the vertical in {i}, and its error."""
    up = series.R[..., 2, :]
    w = weights.value
    e = bounds.orientation * series.gain
    across = np.abs(up).sum(axis=2, keepdims=True) - np.abs(up)
    error = np.einsum("m,wmk->wk", w, across * e[..., None]) + np.sqrt(2.0) * bounds.tilt
    error += (np.einsum("m,wm->w", w, 1.5 * e**2) + bounds.tilt**2)[:, None]
    return np.einsum("m,wmk->wk", w, up), error


def _rates(series: Series, weights: Weights) -> Array:
    """Return the mean size of the features' rates of change, shape (W, 12)."""
    h, w = weights.step, weights.value
    gain = np.maximum(series.gain[:, 1:], series.gain[:, :-1])[..., None]
    proper = GRAVITY * series.R[..., 2, :]
    rate = gain * np.abs(np.diff(proper, axis=1)) / h
    turn = gain * np.abs(np.diff(series.omega, axis=1)) / h
    W = len(rate)
    out = np.zeros((W, 12))
    out[:, :3] = np.einsum("m,wmk->wk", w[1:], rate)
    slope = np.abs(weights.slope)[1:]
    out[:, :3] += np.einsum("m,wmk->wk", slope, gain * np.abs(np.diff(series.v, axis=1)) / h)
    out[:, 3:6] = np.einsum("m,wmk->wk", slope, turn)
    size = np.abs(series.omega[:, 1:])
    both = size[..., ROW] * turn[..., COLUMN] + size[..., COLUMN] * turn[..., ROW]
    out[:, 6:] = np.einsum("m,wmk->wk", w[1:], both)
    return out


def cross_size(a: Array, b: Array) -> Array:
    """Return |a| x |b| with all terms positive: the largest of each component."""
    return np.asarray(a[..., [1, 2, 0]] * b[..., [2, 0, 1]] + a[..., [2, 0, 1]] * b[..., [1, 2, 0]])
