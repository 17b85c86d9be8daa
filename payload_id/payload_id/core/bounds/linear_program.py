"""One linear program, solved again and again for other costs and with more rows (HiGHS)."""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np

from ..arrays import Array
from ..errors import SolverError

PATIENCE = 2_000  # iterations of either method; programs of this package take tens to hundreds


@dataclass(frozen=True)
class Solution:
    """An optimum.

    Attributes:
        x: Shape (N,).
        dual: Multiplier of each row, shape (m,): cost = rows' dual + what the box pays for.
        value: cost'x.
    """

    x: Array
    dual: Array
    value: float


class LinearProgram:
    """Minimise cost'x over a box and rows lower <= G x <= upper; rows may be added."""

    def __init__(self, box_lower: Array, box_upper: Array) -> None:
        self._solver = highspy.Highs()
        self._solver.silent()
        self._solver.setOptionValue("threads", 1)
        for method in ("simplex", "ipm"):
            self._solver.setOptionValue(f"{method}_iteration_limit", PATIENCE)
        self._size = len(box_lower)
        self._columns = np.arange(self._size, dtype=np.int32)
        empty = np.zeros(0)
        self._solver.addCols(
            self._size, np.zeros(self._size), box_lower, box_upper, 0, np.zeros(self._size, int),
            np.zeros(0, np.int32), empty,
        )  # fmt: skip

    def add_rows(self, G: Array, lower: Array, upper: Array) -> list[int]:
        """Add rows lower <= G x <= upper, G of shape (m, N); return their numbers."""
        m, first = len(G), self._solver.getNumRow()
        if m:
            starts = np.arange(m, dtype=np.int32) * self._size
            index = np.tile(self._columns, m)
            self._solver.addRows(m, lower, upper, G.size, starts, index, G.ravel())
        return list(range(first, first + m))

    def minimise(self, cost: Array) -> Solution | None:
        """Return the optimum, or None if no x keeps every row.

        The solver begins where it ended last. A degenerate program can make it circle there; after
        `PATIENCE` iterations it begins anew, at last by another method.

        Raises:
            SolverError: No method came to an end.
        """
        self._solver.changeColsCost(self._size, self._columns, cost)
        for method in ("choose", "simplex", "ipm"):
            if method != "choose":
                self._solver.clearSolver()
            self._solver.setOptionValue("solver", method)
            self._solver.run()
            status = self._solver.getModelStatus()
            if status in (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kInfeasible):
                break
        self._solver.setOptionValue("solver", "choose")
        if status == highspy.HighsModelStatus.kInfeasible:
            return None
        if status != highspy.HighsModelStatus.kOptimal:
            raise SolverError("linear program", self._solver.modelStatusToString(status))
        found = self._solver.getSolution()
        return Solution(
            np.array(found.col_value),
            np.array(found.row_dual),
            float(self._solver.getInfo().objective_function_value),
        )
