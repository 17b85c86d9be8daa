"""By how much windows must exceed their bounds for one payload to explain all rows."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, IntArray
from ..bounds.cutting_planes import ConsistencyCuts, Separator, first_rows, minimise
from ..bounds.linear_program import LinearProgram
from ..bounds.scaled_rows import ScaledRows
from ..errors import SolverError

MORE_ROWS = 25  # that enter the program at a time
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
    families: list[Separator] = [_ElasticWindows(program, scaled, window, len(cost))]
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


class _ElasticWindows:
    """|G x - r| <= 1 + s of the row's window, s the last columns of the program."""

    def __init__(
        self, program: LinearProgram, scaled: ScaledRows, window: IntArray, windows: int
    ) -> None:
        self._program, self._scaled = program, scaled
        self._window, self._windows = window, windows
        self.numbers: list[int] = []
        self._outside = np.ones(len(scaled.r), dtype=bool)
        self._enter(first_rows(scaled))

    def separate(self, x: Array) -> int:
        """Let in the rows that x breaks most."""
        slack = x[-self._windows :][self._window]
        left = np.abs(self._scaled.G @ x[: -self._windows] - self._scaled.r)
        over = np.where(self._outside, left - 1.0 - slack, 0.0) / (1.0 + slack)
        worst = np.argsort(over)[-MORE_ROWS:]
        worst = worst[over[worst] > ROUNDING]
        self._enter(worst)
        return len(worst)

    def _enter(self, rows: Array) -> None:
        G, r = self._scaled.G[rows], self._scaled.r[rows]
        own = np.zeros((len(rows), self._windows))
        own[np.arange(len(rows)), self._window[rows]] = 1.0
        far = np.full(len(rows), np.inf)
        self.numbers += self._program.add_rows(np.hstack([G, own]), r - 1.0, far)
        self.numbers += self._program.add_rows(np.hstack([G, -own]), -far, r + 1.0)
        self._outside[rows] = False
