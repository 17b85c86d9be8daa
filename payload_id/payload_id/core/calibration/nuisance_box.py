"""The box of psi that known payloads leave: its exact hull over the rows, bound by bound proven.

Smallest and largest value of each parameter are linear programs over |B u - b| <= d, |u| <= 1. What
is kept is not the solver's optimum but what its multipliers prove [Neumaier2004]: for any lambda

    c'u >= lambda'b - |lambda|'d - |c - B'lambda|_1,

since B u = b + w, |w| <= d, |u| <= 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array
from ..bounds.cutting_planes import CuttingPlanes
from ..bounds.feasibility import smallest_noise_factor
from ..bounds.interval import NO_SHAPE, Interval
from ..bounds.scaled_rows import ScaledRows
from ..bounds.verified import Cuts, safe_minimum
from ..errors import SolverError
from ..rows.row_block import RowBlock

NO_PAYLOAD = Interval(np.zeros(10), np.zeros(10))


@dataclass(frozen=True)
class UnitBox:
    """Bounds on u in the unit box.

    Attributes:
        lower: Shape (p,).
        upper: Shape (p,).
        slack: How close each row comes to being active at any of the optima, 0 for active, (m,).
        noise_factor: Smallest factor on d with which the rows are consistent; NaN where they are.
        blame: How much each joint asks for that factor, shares that sum to 1; empty if consistent.
    """

    lower: Array
    upper: Array
    slack: Array
    noise_factor: float = float("nan")
    blame: tuple[tuple[int, float], ...] = ()


def unit_box(rows: RowBlock, more: Array) -> UnitBox:
    """Return the proven hull of all u that explain rows.

    Args:
        rows: Without payload, m of them.
        more: Coefficients of what else is in its unit box and of no interest, shape (m, k).
    """
    p = rows.B.shape[1]
    rows = replace(rows, B=np.hstack([rows.B, more]))
    stated = UnitBox(-np.ones(p), np.ones(p), np.zeros(len(rows)))
    if not len(rows) or not p:
        return stated
    scaled = ScaledRows.of(rows, NO_PAYLOAD, rows.d, narrow=False)
    program, cuts = CuttingPlanes(scaled), Cuts.of_phi(NO_SHAPE, rows.B.shape[1])
    least = np.full((p, 2), -1.0)
    active = np.zeros(len(rows))
    for k in range(p):
        for side, sign in enumerate((1.0, -1.0)):
            cost = np.zeros(len(scaled.lower))
            cost[10 + k] = sign
            try:
                solution = program.minimise(cost)
            except SolverError:
                continue  # the unit box stays
            if solution is None:
                found = smallest_noise_factor(scaled, NO_SHAPE)
                if found.factor <= 1.0:  # by rounding only
                    return stated
                return replace(stated, noise_factor=found.factor, blame=tuple(found.blame.items()))
            multiplier = program.rows.multiplier(solution.dual) / rows.d
            proven = safe_minimum(cost, rows, rows.d, multiplier, cuts, np.zeros(0), NO_PAYLOAD)
            least[k, side] = max(proven, -1.0)
            active = np.maximum(active, np.abs(scaled.G @ solution.x - scaled.r))
    return UnitBox(least[:, 0], -least[:, 1], 1.0 - active)
