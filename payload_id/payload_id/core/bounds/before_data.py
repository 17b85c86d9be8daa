r"""What is stated of the payload, made ready before any data are seen.

Auxiliary variables z need a finite range: bounds are proven by multipliers, and what rounding
leaves of them is paid for by the range. Most of them follow from phi; their least and largest
values are computed by Clarabel, doubled, and proven: the set of (phi, z) is convex, so that if all
of it that lies in the doubled range lies strictly inside, nothing lies outside (as long as
anything lies in it).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import clarabel
import numpy as np
from scipy import sparse

from ..arrays import Array
from ..conic import SOLVED, cone_of, solve_cones
from ..errors import InputError
from ..knowledge.knowledge import NOTHING, Knowledge
from ..knowledge.statement import Statement
from ..rows.row_block import RowBlock
from .cutting_planes import ROUNDS, CuttingPlanes
from .hull import Hull
from .interval import Interval
from .scaled_rows import ScaledRows
from .verified import safe_minimum

WIDER = 2.0  # times the range that was found
LEAST_RANGE = 1e-6  # half of it, for variables that cannot move


@dataclass(frozen=True)
class BeforeData:
    """What is known of a payload before any data.

    Attributes:
        stated: Statements whose auxiliary variables have bounds.
        interval: The box that prior, shape and statements leave.
    """

    stated: Knowledge
    interval: Interval

    @classmethod
    def of(cls, stated: Knowledge, prior: Interval, shape: Array) -> BeforeData:
        """Make statements ready.

        Args:
            stated: As somebody stated them.
            prior: Bounds on phi.
            shape: Rows c with c phi >= 0 that follow from the payload's size, shape (K, 10).

        Raises:
            InputError: No payload keeps all statements, or an auxiliary variable has no bounds.
        """
        if not stated:
            return cls(NOTHING, prior)
        ready = Knowledge(tuple(_with_range(statement, prior) for statement in stated.statements))
        interval = Hull().before_data(prior, shape, ready)
        if interval is None or (interval.lower > interval.upper).any():
            raise InputError(_contradiction(ready, prior, shape))
        return cls(ready, interval)


def _contradiction(stated: Knowledge, prior: Interval, shape: Array) -> str:
    """Name the fewest statements that no payload keeps together."""
    left = stated
    for name in stated.names:
        fewer = left.without(name)
        if fewer and Hull().before_data(prior, shape, fewer) is None:
            left = fewer
    if len(left.names) == 1:
        return (
            f"No payload can be as '{left.names[0]}' states: it contradicts itself, physical "
            "consistency, the shape, or the prior's largest mass and reach (prior.mass_max, "
            "prior.com_max). Check its numbers, units and frame."
        )
    names = ", ".join(f"'{name}'" for name in left.names)
    return (
        f"What is stated of the payload contradicts itself: no body within the prior keeps {names} "
        "together. Check their numbers, units and frames, or state tolerances."
    )


def _with_range(statement: Statement, prior: Interval) -> Statement:
    """Return a statement whose auxiliary variables have finite bounds.

    Raises:
        InputError: A variable has none within the prior, or it could not be proven.
    """
    free = ~np.isfinite([statement.z_lower, statement.z_upper])
    if not free.any():
        return statement
    lower, upper = statement.z_lower.copy(), statement.z_upper.copy()
    for k in np.flatnonzero(free.any(axis=0)).tolist():
        ends = [_least(statement, prior, k, sign) for sign in (1.0, -1.0)]
        middle, half = (ends[0] - ends[1]) / 2, max(-(ends[0] + ends[1]) / 2, 0.0)
        half = WIDER * half + LEAST_RANGE * max(1.0, abs(middle))
        lower[k], upper[k] = max(lower[k], middle - half), min(upper[k], middle + half)
    found = replace(statement, z_lower=lower, z_upper=upper)
    for above, k in np.argwhere(free).tolist():
        if not _proven(found, prior, k, -1.0 if above else 1.0):
            raise InputError(
                f"The range of an auxiliary variable of '{statement.name}' could not be proven. "
                "State bounds of the variables that it holds beside phi."
            )
    return found


def _least(statement: Statement, prior: Interval, k: int, sign: float) -> float:
    """Return the least value of sign * z_k within the prior.

    Raises:
        InputError: There is none.
        SolverError: The solver broke off.
    """
    q = statement.H.shape[1]
    upper = np.concatenate([prior.upper, statement.z_upper])
    lower = np.concatenate([prior.lower, statement.z_lower])
    box, ends = np.vstack([np.eye(10 + q), -np.eye(10 + q)]), np.concatenate([upper, -lower])
    known = np.isfinite(ends)
    G = np.vstack([-np.hstack([statement.F, statement.H]), box[known]])
    right = np.concatenate([statement.g, ends[known]])
    cones = [cone_of(kind, rows.stop - rows.start) for kind, rows in statement.cones()]
    cones.append(clarabel.NonnegativeConeT(int(known.sum())))
    cost = np.zeros(10 + q)
    cost[10 + k] = sign
    none = sparse.csc_matrix((10 + q, 10 + q))
    found = solve_cones("range of an auxiliary variable", none, cost, G, right, cones)
    if found.status in SOLVED:
        return float(found.x[10 + k]) * sign
    if found.status == clarabel.SolverStatus.PrimalInfeasible:
        raise InputError(
            f"No payload within the prior (prior.mass_max, prior.com_max) can be as "
            f"'{statement.name}' states: it contradicts itself or the prior. Check its numbers, "
            "units and frame."
        )
    raise InputError(
        f"'{statement.name}' holds a variable beside phi that has no bounds (the solver says "
        f"{found.status}), so that nothing can be proven with it. State a lower and an upper bound "
        "of it."
    )


def _proven(statement: Statement, prior: Interval, k: int, sign: float) -> bool:
    """Tell whether sign * z_k is proven to stay above its range's end, as long as all z do."""
    stated = Knowledge((statement,))
    none = RowBlock.empty(stated.q)
    scaled = ScaledRows.of(none, prior, none.d)
    program = CuttingPlanes(scaled, stated.stacked)
    cost = np.zeros(len(scaled.lower))
    cost[10 + k] = sign
    solution = program.minimise(cost, ROUNDS)
    if solution is None:
        return True
    proof = program.cuts.cuts, program.cuts.multiplier(solution.dual), prior
    return safe_minimum(cost, none, none.d, none.b, *proof) > -1.0
