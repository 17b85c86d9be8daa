"""Linear programs whose rows enter only as an optimum breaks them.

Of thousands of rows a few dozen matter, and physical consistency is an infinity of rows; both are
kept outside the program and let in on demand. A program that lacks some is a relaxation: its
optimum is a valid outer bound at every moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from ..arrays import Array
from ..knowledge.knowledge import NOTHING, Stacked
from .conic_cuts import ConicCuts, is_curved, multipliers_of
from .interval import Hint
from .linear_program import LinearProgram, Solution
from .scaled_rows import ScaledRows

FIRST_ROWS = 20  # that a program begins with; about as many are active in the end
MORE_ROWS = 15  # that enter at a time
TOLERANCE = 1e-7  # HiGHS's own: by how much a row may be broken, and what is no improvement
ROUNDS = 200  # of adding rows and cuts for one optimum; valid, only wider, if not enough
PATIENCE = 6  # rounds of cuts without an improvement, for each curved cone


class CuttingPlanes:
    """Least values over all (phi, u, a) that keep a box, cones, and |G x - r| <= free + share a.

    Attributes:
        linear: The program; its columns are x = (y, u), and those of a behind them.
        rows: Rows that are in it.
        cuts: Inequalities of the cones that are in it.
    """

    def __init__(
        self,
        scaled: ScaledRows,
        cones: Stacked = NOTHING.stacked,
        hint: Hint | None = None,
        free: Array | float = 1.0,
        share: Any = None,
    ) -> None:
        """Let in what to begin with.

        Args:
            scaled: The rows, m of them, and the box.
            cones: See `cones_of`; their auxiliary variables are the last of u.
            hint: What mattered before.
            free: What rows are allowed whatever a >= 0 is, shape (m,) or ().
            share: What a allows them, shape (m, k), may be sparse; None: there is no a.
        """
        hint, columns = hint or Hint(), 0 if share is None else share.shape[1]
        self.linear = LinearProgram(
            np.append(scaled.lower, np.zeros(columns)),
            np.append(scaled.upper, np.full(columns, np.inf)),
        )
        self.rows = Rows(self.linear, scaled, hint.rows, free, share)
        self.cuts = ConicCuts(self.linear, scaled, cones, hint.duals, columns)
        self._patience = PATIENCE * max(1, sum(is_curved(kind) for kind, _ in cones.cones))

    def minimise(self, cost: Array, patience: int = 0) -> Solution | None:
        """Return the optimum; None if nothing keeps all rows and cones.

        Rows are always let in whole; cuts may only creep closer.

        Args:
            cost: Of all columns.
            patience: Rounds of cuts without an improvement; 0: as many as there usually are.

        Raises:
            SolverError: The solver found no end.
        """
        patience = patience or self._patience
        solution = self.linear.minimise(cost)
        values: list[float] = []
        for _ in range(ROUNDS):
            if solution is None:
                return None
            rows, cuts = self.rows.separate(solution.x), self.cuts.separate(solution.x)
            if not rows and not cuts:
                break
            values = [] if rows else [*values, solution.value]
            if len(values) > patience and values[-1] - values[-1 - patience] < TOLERANCE:
                break
            solution = self.linear.minimise(cost)
        return solution


class Rows:
    """Rows |G x - r| <= free + share a: those that are in the program, and those outside.

    Attributes:
        numbers: Number in the program of each row that is in it.
        rows: Which row each of these is; each row twice where its bound depends on a.
    """

    def __init__(
        self,
        program: LinearProgram,
        scaled: ScaledRows,
        remembered: Sequence[int],
        free: Array | float,
        share: Any,
    ) -> None:
        """Let in the rows to begin with; see `CuttingPlanes`."""
        self._program, self._scaled = program, scaled
        self._free = np.broadcast_to(free, (len(scaled.r),))
        self._share: Any = np.zeros((len(scaled.r), 0)) if share is None else share
        self.numbers: list[int] = []
        self.rows: list[int] = []
        self._outside = np.ones(len(scaled.r), dtype=bool)
        self._enter(first_rows(scaled, remembered))

    def separate(self, x: Array) -> int:
        """Let in the rows that x breaks most, in units of what they are allowed."""
        size = self._scaled.G.shape[1]
        allowed = self._free + self._share @ x[size:]
        over = np.abs(self._scaled.G @ x[:size] - self._scaled.r) - allowed
        over = np.where(self._outside, over / np.maximum(allowed, 1.0), 0.0)
        worst = np.flatnonzero(over > TOLERANCE)
        if len(worst) > MORE_ROWS:
            worst = worst[np.argpartition(over[worst], -MORE_ROWS)[-MORE_ROWS:]]
        self._enter(worst)
        return len(worst)

    def _enter(self, rows: Array) -> None:
        G, r = self._scaled.G[rows], self._scaled.r[rows]
        free, share, far = self._free[rows], self._share[rows], np.full(len(rows), np.inf)
        share = share.toarray() if sparse.issparse(share) else share
        if share.any():
            self.numbers += self._program.add_rows(np.hstack([G, share]), r - free, far)
            self.numbers += self._program.add_rows(np.hstack([G, -share]), -far, r + free)
            self.rows += [*rows.tolist(), *rows.tolist()]
        else:
            self.numbers += self._program.add_rows(np.hstack([G, share]), r - free, r + free)
            self.rows += rows.tolist()
        self._outside[rows] = False

    def multiplier(self, dual: Array) -> Array:
        """Return the multiplier of every row, zero for those outside, shape (m,)."""
        full = np.zeros(len(self._scaled.r))
        np.add.at(full, self.rows, multipliers_of(dual, self.numbers))
        return full


def first_rows(scaled: ScaledRows, remembered: Sequence[int]) -> Array:
    """Return the rows to begin with: those remembered, or a few that are near their bounds."""
    m = len(scaled.r)
    if m <= FIRST_ROWS:
        return np.arange(m)
    old = np.unique(np.array([row for row in remembered if row < m], dtype=int))
    if len(old):
        return old
    spread = np.linspace(0, m - 1, FIRST_ROWS // 2).astype(int)
    near = np.argsort(-np.abs(scaled.r))[: FIRST_ROWS // 2]
    return np.unique(np.concatenate([spread, near]))
