"""From measured to true torque: what the bounds on the sensors' noise leave open."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from ...arrays import Array
from ..windows import STAMP_TOLERANCE
from .nuisance import largest_gain
from .uncertainty import Uncertainty

ROWS_OF_A_RUN = 100_000  # for which `coverage` holds: 24 minutes of 7 joints in 0.1 s windows


def noise_free(uncertainty: Uncertainty, tau: Array) -> tuple[Array, Array]:
    """Return what the sensors would show without noise: middle and half width, (N, n) [N m].

    The noise may be relative to the joint's torque T or to the reading (1 + gain) T + offset.

    Args:
        uncertainty: What is assumed about the sensors.
        tau: Measured torques, shape (N, n) [N m].
    """
    n = tau.shape[1]
    relative = uncertainty.per_joint("torque_relative", n)
    relative = relative * largest_gain(uncertainty.per_joint("torque_gain", n))
    offset = uncertainty.per_joint("torque_offset", n)
    absolute = uncertainty.per_joint("torque_absolute", n) + relative * offset
    return true_torque(tau, relative, absolute)


def mean_noise(uncertainty: Uncertainty, duration: float, size: Array, least: Array) -> Array:
    """Return what the noise can add to the integral of the reading over a window, (n,) [N m s].

    As in `weighted_noise`, x the least bound of `torque_mean` for windows so long. Infinite for
    joints of which no mean over so short a time is stated.

    Args:
        uncertainty: What is assumed about the sensors.
        duration: L [s].
        size: Integral of |reading|, shape (n,) [N m s].
        least: As in `weighted_noise`.
    """
    n = len(size)
    mean = np.full(n, np.inf)
    for length, bound in uncertainty.means(n):
        if duration >= length - STAMP_TOLERANCE:
            mean = np.minimum(mean, bound)
    return weighted_noise(uncertainty, duration, size, least, mean)


def weighted_noise(
    uncertainty: Uncertainty, total: float, size: Array, least: Array, mean: Array
) -> Array:
    """Return what the noise can add to  int w reading dt,  w >= 0, shape (n,) [N m s].

    With r the relative and a the absolute bound of a sample, o that of the offset, x that on the
    weighted mean of the absolute part and W = int w dt: |relative part| <= r (o + the larger of
    |reading| and |noise-free reading|), the latter at most (|reading| + a) / (1 - r), so that

        |int w noise| <= r / (1 - r) (int w |reading| + a W) + (r o + x) W.

    Where noise cannot have turned the sign of any reading, |reading| > (a + r o) / (1 - r), and r
    is of the same of the two throughout, int w |noise-free reading| is the magnitude of
    int w (reading - noise) dt, in which the noise averages out as well: r o + x in place of a.

    Args:
        uncertainty: What is assumed about the sensors.
        total: W [s].
        size: Integral of w |reading|, shape (n,) [N m s].
        least: Least |reading| of readings of one sign, 0 for others, shape (n,) [N m].
        mean: x, shape (n,) [N m].
    """
    n = len(size)
    if np.isinf(mean).all():
        return mean
    gain = largest_gain(uncertainty.per_joint("torque_gain", n))
    relative = uncertainty.per_joint("torque_relative", n) * gain
    shifted = relative * uncertainty.per_joint("torque_offset", n)
    absolute = uncertainty.per_joint("torque_absolute", n) + shifted
    one_sign = least * (1.0 - relative) > absolute
    beside = np.where(one_sign, np.minimum(shifted + mean, absolute), absolute)
    part = relative / (1.0 - relative) * (size + beside * total)
    return np.asarray(part + (shifted + mean) * total)


def gaussian_bound(uncertainty: Uncertainty, n: int) -> Array:
    """Return what independent Gaussian noise of one sample is held to, shape (n,) [N m].

    A weighted sum of independent samples has the standard deviation sigma |weights|. No row of
    `ROWS_OF_A_RUN` exceeds `quantile` of them with the stated probability (union bound).
    """
    quantile = -ndtri((1.0 - uncertainty.coverage) / (2.0 * ROWS_OF_A_RUN))
    return np.asarray(quantile * uncertainty.per_joint("torque_sigma", n))


def true_torque(tau: Array, relative: Array, absolute: Array) -> tuple[Array, Array]:
    """Return the middle and half the width of the interval that holds the true torque.

    "Relative" may mean relative to the true or to the measured value; both readings are covered:
    |tau - true| <= r |true| + a  or  |tau - true| <= r |tau| + a.

    Args:
        tau: Measured torques, shape (N, n) [N m].
        relative: Fraction r < 1 for each joint, shape (n,) [-].
        absolute: a for each joint, shape (n,) [N m].

    Returns:
        middle, half_width: shape (N, n) [N m].
    """
    size = np.abs(tau)
    outer = (size + absolute) / (1.0 - relative)  # largest |true| with r of the true value
    inner = np.minimum(
        size * (1.0 - relative) - absolute,  # r of the measured value
        (size - absolute) / np.where(size > absolute, 1.0 + relative, 1.0 - relative),
    )
    return np.sign(tau) * (outer + inner) / 2, np.where(
        tau == 0.0, np.maximum(outer, -inner), (outer - inner) / 2
    )
