"""The exact interval hull: smallest and largest value of each parameter that the rows allow.

Twenty programs over (phi, u): every row within its bound, phi within what is known, and J(phi) >= 0
(not for `hull_lp`). What is reported is not the solver's optimum but a bound that its multipliers
prove; see `verified`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..inertial import Array
from ..rows.block import RowBlock
from . import consistency_cuts
from .cutting_planes import ConsistencyCuts, HardRows, Separator, first_rows, minimise
from .feasibility import smallest_noise_factor
from .interval import UNBOUNDED, Bounds, Interval, Memory
from .least_squares_image import image
from .linear_program import LinearProgram, Solution
from .scaled_rows import ScaledRows
from .verified import safe_minimum

PASSES = 3  # of narrowing the error of A with the interval found
NARROWED = 0.99  # a pass that leaves every bound above this part of itself was the last
BORDERLINE = 1.0 + 1e-6  # noise factor up to which rows count as consistent


class Hull:
    """The interval hull of all physically consistent parameters that explain the rows."""

    name = "hull"
    citation = "design"
    consistent_only = True

    def bounds(self, rows: RowBlock, known: Interval, memory: Memory) -> Bounds:
        """Return bounds on phi; see the protocol."""
        if not len(rows):
            return Bounds(known, True, float("nan"), {}, np.zeros(0), memory)
        inside = image(rows, known).intersect(known)
        empty = bool((inside.lower > inside.upper).any())
        d = rows.bound(known.magnitude if empty else inside.magnitude)
        found = None if empty else self._narrowed(rows, known, d, memory)
        return found or self._inconsistent(rows, known, d, memory)

    def _narrowed(
        self, rows: RowBlock, known: Interval, d: Array, memory: Memory
    ) -> Bounds | None:
        """Return the hull, solved again while it still narrows the rows' own bounds."""
        found = self._hull(rows, known, d, memory)
        for _ in range(PASSES - 1):
            if found is None:
                break
            narrower = rows.bound(found.interval.magnitude)
            if (narrower >= NARROWED * d).all():
                break
            d = narrower
            found = self._hull(rows, known.intersect(found.interval), d, found.memory)
        return found

    def _hull(self, rows: RowBlock, known: Interval, d: Array, memory: Memory) -> Bounds | None:
        """Return the hull for bounds d, None if there is nothing in it."""
        scaled = ScaledRows.of(rows, known, d)
        program = LinearProgram(scaled.lower, scaled.upper)
        hard = HardRows(program, scaled, first_rows(scaled, memory.rows))
        cuts = ConsistencyCuts(program, scaled, memory.cuts) if self.consistent_only else None
        families: list[Separator] = [hard] if cuts is None else [hard, cuts]
        extremes = []
        for cost in _costs(len(scaled.lower)):
            solution = minimise(program, families, cost)
            if solution is None:
                return None
            extremes.append(_Extreme.of(scaled, hard, cuts, cost, solution))
        return _gather(scaled, hard, cuts, extremes)

    def _inconsistent(self, rows: RowBlock, known: Interval, d: Array, memory: Memory) -> Bounds:
        """Return how far the rows are from consistent; the hull if that is not at all."""
        factor, blame = smallest_noise_factor(
            ScaledRows.of(rows, known, d, narrow=False), memory
        )
        if factor <= BORDERLINE:
            found = self._hull(rows, known, d * max(factor, 1.0) * BORDERLINE, memory)
            if found is not None:
                return found
        return Bounds(UNBOUNDED, False, factor, blame, np.zeros(len(rows)), memory)


class HullLP(Hull):
    """The interval hull without physical consistency: linear programs only."""

    name = "hull_lp"
    consistent_only = False


@dataclass(frozen=True)
class _Extreme:
    """The least value of one cost: where, the proven bound, and what proved it."""

    x: Array
    least: float
    rows: Array
    cuts: Array

    @classmethod
    def of(
        cls,
        scaled: ScaledRows,
        hard: HardRows,
        cuts: ConsistencyCuts | None,
        cost: Array,
        solution: Solution,
    ) -> _Extreme:
        """Turn the solver's multipliers into a proven bound on cost'y in the units of phi."""
        objective = cost[:10]
        unit = scaled.scale @ np.abs(objective)  # cost'y is objective'(phi - centre) / unit
        row_dual = hard.multiplier(solution.dual)
        directions = np.zeros((0, 4)) if cuts is None else cuts.directions
        cut_dual = np.zeros(0) if cuts is None else cuts.multiplier(solution.dual)
        least = safe_minimum(
            objective,
            scaled.rows,
            scaled.d,
            unit * row_dual / scaled.d,
            consistency_cuts.coefficients(directions),
            unit * cut_dual,
            scaled.known,
        )
        return cls(solution.x, least, np.flatnonzero(row_dual), np.flatnonzero(cut_dual))


def _costs(size: int) -> list[Array]:
    """Return the twenty costs: each parameter up, then down."""
    costs = []
    for k in range(10):
        for sign in (1.0, -1.0):
            cost = np.zeros(size)
            cost[k] = sign
            costs.append(cost)
    return costs


def _gather(
    scaled: ScaledRows, hard: HardRows, cuts: ConsistencyCuts | None, extremes: list[_Extreme]
) -> Bounds:
    """Put twenty extremes together."""
    lower = np.array([extreme.least for extreme in extremes[0::2]])
    upper = -np.array([extreme.least for extreme in extremes[1::2]])
    points = np.array([extreme.x for extreme in extremes])
    slack = 1.0 - np.abs(points @ scaled.G.T - scaled.r).max(axis=0)
    active = frozenset(int(row) for extreme in extremes for row in extreme.rows)
    used = sorted({int(cut) for extreme in extremes for cut in extreme.cuts})
    directions = np.zeros((0, 4)) if cuts is None else cuts.directions[used]
    interval = Interval(lower, upper).intersect(scaled.known)
    return Bounds(interval, True, float("nan"), {}, slack, Memory(active, directions))
