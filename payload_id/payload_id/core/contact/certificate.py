r"""Whether rows can be explained without anything external: a point that does, or a proof of none.

The program is

    min t   over x in K,   |C x - r| <= t d   for the rows of the window.

With t <= 1 its x explains the window. Otherwise its multipliers prove that nothing does
[Neumaier2004]: with lambda those of the window's rows, `safe_minimum` of the objective 0 over all
rows returns a number delta > 0, whatever the solver did, so that no (phi, u) of K has e = 0; and

    |lambda e| >= delta

for the external impulses e, since delta changes with b by lambda e.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..bounds.cutting_planes import CuttingPlanes
from ..bounds.interval import NO_SHAPE, Hint, Interval
from ..bounds.verified import Cuts, safe_minimum
from ..errors import SolverError
from ..rows.row_block import RowBlock
from ..threads import one_thread
from .feasible_set import FeasibleSet


@dataclass(frozen=True, eq=False)
class ContactProof:
    """|multiplier e| >= excess > 0 for the external impulses e of a window.

    Attributes:
        multiplier: One for each row of the window, shape (k,).
        excess: In the units of multiplier times a row.
    """

    multiplier: Array
    excess: float


@dataclass(frozen=True, eq=False)
class ProofSearch:
    """What a search came to; neither point nor proof if the solver failed.

    Attributes:
        point: x in K that explains the window best, shape (10 + p,); None: none was found.
        proof: That nothing explains it; None: there is none.
        rows: Numbers of the rows of K that mattered, to begin the next search with.
    """

    point: Array | None
    proof: ContactProof | None
    rows: tuple[int, ...] = ()


def proofs_by_joint(external: Interval) -> list[ContactProof]:
    """Return a proof for each row whose bounds on e do not hold 0."""
    distance = np.maximum(external.lower, -external.upper)
    unit = np.eye(len(distance))
    return [ContactProof(unit[k], float(distance[k])) for k in np.flatnonzero(distance > 0.0)]


def search(knowledge: FeasibleSet, block: RowBlock, remembered: Sequence[int] = ()) -> ProofSearch:
    """Look for a point that explains the rows of a window, and for a proof that none does.

    Args:
        knowledge: The set K.
        block: The rows of the window.
        remembered: Numbers of rows of K that mattered before.
    """
    C, r, d = knowledge.coordinates(block)
    scaled = knowledge.scaled
    share = np.zeros((len(scaled.r), 1))
    program = CuttingPlanes(scaled, hint=Hint(tuple(remembered)), share=share)
    one, far = np.ones((len(d), 1)), np.full(len(d), np.inf)
    above = program.linear.add_rows(np.hstack([C / d[:, None], one]), r / d, far)
    below = program.linear.add_rows(np.hstack([C / d[:, None], -one]), -far, r / d)
    cost = np.append(np.zeros(len(scaled.lower)), 1.0)
    try:
        with one_thread():
            found = program.minimise(cost)
    except SolverError:
        return ProofSearch(None, None)
    if found is None:
        return ProofSearch(None, None)
    known = program.rows.multiplier(found.dual) / knowledge.rows.d
    own = (found.dual[above] + found.dual[below]) / d
    active = tuple(np.flatnonzero(known).tolist())
    return ProofSearch(found.x[:-1], _proof(knowledge, block, known, own), active)


def _proof(
    knowledge: FeasibleSet, block: RowBlock, known: Array, own: Array
) -> ContactProof | None:
    """Return what multipliers of the rows of K and of the window prove, None if that is nothing."""
    both = RowBlock.stack([knowledge.rows, block])
    d = np.concatenate([knowledge.rows.d, block.bound(knowledge.interval.magnitude)])
    multiplier = np.concatenate([known, own])
    no_cuts = Cuts.of_phi(NO_SHAPE, both.B.shape[1])
    excess = safe_minimum(
        np.zeros(10), both, d, multiplier, no_cuts, np.zeros(0), knowledge.interval
    )
    return ContactProof(own, excess) if excess > 0.0 else None
