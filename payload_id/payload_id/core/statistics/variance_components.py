"""How large the noise of rows is, as residuals say it: of all rows, and channel by channel."""

from __future__ import annotations

import numpy as np
import scipy

from ..arrays import Array

# Variance of a number that is uniform in [-1, 1]: what a bound of one says about a typical size.
UNIFORM_VARIANCE = 1.0 / 3.0
LEAST_VARIANCE = 1e-8
POOLED_ROWS = 10.0  # rows' worth of trust in the ratios of the channels' bounds
LEAST_FREEDOM = 10  # rows beyond the unknowns from which residuals say something of the noise
HARDLY_SEEN = 1e-10  # part of a column, or of the largest direction, that counts as none


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
    Q = Q[:, diagonal > HARDLY_SEEN * diagonal[0]]
    b = factor[:, -1]
    squares = float(np.sum((b - Q @ (Q.T @ b)) ** 2))
    freedom = rows - Q.shape[1]
    return float(np.clip(squares / freedom, LEAST_VARIANCE, UNIFORM_VARIANCE))


def residual_variance(
    left: Array, weighted: Array, triangle: Array, phi: Array, counts: Array, errors: Array
) -> Array:
    """Return the variance of each channel's rows in units of their bounds, shape (C,).

    What the residuals say, with `POOLED_ROWS` rows' worth of trust in the ratios of the bounds.
    Weights and fit are found in turn; leverages count as in variance component estimation
    [Foerstner1979].

    Args:
        left: What the fit leaves of each channel's factor, shape (C, p + 11).
        weighted: The channels' factors in the units of the fit, shape (C, p + 11, p + 11).
        triangle: R factor of all of them and of u's prior, of full rank, shape (p + 11, p + 11).
        phi: Of the fit, shape (10,).
        counts: Number of rows of each channel, shape (C,).
        errors: Sums of squares of the rows' error bounds, as `Statistics.errors`, shape (C, 11).
    """
    k = len(triangle) - 1
    columns = weighted.reshape(-1, k + 1)[:, :k].T
    spread = scipy.linalg.solve_triangular(triangle[:k, :k], columns, trans="T")
    leverage = (spread**2).sum(axis=0).reshape(len(counts), k + 1).sum(axis=1)
    expected = stated_variance(counts, errors, phi)
    squares = (left**2).sum(axis=1)
    return expected * _shrunk(squares / expected, np.maximum(counts - leverage, 0.0))


def stated_variance(counts: Array, errors: Array, phi: Array) -> Array:
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
