"""Integrals and changes over one window of samples, and what the rules for them leave out."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, IntArray

LEAST_SAMPLES = 5  # in a window: differences at its two ends that do not share all their samples
ROUNDING = 1e-12  # relative size of what floating-point sums leave out


def trapezoid_weights(stamp: Array) -> Array:
    """Return w with sum w f(t) the trapezoid rule on stamps t, shape (N,) [s]."""
    step = np.diff(stamp)
    weight = np.zeros(len(stamp))
    weight[:-1] += step / 2
    weight[1:] += step / 2
    return weight


def end_samples(N: int) -> IntArray:
    """Return the first four and last four of N sample numbers."""
    return np.array([0, 1, 2, 3, N - 4, N - 3, N - 2, N - 1])


def end_correction(stamp: Array, value: Array) -> tuple[Array, Array]:
    """Return h^2/12 (d2/dt2 W_m(t2) - d2/dt2 W_m(t1)) and a bound on what it leaves.

    The second differences lie a step inside the window, unequal steps weigh its parts unequally,
    and the stamps are rounded; third, second and first differences at the ends tell how much each
    may matter.

    Args:
        stamp: All stamps of the window, shape (N,) [s].
        value: W_m (or what else is differentiated) at `end_samples`, shape (8, ...).
    """
    step, square = np.diff(stamp), mean_square_step(stamp)
    uneven = np.abs(step**3 - square * step).sum()
    rounding = np.spacing(np.abs(stamp[[0, -1]]).max())
    seconds, remainder = [], np.zeros(value.shape[1:])
    for t, w in ((stamp[:4], value[:4]), (stamp[:-5:-1], value[:3:-1])):
        first, second, third = _derivatives(t, w)
        inward = abs(np.mean(t[:3]) - t[0])
        remainder += (square * inward + uneven) / 12 * np.abs(third)
        remainder += rounding * (np.abs(first) + step.sum() * np.abs(second))
        seconds.append(second)
    correction = square / 12 * (seconds[1] - seconds[0])
    return correction, np.abs(correction) + remainder


def mean_square_step(stamp: Array) -> float:
    """Return h^2, the mean of the squared steps over time; exact for equal steps [s2]."""
    step = np.diff(stamp)
    return float(np.sum(step**3) / np.sum(step))


def end_weights(stamp: Array) -> tuple[float, float]:
    """Return by how much errors of single samples enter corrected changes, at either end."""
    square = mean_square_step(stamp)
    sizes = []
    for t in (stamp[:3], stamp[:-4:-1]):
        before, after = abs(t[1] - t[0]), abs(t[2] - t[1])
        sizes.append(1.0 + square / 12 * 4.0 / (before * after))
    return sizes[0], sizes[1]


def _derivatives(t: Array, w: Array) -> tuple[Array, Array, Array]:
    """Return first, second and third derivative from four values (Newton's differences).

    The first is that of the line through the first two values, the second that of the parabola
    through three, the third that of the cubic.
    """
    first = [(w[k + 1] - w[k]) / (t[k + 1] - t[k]) for k in range(3)]
    second = [2.0 * (first[k + 1] - first[k]) / (t[k + 2] - t[k]) for k in range(2)]
    return first[0], second[0], 3.0 * (second[1] - second[0]) / (t[3] - t[0])


def sign_integral(stamp: Array, dq: Array, threshold: Array | float) -> tuple[Array, Array]:
    """Return the integral of sign(dq), and the time during which the sign is not known.

    Args:
        stamp: Times, shape (N,) [s].
        dq: Velocities, shape (N, n).
        threshold: Speed below which the direction of friction is not known, shape (n,).

    Returns:
        integral, unknown: shape (n,) [s] each.
    """
    step = np.diff(stamp)
    sign = np.where(np.abs(dq) > threshold, np.sign(dq), 0.0)
    known = (sign[1:] == sign[:-1]) & (sign[1:] != 0.0)
    return step @ (sign[1:] * known), step @ ~known
