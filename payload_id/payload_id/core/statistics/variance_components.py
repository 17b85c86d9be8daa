"""How large the noise of rows is, as residuals say it: of all rows, and channel by channel."""

from __future__ import annotations

import numpy as np
import scipy

from ..arrays import Array
from .triangular_factor import factor_of

# Variance of a number that is uniform in [-1, 1]: what a bound of one says about a typical size.
UNIFORM_VARIANCE = 1.0 / 3.0
LEAST_VARIANCE = 1e-8
DEPENDENT = 1e-11  # part of the largest column below which what is left of one is rounding
POOLED_ROWS = 10.0  # rows' worth of trust in the ratios of the channels' bounds
LEAST_FREEDOM = 10  # rows beyond the unknowns from which residuals say something of the noise
HARDLY_SEEN = 1e-10  # part of a column that keeps a direction without data from being undetermined
ROUNDS = 4  # of fits and weights in turn, at the most


def row_variance(factor: Array, rows: int) -> float:
    """Return the variance of rows in units of their bounds that a free fit of (u, phi) suggests.

    Args:
        factor: R factor of [B A b], each row divided by its bound, shape (p + 11, p + 11).
        rows: Number of rows that it stands for.
    """
    if rows - len(factor) + 1 < LEAST_FREEDOM:
        return UNIFORM_VARIANCE
    # Some parameters only occur in sums: the factor is singular, and its corner no residual.
    Q, R, _ = scipy.linalg.qr(factor[:, :-1], mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(R))
    Q = Q[:, diagonal > DEPENDENT * diagonal[0]]
    b = factor[:, -1]
    squares = float(np.sum((b - Q @ (Q.T @ b)) ** 2))
    freedom = rows - Q.shape[1]
    return float(np.clip(squares / freedom, LEAST_VARIANCE, UNIFORM_VARIANCE))


def channel_variance(factors: Array, counts: Array, errors: Array) -> Array:
    """Return the variance of each channel's rows in units of their bounds, shape (C,).

    What the residuals say, with `POOLED_ROWS` rows' worth of trust in the ratios of the bounds.
    Weights and fit are found in turn; leverages count as in variance component estimation
    [Foerstner1979].

    Args:
        factors: R factor of each channel's rows [B A b], shape (C, p + 11, p + 11).
        counts: Number of rows of each channel, shape (C,).
        errors: Sums of squares of the rows' error bounds, as `Statistics.errors`, shape (C, 11).
    """
    expected = _stated_variance(counts, errors, np.zeros(10))
    variance = expected * UNIFORM_VARIANCE
    for _ in range(ROUNDS):
        x, squares, leverage = _free_fit(factors, variance)
        free = np.maximum(counts - leverage, 0.0)
        expected = _stated_variance(counts, errors, x[-10:])
        before, variance = variance, expected * _shrunk(squares / expected, free)
        if np.allclose(variance, before, rtol=1e-3, atol=0.0):
            break
    return variance


def _free_fit(factors: Array, variance: Array) -> tuple[Array, Array, Array]:
    """Return the fit (u, phi) to factors for given variances, and what it does in each channel.

    Everything is computed from triangular factors: squares of residuals taken from sums of
    squares would vanish in rounding where data are nearly exact.

    Returns:
        x: Shape (p + 10,).
        squares: Squared residuals of each channel, shape (C,).
        leverage: Degrees of freedom that the fit takes from each channel, shape (C,).
    """
    k = factors.shape[-1] - 1
    weighted = (factors / np.sqrt(variance)[:, None, None]).reshape(-1, k + 1)
    hold = HARDLY_SEEN * np.linalg.norm(weighted[:, :k], axis=0) + 1e-150
    hold[: k - 10] = np.sqrt(1.0 / UNIFORM_VARIANCE)
    factor = factor_of(weighted, np.column_stack([np.diag(hold), np.zeros(k)]))
    triangle = factor[:k, :k]
    x = scipy.linalg.solve_triangular(triangle, factor[:k, k])
    left = factors @ np.append(x, -1.0)
    spread = scipy.linalg.solve_triangular(triangle, weighted[:, :k].T, trans="T")
    leverage = (spread**2).sum(axis=0).reshape(len(variance), k + 1).sum(axis=1)
    return x, (left**2).sum(axis=1), leverage


def _stated_variance(counts: Array, errors: Array, phi: Array) -> Array:
    """Return the mean of the squared bounds of each channel's parts at phi, shape (C,)."""
    whole = errors @ np.append(phi**2, 1.0)
    return np.where(whole > 0, whole, 1.0) / np.maximum(counts, 1.0)


def _shrunk(squares: Array, free: Array) -> Array:
    """Return the variances of channels, drawn to their geometric mean as if it were rows.

    Args:
        squares: Sums of squared residuals, shape (C,).
        free: Degrees of freedom of each, shape (C,).
    """
    if free.sum() < LEAST_FREEDOM:
        return np.full(len(free), UNIFORM_VARIANCE)
    logs = np.log(np.maximum(squares / np.maximum(free, 1e-9), LEAST_VARIANCE))
    mean = float(free @ logs / free.sum())
    return np.exp((free * logs + POOLED_ROWS * mean) / (free + POOLED_ROWS))
