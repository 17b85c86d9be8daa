"""Conic programs (Clarabel), on one thread; the solver's panics are errors of the suite.

Symmetric matrices are vectors there: the upper triangle by columns, elements off the diagonal times
the square root of 2, so that the inner product of two such vectors is that of the matrices.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import clarabel
import numpy as np
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
        _raise_as_solver_error(program, error)
        raise


class ConeProgram:
    """A program that is put together block by block: right - sum of G x in cones."""

    def __init__(self, name: str, width: int) -> None:
        """Begin without constraints; `name` is what errors call it, `width` the length of x."""
        self._name, self._width = name, width
        self._G: list[Array] = []
        self._right: list[Array] = []
        self._cones: list[object] = []

    def add(self, kind: str, right: Array, blocks: Mapping[int, Array]) -> None:
        """Add a cone (a kind of `cone_of`).

        Args:
            kind: Of the cone.
            right: Shape (k,).
            blocks: G, shape (k, ...) each, by the first column of x that it multiplies.
        """
        G = np.zeros((len(right), self._width))
        for first, block in blocks.items():
            G[:, first : first + block.shape[1]] = block
        self._G.append(G)
        self._right.append(right)
        self._cones.append(cone_of(kind, len(right)))

    def least_squares(self, part: slice) -> Array:
        """Return the x for which the sum of squares of a part of x is least.

        Raises:
            SolverError: The program did not end with an answer.
        """
        weight = np.zeros(self._width)
        weight[part] = 1.0
        P, none = sparse.diags(weight, format="csc"), np.zeros(self._width)
        G, right = np.vstack(self._G), np.concatenate(self._right)
        solution = solve_cones(self._name, P, none, G, right, self._cones)
        if solution.status not in SOLVED:
            raise SolverError(self._name, str(solution.status))
        return np.array(solution.x)


def solve_convex(program: str, cost: Any, constraints: Sequence[Any]) -> None:
    """Minimise a convex cost under constraints, all of CVXPY; their variables take the answer.

    Args:
        program: What errors call it.
        cost: Expression of CVXPY.
        constraints: Constraints of CVXPY.

    Raises:
        SolverError: The program did not end with an answer.
    """
    import cvxpy

    problem = cvxpy.Problem(cvxpy.Minimize(cost), list(constraints))
    try:
        with warnings.catch_warnings():  # that the answer is less accurate than asked for
            warnings.simplefilter("ignore")
            problem.solve(solver=cvxpy.CLARABEL, max_threads=1)
    except BaseException as error:
        _raise_as_solver_error(program, error)
        raise
    if problem.status not in (cvxpy.OPTIMAL, cvxpy.OPTIMAL_INACCURATE):
        raise SolverError(program, problem.status)


def _raise_as_solver_error(program: str, error: BaseException) -> None:
    """Raise the error of a solver that broke off; do nothing about any other one."""
    # A panic is no Exception, and pyo3 gives no name to import it by.
    kinds = {"PanicException": "panic: ", "SolverError": ""}
    kind = type(error).__name__
    if kind in kinds:
        raise SolverError(program, f"{kinds[kind]}{error}") from error


@lru_cache(maxsize=8)
def _upper(n: int) -> tuple[Array, Array, Array]:
    """Return row, column and weight of the elements of an n x n matrix, by columns."""
    row, column = np.tril_indices(n)[::-1]
    return row, column, np.where(row == column, 1.0, np.sqrt(2.0))


def triangle(matrices: Array) -> Array:
    """Return symmetric matrices (..., n, n) as vectors (..., n (n + 1) / 2)."""
    row, column, weight = _upper(matrices.shape[-1])
    return np.asarray(matrices[..., row, column] * weight)


def order(length: int) -> int:
    """Return n of the n x n matrices that `triangle` writes as vectors of some length."""
    return int((np.sqrt(8 * length + 1) - 1) / 2 + 0.5)


def matrix(vector: Array) -> Array:
    """Return the symmetric matrix that `triangle` wrote as a vector, shape (n, n)."""
    n = order(len(vector))
    row, column, weight = _upper(n)
    found = np.zeros((n, n))
    found[row, column] = vector / weight
    found[column, row] = found[row, column]
    return found


def cone_of(kind: str, rows: int) -> object:
    """Return a cone of some rows as Clarabel takes it."""
    if kind == "semidefinite":
        return clarabel.PSDTriangleConeT(order(rows))
    kinds = {
        "zero": clarabel.ZeroConeT,
        "nonnegative": clarabel.NonnegativeConeT,
        "second_order": clarabel.SecondOrderConeT,
    }
    return kinds[kind](rows)
