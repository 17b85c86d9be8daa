"""A bound that holds whatever the solver did [Neumaier2004].

For any multipliers, of rows (any sign) and cuts (not negative),

    f'phi >= sum_i (lambda_i+ (b_i - d_i) - lambda_i- (b_i + d_i)) + min over the box of
             (f - A'lambda - C'mu)'phi - (B'lambda)'u,

since each term is a bound of its own. The multipliers of an approximate optimum make it tight; the
box is finite, so what they leave over costs little. Rounding is bounded and subtracted.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..rows.row_block import RowBlock
from .interval import Interval

UNIT = 2.0**-53  # unit roundoff of double precision


def safe_minimum(
    objective: Array,
    rows: RowBlock,
    d: Array,
    multiplier: Array,
    cuts: Array,
    cut_multiplier: Array,
    known: Interval,
) -> float:
    """Return a number that objective'phi cannot go below.

    Args:
        objective: Shape (10,).
        rows: Rows |A phi + B u - b| <= d, |u| <= 1.
        d: Bound on each row's error, shape (m,).
        multiplier: One for each row, any sign, shape (m,).
        cuts: Rows c with c phi >= 0 (but for their rounding), shape (K, 10).
        cut_multiplier: One for each cut, shape (K,); negative ones count as zero.
        known: Finite bounds on phi.
    """
    used = np.flatnonzero(multiplier)
    lam, A, B, b, bound = multiplier[used], rows.A[used], rows.B[used], rows.b[used], d[used]
    mu = np.maximum(cut_multiplier, 0.0)
    size = np.abs(lam)
    value = lam @ b - size @ bound
    left = objective - lam @ A - mu @ cuts
    free = lam @ B
    value += np.minimum(left * known.lower, left * known.upper).sum() - np.abs(free).sum()
    # Every sum of k products errs by at most (k + 2) units of the sum of their magnitudes.
    unit = (len(lam) + len(mu) + 32) * UNIT * 1.01
    largest = known.magnitude
    slip = unit * (np.abs(objective) + size @ np.abs(A) + 2 * (mu @ np.abs(cuts))) @ largest
    slip += unit * (size @ np.abs(B)).sum() + unit * (size @ (np.abs(b) + bound))
    slip += unit * (np.abs(left) @ largest + np.abs(free).sum() + abs(value))
    return float(value - 2 * slip)
