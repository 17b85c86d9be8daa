r"""What rows leave of a payload's and nuisance parameters' uncertainty, in second moments.

Rows and the unit box of the nuisance parameters are weighed by their bounds. With
w_i = [B A]_i / d_i and the sum over all rows, collected ones included,

    N = diag(1, S^-2) + sum_i w_i w_i',   S the half widths of what was known of phi before,

is the information; the payload's part of N^-1 is what remains with psi eliminated.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ..prediction.candidate_rows import CandidateRows, Collected


def information(rows: CandidateRows, collected: Collected, known: Array) -> Array:
    """Return N, shape (C, p + 10, p + 10).

    Args:
        rows: Of the candidates, with B.
        collected: Rows before.
        known: Half widths of phi before any row, shape (10,).
    """
    whole = rows.scaled
    prior = np.append(np.ones(rows.B.shape[-1]), known**-2.0)
    return np.swapaxes(whole, 1, 2) @ whole + (collected.weighted + np.diag(prior))


def payload_columns(N: Array) -> Array:
    """Return the payload's columns of N^-1, shape (C, p + 10, 10)."""
    select = np.zeros((N.shape[-1], 10))
    select[-10:] = np.eye(10)
    return np.asarray(np.linalg.solve(N, np.broadcast_to(select, (len(N), *select.shape))))


def by_rows(rows: CandidateRows, by_scaled: Array) -> CandidateRows:
    """Return derivatives by the rows' A, B and d from those by [B A] / d, one candidate.

    Args:
        rows: The rows.
        by_scaled: Shape (m, p + 10).
    """
    p, d = rows.B.shape[-1], rows.d[0][:, None]
    by_d = -(by_scaled * rows.scaled[0]).sum(axis=1) / rows.d[0]
    by = by_scaled / d
    return CandidateRows(by[None, :, p:], by[None, :, :p], by_d[None])
