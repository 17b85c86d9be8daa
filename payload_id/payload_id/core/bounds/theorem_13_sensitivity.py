r"""The sensitivity bound of [ZZV, Theorem 13], for comparison only: it is not a guarantee.

The least-squares solution over log-Cholesky parameters eta moves with the right-hand side m as

    d phi / d m = P (P'Y'Y P + sum_r (Y phi - m)_r Y_r . d2 phi/d eta2)^-1 P' Y',   P = d phi/d eta,

((41)-(43) of [ZZV]), and the interval is the image of the box of m under that derivative, taken at
the optimum as the authors' implementation does. Where the least-squares fit is consistent that is
the image of the box under least squares, which holds the truth (`theorem_13_enclosed.py`). Where
it is not, the optimum lies at the edge of physical consistency: P loses rank there, the interval
collapses however large the errors are, and it can miss the truth.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays import Array
from ..errors import SolverError
from ..estimators.consistent_search import derivatives
from ..estimators.log_cholesky import LogCholeskyParameters, log_cholesky_minimum
from ..estimators.problem import scaled_problem
from ..knowledge.knowledge import NOTHING, Knowledge
from ..rows.row_block import RowBlock
from ..statistics.statistics import Statistics
from .interval import NO_SHAPE, Bounds, Interval, Memory


class SensitivityBound:
    """First-order image of the noise box under the log-Cholesky least-squares solution."""

    name = "sensitivity"
    guaranteed = False
    citation = "ZZV"

    def bounds(
        self,
        rows: RowBlock,
        known: Interval,
        memory: Memory,
        shape: Array = NO_SHAPE,
        stated: Knowledge = NOTHING,
    ) -> Bounds:
        """Return the interval; see the protocol. Nothing but the rows is used."""
        if not len(rows):
            return Bounds(known, True, float("nan"), {}, np.zeros(0), memory)
        middle = replace(rows, likely=np.zeros((len(rows), 0)))  # d is about b as it is
        statistics = Statistics.empty(rows.B.shape[1]).add(middle, known.magnitude)
        problem = scaled_problem(statistics.nominal(), known.upper, None)
        x = log_cholesky_minimum(problem)
        slope = problem.scale[:, None] * derivative(rows.A * problem.scale, rows.b, x)
        reach = np.abs(slope) @ rows.bound(known.magnitude) + np.abs(slope @ rows.B).sum(axis=1)
        phi = x * problem.scale
        interval = Interval(phi - reach, phi + reach)
        return Bounds(interval, True, float("nan"), {}, np.zeros(len(rows)), memory)


def derivative(Y: Array, m: Array, phi: Array) -> Array:
    """Return d phi / d m of the least-squares solution, shape (10, rows).

    Args:
        Y: Regressor, shape (rows, 10).
        m: Right-hand side, shape (rows,).
        phi: The solution, consistent, shape (10,).

    Raises:
        SolverError: The solution lies so near the edge of the consistent ones that it has no
            log-Cholesky parameters.
    """
    try:
        eta = LogCholeskyParameters.of(phi)
    except np.linalg.LinAlgError as error:
        raise SolverError("differentiation of the estimate", str(error)) from error
    P, second = derivatives(eta)
    pull = Y.T @ (Y @ phi - m)
    wide = Y @ P
    hessian = wide.T @ wide + np.tensordot(pull, second, axes=1)
    return np.asarray(P @ np.linalg.pinv(hessian, hermitian=True) @ wide.T)
