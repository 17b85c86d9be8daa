r"""How near data come to breaking the bounds that are stated of them.

With d the bound on each row (A_error |phi| counted in), the smallest t for which some consistent
phi and |u| <= 1 keep

    |A phi + B u - b| <= t d   for every row

is the part of the stated bounds that the data need at the least: 0.4 says that bounds on noise and
left-out terms of 0.4 times the stated size would not yet be contradicted; above 1 they are. A row's
own part at that phi and u tells which joint asks for it, and when. A small t does not prove that
the bounds hold: errors that look like a payload need no part of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, IntArray
from ..bounds.conic_cuts import widened
from ..bounds.feasibility import smallest_noise_factor
from ..bounds.least_squares_image import image
from ..bounds.scaled_rows import ScaledRows
from ..threads import one_thread
from .estimate import Estimate
from .problem import Problem


@dataclass(frozen=True, eq=False)
class BoundUse:
    """The least part of their bounds that rows need, and the rows there as mean torques.

    Attributes:
        factor: t, for all rows together [-]; infinite where no consistent phi is left.
        joint: Joint or channel of each row, shape (m,).
        time: Middle of each row's data, shape (m,) [s].
        measured: What is left of the measurement for the payload, (b - B u) over the row's weight,
            shape (m,) [N m or N]; NaN where no consistent phi is left.
        explained: What that payload explains, A phi over the weight, shape (m,).
        bound: d over the weight, shape (m,).
    """

    factor: float
    joint: IntArray
    time: Array
    measured: Array
    explained: Array
    bound: Array

    @property
    def part(self) -> Array:
        """What each row needs of its bound, at most `factor`, shape (m,) [-]."""
        return np.abs(self.measured - self.explained) / self.bound


def bound_use(problem: Problem, estimate: Estimate) -> BoundUse | None:
    """Return how near consistent rows come to their bounds; None without such rows.

    Errors of A count as much as the payload is large. Of inconsistent rows its interval is not
    known, and the estimate's noise factor says all.

    Args:
        problem: After an update; its `payload` holds the interval.
        estimate: Of that update.
    """
    rows, known = problem.rows, problem.payload.interval
    if not len(rows) or not np.isnan(estimate.noise_factor):
        return None
    rows = widened(rows, problem.stated)
    with one_thread():
        inside = image(rows, known).intersect(known)
        empty = (inside.lower > inside.upper).any()
        d = rows.bound((known if empty else inside).magnitude)  # as the hull takes it
        scaled = ScaledRows.of(rows, known, d, narrow=False)
        found = smallest_noise_factor(scaled, problem.shape, problem.stated)
    return BoundUse(
        factor=found.factor,
        joint=rows.joint,
        time=(rows.start + rows.end) / 2,
        measured=(rows.b - rows.B @ found.x[10:]) / rows.duration,
        explained=rows.A @ scaled.phi(found.x) / rows.duration,
        bound=scaled.d / rows.duration,
    )
