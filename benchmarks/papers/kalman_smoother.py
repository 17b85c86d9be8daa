"""Smoothing of noisy positions and orientations with any steps, by a Kalman filter and back.

SciPy has no Kalman smoother.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from payload_id.core.arrays import Array
from payload_id.core.samples.filters import AngularMotion, turned_by


@dataclass(frozen=True)
class LinearMotion:
    """Smoothed value and its first two derivatives, shape (N, k) each."""

    value: Array
    velocity: Array
    acceleration: Array


def kalman_smoother(stamp: Array, value: Array, noise: float, jerk: float) -> LinearMotion:
    """Return value, velocity and acceleration by a Kalman filter and the smoother after it.

    Constant acceleration driven by white jerk; Rauch, Tung and Striebel (1965). Any steps.

    Args:
        stamp: Times, increasing, shape (N,) [s].
        value: Measured values, shape (N,) or (N, k).
        noise: Standard deviation of a measured value.
        jerk: Spectral density of the jerk, unit/s3 per sqrt(Hz): how fast the acceleration changes.
    """
    columns = np.asarray(value, dtype=float).reshape(len(stamp), -1)
    N, k = columns.shape
    means, predicted = np.zeros((N, 3, k)), np.zeros((N, 3, k))
    spreads, predicted_spreads = np.zeros((N, 3, 3)), np.zeros((N, 3, 3))
    unit = float(np.median(np.diff(stamp)))  # rates per step: all of one size
    transitions = [_transition(step / unit, jerk * unit**2.5) for step in np.diff(stamp)]
    x = np.zeros((3, k))
    x[0] = columns[0]
    P = _first_spread(columns, noise)
    for n in range(N):
        if n:
            F, Q = transitions[n - 1]
            x, P = F @ x, F @ P @ F.T + Q
        predicted[n], predicted_spreads[n] = x, P
        gain = P[:, :1] / (P[0, 0] + noise**2)
        x = x + gain @ (columns[n] - x[0])[None]
        keep = np.eye(3) - gain @ np.eye(1, 3)
        P = keep @ P @ keep.T + noise**2 * gain @ gain.T  # Joseph's form
        means[n], spreads[n] = x, P
    for n in range(N - 2, -1, -1):
        F, _ = transitions[n]
        back = np.linalg.solve(predicted_spreads[n + 1], F @ spreads[n]).T
        means[n] += back @ (means[n + 1] - predicted[n + 1])
    shape = np.shape(value)
    return LinearMotion(*((means[:, i] / unit**i).reshape(shape) for i in range(3)))


def _transition(step: float, jerk: float) -> tuple[Array, Array]:
    """Return the matrix of one step of constant acceleration, and what white jerk adds to it."""
    t = step
    F = np.array([[1.0, t, t * t / 2], [0.0, 1.0, t], [0.0, 0.0, 1.0]])
    Q = np.array(
        [[t**5 / 20, t**4 / 8, t**3 / 6], [t**4 / 8, t**3 / 3, t**2 / 2], [t**3 / 6, t**2 / 2, t]]
    )
    return F, jerk**2 * Q


def _first_spread(columns: Array, noise: float) -> Array:
    """Return a wide covariance for the first sample: changes of the whole range in one step."""
    size = float(np.ptp(columns, axis=0).max()) + noise
    return np.diag([noise**2, size**2, size**2])


def rotation_kalman_smoother(
    stamp: Array, rotation: Array, noise: float, jerk: float
) -> AngularMotion:
    """Return orientation and rates from noisy orientations by the Kalman smoother.

    The rotation vectors of the steps, added up, are smoothed; their rate is omega. The
    orientations are turned by the difference: exact to first order in what is removed.

    Args:
        stamp: Times, increasing, shape (N,) [s].
        rotation: Axes in the world, shape (N, 3, 3).
        noise: Standard deviation of an orientation [rad].
        jerk: As in `kalman_smoother` [rad/s3 per sqrt(Hz)].
    """
    measured = scipy.spatial.transform.Rotation.from_matrix(rotation)
    theta = turned_by(measured)
    smooth = kalman_smoother(stamp, theta, noise, jerk)
    change = scipy.spatial.transform.Rotation.from_rotvec(smooth.value - theta)
    return AngularMotion((measured * change).as_matrix(), smooth.velocity, smooth.acceleration)
