"""One conic program (Clarabel), on one thread; the solver's panics are errors of the suite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import clarabel
from scipy import sparse

from .arrays import Array
from .errors import SolverError

SOLVED = (clarabel.SolverStatus.Solved, clarabel.SolverStatus.AlmostSolved)


def solve_cones(
    program: str, P: Any, cost: Array, G: Array, right: Array, cones: Sequence[object]
) -> Any:
    """Return what Clarabel says of: minimise x'P x / 2 + cost'x with right - G x in cones.

    Args:
        program: What errors call it.
        P: Sparse, shape (N, N).
        cost: Shape (N,).
        G: Shape (M, N).
        right: Shape (M,).
        cones: Cones of Clarabel, M rows together.

    Raises:
        SolverError: The solver broke off; its panics would pass by every `except Exception`.
    """
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    try:
        return clarabel.DefaultSolver(
            P, cost, sparse.csc_matrix(G), right, list(cones), settings
        ).solve()
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # pyo3 gives no name to import it by
            raise
        raise SolverError(program, f"panic: {error}") from error
