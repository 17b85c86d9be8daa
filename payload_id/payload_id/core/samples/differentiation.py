"""Velocities from positions, where a recording has none."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..arrays import Array
from .stamps import stretches

# Positions this far to either side enter each fit [s]: the bias is a tenth of its square times the
# third derivative, 5e-4 rad/s at 50 rad/s3.
HALF_WIDTH = 0.01


def velocities(stamp: Array, q: Array) -> Array:
    """Differentiate joint positions by a quadratic fitted around each sample.

    The filter of Savitzky and Golay (1964), solved on the real stamps, where SciPy's takes equal
    steps for granted; nothing is fitted across a gap, and steps of a whole turn (an angle that
    wraps) are undone first.

    Args:
        stamp: Time of each sample, strictly increasing, shape (N,) [s].
        q: Joint positions, shape (N, n) [rad or m].

    Returns:
        dq: Joint velocities, shape (N, n) [rad/s or m/s]; NaN for a sample alone between two gaps.

    """
    if len(stamp) < 2:
        return np.full(q.shape, np.nan)
    half = max(2, round(HALF_WIDTH / float(np.median(np.diff(stamp)))))
    return np.concatenate(
        [_piece(stamp[part], np.unwrap(q[part], axis=0), half) for part in stretches(stamp)]
    )


def _piece(t: Array, q: Array, half: int) -> Array:
    """Differentiate positions without gaps, in windows of 2 half + 1 samples."""
    width = 2 * half + 1
    if len(t) < 2:
        return np.full(q.shape, np.nan)
    if len(t) < width:
        return np.asarray(np.gradient(q, t, axis=0))
    windows = sliding_window_view(t, width)
    scale = windows[:, -1:] - windows[:, :1]
    x = (windows - t[half : len(t) - half, None]) / scale
    basis = np.stack([np.ones_like(x), x, x * x], axis=1)  # (M, 3, width)
    # Positions about the middle one: only differences matter, and these keep their digits.
    values = sliding_window_view(q, width, axis=0) - q[half : len(t) - half, :, None]
    rhs = np.einsum("mkw,mnw->mkn", basis, values)
    fit = np.linalg.solve(np.einsum("mkw,mlw->mkl", basis, basis), rhs)
    head = fit[0, 1] + 2.0 * fit[0, 2] * x[0, :half, None]
    tail = fit[-1, 1] + 2.0 * fit[-1, 2] * x[-1, half + 1 :, None]
    return np.concatenate([head / scale[0], fit[:, 1] / scale, tail / scale[-1]])
