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
from ..knowledge.knowledge import NOTHING, Knowledge, Stacked
from ..rows.row_block import RowBlock
from .coefficient_error import with_linear_bounds
from .conic_cuts import cones_of, widened
from .cutting_planes import CuttingPlanes
from .feasibility import smallest_noise_factor
from .interval import NO_SHAPE, UNBOUNDED, Bounds, Hint, Interval, Memory, WidthBudget
from .least_squares_image import image
from .linear_program import Solution
from .scaled_rows import ScaledRows
from .verified import safe_minimum
from .width_budget import terms_of_end, width_budget

PASSES = 5  # of narrowing the error of A with the interval found
NARROWED = 0.99  # a pass that leaves every bound above this part of itself was the last
EXACT = 1e-12  # of the largest |phi|: an interval no wider than that is one number
BORDERLINE = 1.0 + 1e-6  # noise factor up to which rows count as consistent


@dataclass(frozen=True)
class About:
    """What is known of the payload beside its box.

    Attributes:
        shape: Rows c with c phi >= 0, shape (K, 10).
        stated: Statements; their auxiliary variables are the last nuisance parameters.
    """

    shape: Array
    stated: Knowledge


class Hull:
    """The interval hull of all physically consistent parameters that explain the rows."""

    name = "hull"
    guaranteed = True
    citation = "design"
    consistent_only = True

    def bounds(
        self,
        rows: RowBlock,
        known: Interval,
        memory: Memory,
        shape: Array = NO_SHAPE,
        stated: Knowledge = NOTHING,
    ) -> Bounds:
        """Return bounds on phi; see the protocol."""
        if not len(rows):
            return Bounds(known, True, float("nan"), {}, np.zeros(0), memory)
        rows, about = widened(rows, stated), About(shape, stated)
        inside = image(rows, known).intersect(known)
        if (inside.lower > inside.upper).any():
            return self._inconsistent(rows, known, rows.bound(known.magnitude), memory, about)
        return self._narrowed(rows, known, inside, memory, about)

    def before_data(self, known: Interval, shape: Array, stated: Knowledge) -> Interval | None:
        """Return the hull of what is known without any rows; None if there is nothing in it."""
        none = RowBlock.empty(stated.q)
        scaled, cones = ScaledRows.of(none, known, none.d), self._cones(About(shape, stated))
        ends = []
        for cost in _costs(len(scaled.lower)):
            extreme = self._extreme(scaled, cost, Hint(), cones)
            if extreme is None:
                return None
            ends.append(extreme.least)
        found = np.array(ends).reshape(10, 2) * [1.0, -1.0]
        return Interval(found[:, 0], found[:, 1]).intersect(known)

    def _narrowed(
        self, rows: RowBlock, known: Interval, inside: Interval, memory: Memory, about: About
    ) -> Bounds:
        """Return the hull, solved again while it still narrows the rows' own bounds.

        The errors of A count as much as the payload is large: every hull that holds it allows a
        narrower d, and rows that are inconsistent with that are inconsistent.
        """
        d = rows.bound(inside.magnitude)
        found = self._hull(with_linear_bounds(rows, inside), len(rows), known, memory, about)
        for _ in range(PASSES - 1):
            if found is None:
                break
            known, memory = known.intersect(found.interval), found.memory
            narrower = rows.bound(found.interval.magnitude)
            if (narrower >= NARROWED * d).all():
                break
            d = narrower
            linear = with_linear_bounds(rows, known)
            found = self._hull(linear, len(rows), known, memory, about)
        return found or self._inconsistent(rows, known, d, memory, about)

    def _hull(
        self, rows: RowBlock, count: int, known: Interval, memory: Memory, about: About
    ) -> Bounds | None:
        """Return the hull of rows without errors of A, None if there is nothing in it.

        Args:
            rows: Each row once, or once for each side.
            count: Number of rows there were.
            known: Bounds on phi.
            memory: Of the last solution; names each row once.
            about: What else is known of the payload.
        """
        scaled, cones = ScaledRows.of(rows, known, rows.d), self._cones(about)
        extremes = []
        for number, cost in enumerate(_costs(len(scaled.lower))):
            hint = memory.hint(number).repeated(count, len(rows))
            extreme = self._extreme(scaled, cost, hint, cones)
            if extreme is None:
                return None
            extremes.append(extreme)
        return _gather(scaled, count, extremes)

    def _cones(self, about: About) -> Stacked:
        """Return what phi keeps beside rows and box."""
        if not self.consistent_only:
            return about.stated.stacked
        return cones_of(about.shape, about.stated)

    def _extreme(
        self, scaled: ScaledRows, cost: Array, hint: Hint, cones: Stacked
    ) -> _Extreme | None:
        """Return the least value of one cost, None if there is no point at all.

        Each extreme has a program of its own: the few rows and cuts that matter to it make a far
        smaller one than those that matter to any.
        """
        program = CuttingPlanes(scaled, cones, hint)
        try:
            solution = program.minimise(cost)
        except SolverError:
            return _Extreme.unsolved(scaled, cost)
        return None if solution is None else _Extreme.of(scaled, program, cost, solution)

    def _inconsistent(
        self, rows: RowBlock, known: Interval, d: Array, memory: Memory, about: About
    ) -> Bounds:
        """Return how far the rows are from consistent; the hull if that is not at all."""
        scaled = ScaledRows.of(rows, known, d, narrow=False)
        found = smallest_noise_factor(scaled, about.shape, about.stated)
        if found.factor <= BORDERLINE:
            d = d * max(found.factor, 1.0) * BORDERLINE
            wide = replace(rows, A_error=np.zeros_like(rows.A), d=d)
            hull = self._hull(wide, len(rows), known, memory, about)
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
        budget: What that bound is made of; None where the solver failed.
        optimum: What the solver found for it.
        hint: The rows and cuts that prove it.
    """

    x: Array
    least: float
    optimum: float
    hint: Hint
    budget: WidthBudget | None = None

    @classmethod
    def of(
        cls, scaled: ScaledRows, program: CuttingPlanes, cost: Array, solution: Solution
    ) -> _Extreme:
        """Turn the solver's multipliers into a proven bound."""
        # cost'y is objective'(phi - centre) in units of the parameter's scale
        unit = scaled.scale @ np.abs(cost[:10])
        rows = unit * program.rows.multiplier(solution.dual) / scaled.d
        cuts, multipliers = program.cuts.cuts, unit * program.cuts.multiplier(solution.dual)
        hint = Hint(tuple(np.flatnonzero(rows).tolist()), program.cuts.used(multipliers))
        proof = cost[:10], scaled.rows, scaled.d, rows, cuts, multipliers, scaled.known
        optimum = float(cost[:10] @ scaled.centre + unit * solution.value)
        return cls(solution.x, safe_minimum(*proof), optimum, hint, terms_of_end(*proof))

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
    # Of a parameter that is known exactly rounding is all the width there is.
    least = max(EXACT * scaled.known.magnitude.max(), 1e-300)
    overhead = float(np.max(lost.sum(axis=1) / np.maximum(2 * interval.half_width, least)))
    ends = [extreme.budget for extreme in extremes if extreme.budget is not None]
    budget = width_budget(ends) if len(ends) == len(extremes) else None
    return Bounds(interval, True, float("nan"), {}, slack, memory, overhead, budget)
