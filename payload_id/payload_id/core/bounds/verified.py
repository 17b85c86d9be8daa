"""A bound that holds whatever the solver did [Neumaier2004].

For any multipliers, of rows (any sign) and cuts (not negative),

    f'phi >= sum_i (lambda_i+ (b_i - d_i) - lambda_i- (b_i + d_i)) - mu'f0 + min over the box of
             (f - A'lambda - C'mu)'phi - (B'lambda + E'mu)'u,     cuts C phi + E u + f0 >= 0,

since each term is a bound of its own. The multipliers of an approximate optimum make it tight; the
box is finite, so what they leave over costs little. Rounding is bounded and subtracted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..rows.row_block import RowBlock
from .interval import Interval

UNIT = 2.0**-53  # unit roundoff of double precision


@dataclass(frozen=True)
class Cuts:
    """Inequalities c phi + e u + f >= 0, true but for the rounding of c and e themselves.

    Attributes:
        c: Shape (K, 10).
        e: Shape (K, p).
        f: Shape (K,).
    """

    c: Array
    e: Array
    f: Array

    @classmethod
    def of_phi(cls, c: Array, p: int) -> Cuts:
        """Return cuts c phi >= 0 among p nuisance parameters."""
        return cls(c, np.zeros((len(c), p)), np.zeros(len(c)))


def safe_minimum(
    objective: Array,
    rows: RowBlock,
    d: Array,
    multiplier: Array,
    cuts: Cuts,
    cut_multiplier: Array,
    known: Interval,
) -> float:
    """Return a number that objective'phi cannot go below.

    Args:
        objective: Shape (10,), or (10 + p,) with the part of u.
        rows: Rows |A phi + B u - b| <= d, |u| <= 1.
        d: Bound on each row's error, shape (m,).
        multiplier: One for each row, any sign, shape (m,).
        cuts: K of them.
        cut_multiplier: One for each cut, shape (K,); negative ones count as zero.
        known: Finite bounds on phi.
    """
    used = np.flatnonzero(multiplier)
    lam, A, B, b, bound = multiplier[used], rows.A[used], rows.B[used], rows.b[used], d[used]
    mu = np.maximum(cut_multiplier, 0.0)
    size = np.abs(lam)
    value = lam @ b - size @ bound
    value -= mu @ cuts.f
    f_phi, f_u = objective[:10], np.zeros(B.shape[1])
    f_u[: len(objective) - 10] = objective[10:]
    left = f_phi - lam @ A - mu @ cuts.c
    free = f_u - lam @ B - mu @ cuts.e
    value += np.minimum(left * known.lower, left * known.upper).sum() - np.abs(free).sum()
    # Every sum of k products errs by at most (k + 2) units of the sum of their magnitudes.
    unit = (len(lam) + len(mu) + 32) * UNIT * 1.01
    largest = known.magnitude
    slip = unit * (np.abs(f_phi) + size @ np.abs(A) + 2 * (mu @ np.abs(cuts.c))) @ largest
    slip += unit * (np.abs(f_u) + size @ np.abs(B) + 2 * (mu @ np.abs(cuts.e))).sum()
    slip += unit * (size @ (np.abs(b) + bound) + mu @ np.abs(cuts.f))
    slip += unit * (np.abs(left) @ largest + np.abs(free).sum() + abs(value))
    return float(value - 2 * slip)
