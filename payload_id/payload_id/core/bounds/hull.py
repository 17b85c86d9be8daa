"""The exact interval hull: smallest and largest value of each parameter that the rows allow.

Twenty programs over (phi, u): every row within its bound, phi within what is known, and J(phi) >= 0
(not for `hull_lp`). What is reported is not the solver's optimum but a bound that its multipliers
prove; see `verified`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array
from ..errors import SolverError
from ..rows.row_block import RowBlock
from .coefficient_error import with_linear_bounds
from .cutting_planes import ConsistencyCuts, HardRows, Separator, first_rows, minimise
from .feasibility import smallest_noise_factor
from .interval import NO_SHAPE, UNBOUNDED, Bounds, Hint, Interval, Memory
from .least_squares_image import image
from .linear_program import LinearProgram, Solution
from .scaled_rows import ScaledRows
from .verified import safe_minimum

PASSES = 5  # of narrowing the error of A with the interval found
NARROWED = 0.99  # a pass that leaves every bound above this part of itself was the last
BORDERLINE = 1.0 + 1e-6  # noise factor up to which rows count as consistent


class Hull:
    """The interval hull of all physically consistent parameters that explain the rows."""

    name = "hull"
    guaranteed = True
    citation = "design"
    consistent_only = True

    def bounds(
        self, rows: RowBlock, known: Interval, memory: Memory, shape: Array = NO_SHAPE
    ) -> Bounds:
        """Return bounds on phi; see the protocol."""
        if not len(rows):
            return Bounds(known, True, float("nan"), {}, np.zeros(0), memory)
        inside = image(rows, known).intersect(known)
        if (inside.lower > inside.upper).any():
            return self._inconsistent(rows, known, rows.bound(known.magnitude), memory, shape)
        return self._narrowed(rows, known, inside, memory, shape)

    def _narrowed(
        self, rows: RowBlock, known: Interval, inside: Interval, memory: Memory, shape: Array
    ) -> Bounds:
        """Return the hull, solved again while it still narrows the rows' own bounds.

        The errors of A count as much as the payload is large: every hull that holds it allows a
        narrower d, and rows that are inconsistent with that are inconsistent.
        """
        d = rows.bound(inside.magnitude)
        found = self._hull(with_linear_bounds(rows, inside), len(rows), known, memory, shape)
        for _ in range(PASSES - 1):
            if found is None:
                break
            known, memory = known.intersect(found.interval), found.memory
            narrower = rows.bound(found.interval.magnitude)
            if (narrower >= NARROWED * d).all():
                break
            d = narrower
            linear = with_linear_bounds(rows, known)
            found = self._hull(linear, len(rows), known, memory, shape)
        return found or self._inconsistent(rows, known, d, memory, shape)

    def _hull(
        self, rows: RowBlock, count: int, known: Interval, memory: Memory, shape: Array
    ) -> Bounds | None:
        """Return the hull of rows without errors of A, None if there is nothing in it.

        Args:
            rows: Each row once, or once for each side.
            count: Number of rows there were.
            known: Bounds on phi.
            memory: Of the last solution; names each row once.
            shape: See the protocol.
        """
        scaled = ScaledRows.of(rows, known, rows.d)
        extremes = []
        for number, cost in enumerate(_costs(len(scaled.lower))):
            hint = memory.hint(number).repeated(count, len(rows))
            extreme = self._extreme(scaled, cost, hint, shape)
            if extreme is None:
                return None
            extremes.append(extreme)
        return _gather(scaled, count, extremes)

    def _extreme(
        self, scaled: ScaledRows, cost: Array, hint: Hint, shape: Array
    ) -> _Extreme | None:
        """Return the least value of one cost, None if there is no point at all.

        Each extreme has a program of its own: the few rows and cuts that matter to it make a far
        smaller one than those that matter to any.
        """
        program = LinearProgram(scaled.lower, scaled.upper)
        rows = HardRows(program, scaled, first_rows(scaled, hint.rows))
        families: list[Separator] = [rows]
        cuts = None
        if self.consistent_only:
            cuts = ConsistencyCuts(program, scaled, hint.cuts, shape)
            families.append(cuts)
        try:
            solution = minimise(program, families, cost)
        except SolverError:
            return _Extreme.unsolved(scaled, cost)
        return None if solution is None else _Extreme.of(scaled, rows, cuts, cost, solution)

    def _inconsistent(
        self, rows: RowBlock, known: Interval, d: Array, memory: Memory, shape: Array
    ) -> Bounds:
        """Return how far the rows are from consistent; the hull if that is not at all."""
        found = smallest_noise_factor(ScaledRows.of(rows, known, d, narrow=False), shape)
        if found.factor <= BORDERLINE:
            d = d * max(found.factor, 1.0) * BORDERLINE
            wide = replace(rows, A_error=np.zeros_like(rows.A), d=d)
            hull = self._hull(wide, len(rows), known, memory, shape)
            if hull is not None:
                return hull
        return Bounds(UNBOUNDED, False, found.factor, found.blame, found.slack, memory)


class HullLP(Hull):
    """The interval hull without physical consistency: linear programs only."""

    name = "hull_lp"
    consistent_only = False


@dataclass(frozen=True)
class _Extreme:
    """The least value of one cost.

    Attributes:
        x: Where it is, shape (10 + p,); NaN if the solver failed.
        least: Proven bound in the units of phi.
        optimum: What the solver found for it.
        hint: The rows and cuts that prove it.
    """

    x: Array
    least: float
    optimum: float
    hint: Hint

    @classmethod
    def of(
        cls,
        scaled: ScaledRows,
        hard: HardRows,
        cuts: ConsistencyCuts | None,
        cost: Array,
        solution: Solution,
    ) -> _Extreme:
        """Turn the solver's multipliers into a proven bound."""
        # cost'y is objective'(phi - centre) in units of the parameter's scale
        unit = scaled.scale @ np.abs(cost[:10])
        rows = unit * hard.multiplier(solution.dual) / scaled.d
        coefficients, multipliers, used = NO_SHAPE, np.zeros(0), np.zeros((0, 4))
        if cuts is not None:
            coefficients, multipliers = cuts.coefficients, unit * cuts.multiplier(solution.dual)
            used = cuts.used(multipliers)
        least = safe_minimum(
            cost[:10], scaled.rows, scaled.d, rows, coefficients, multipliers, scaled.known
        )
        optimum = float(cost[:10] @ scaled.centre + unit * solution.value)
        return cls(solution.x, least, optimum, Hint(tuple(np.flatnonzero(rows).tolist()), used))

    @classmethod
    def unsolved(cls, scaled: ScaledRows, cost: Array) -> _Extreme:
        """Return what was known before: no multipliers, and still a valid bound."""
        objective = cost[:10]
        ends = np.where(objective > 0, scaled.known.lower, scaled.known.upper)
        least = float(objective @ ends)
        return cls(np.full(len(cost), np.nan), least, least, Hint())


def _costs(size: int) -> list[Array]:
    """Return the twenty costs: each parameter up, then down."""
    costs = []
    for k in range(10):
        for sign in (1.0, -1.0):
            cost = np.zeros(size)
            cost[k] = sign
            costs.append(cost)
    return costs


def _gather(scaled: ScaledRows, count: int, extremes: list[_Extreme]) -> Bounds:
    """Put twenty extremes together."""
    lower = np.array([extreme.least for extreme in extremes[0::2]])
    upper = -np.array([extreme.least for extreme in extremes[1::2]])
    points = np.array([extreme.x for extreme in extremes if np.isfinite(extreme.x).all()])
    size = np.abs(points.reshape(-1, len(scaled.lower)) @ scaled.G.T - scaled.r)
    slack = 1.0 - size.max(axis=0, initial=0.0).reshape(-1, count).max(axis=0)
    memory = Memory(tuple(extreme.hint.once(count) for extreme in extremes))
    interval = Interval(lower, upper).intersect(scaled.known)
    lost = np.array([extreme.optimum - extreme.least for extreme in extremes]).reshape(10, 2)
    overhead = float(np.max(lost.sum(axis=1) / np.maximum(2 * interval.half_width, 1e-300)))
    return Bounds(interval, True, float("nan"), {}, slack, memory, overhead)
