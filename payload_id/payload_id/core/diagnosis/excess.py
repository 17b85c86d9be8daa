"""By how much windows must exceed their bounds for one payload to explain all rows."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ..arrays import Array, IntArray
from ..bounds.cutting_planes import ConsistencyCuts, Rows, Separator, minimise
from ..bounds.linear_program import LinearProgram
from ..bounds.scaled_rows import ScaledRows
from ..errors import SolverError

ROUNDING = 1e-6  # of a bound, by which solvers exceed it


def least_excess(
    scaled: ScaledRows, window: IntArray, cost: Array, shape: Array | None = None
) -> Array:
    """Return by how much each row exceeds its bound, in parts of it, shape (m,).

    Of the x with the least sum of cost s over the windows, |G x - r| <= 1 + s, s >= 0: s is larger
    than zero in few windows where few are the cause.

    Args:
        scaled: The rows.
        window: The window of each row, shape (m,).
        cost: Of each window's excess, shape (k,).
        shape: Rows c with c phi >= 0 of a body, shape (K, 10); None: phi need not be a body's.
    """
    none, far = np.zeros(len(cost)), np.full(len(cost), np.inf)
    program = LinearProgram(np.append(scaled.lower, none), np.append(scaled.upper, far))
    own = sparse.eye_array(len(cost), format="csr")[window]
    families: list[Separator] = [Rows(program, scaled, share=own)]
    if shape is not None:
        columns = len(cost)
        families.append(ConsistencyCuts(program, scaled, np.zeros((0, 4)), shape, columns=columns))
    try:
        solution = minimise(program, families, np.append(0.0 * scaled.lower, cost))
    except SolverError:
        solution = None
    if solution is None:
        return np.zeros(len(scaled.r))
    left = np.abs(scaled.G @ solution.x[: len(scaled.lower)] - scaled.r)
    return np.where(left > 1.0 + ROUNDING, left - 1.0, 0.0)


def worst_of(excess: Array, window: IntArray, windows: int) -> Array:
    """Return the largest excess of each window's rows, shape (k,)."""
    worst = np.zeros(windows)
    np.maximum.at(worst, window, excess)
    return worst
