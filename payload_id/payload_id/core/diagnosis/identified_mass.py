r"""How large an error the rows leave room for, with the mass in its interval or not.

Rows with one more column c, s the size of the error in its unit,

    A phi + B u + c s = b + w,    |w| <= d,

allow, whatever phi and u are, sizes up to S; and sizes up to S* with the mass in the interval that
was found without the column. Beyond S the rows contradict each other: the error is noticed. From
S* to S it is not, and the interval is false for certain. Both are linear programs; rows and cuts
that are left out of them make S and S* larger, never smaller.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ..arm.kinetics import body_motion, force_regressor
from ..arrays import Array
from ..bounds import Interval
from ..bounds.coefficient_error import with_linear_bounds
from ..bounds.conic_cuts import cones_of
from ..bounds.cutting_planes import CuttingPlanes
from ..bounds.interval import Hint
from ..bounds.least_squares_image import image
from ..bounds.scaled_rows import ScaledRows
from ..errors import SolverError
from ..rows.joint_torque.momentum import MomentumRows, WindowTerms
from ..rows.quadrature import trapezoid_weights
from ..rows.row_block import RowBlock
from ..samples.joint_samples import Samples

MOST_WINDOWS = 80  # that are looked at: fewer leave more room, and what is said stays true


@dataclass(frozen=True)
class IdentifiedMass:
    """What the interval of a mass was found from.

    Attributes:
        source: Made the rows.
        windows: Samples of each window.
        terms: Equations of each window.
        rows: Rows of a tare, then those of the windows, m in all.
        own: Which rows are of the windows, shape (m,).
        known: Bounds on phi before any data.
        shape: Rows c with c phi >= 0, shape (K, 10).
        phi: Point estimate, shape (10,).
        mass: Interval of the mass that was found, ends [kg].
        active: What held the newest optimum of each kind: the next
            one begins with them.
    """

    source: MomentumRows
    windows: tuple[Samples, ...]
    terms: tuple[WindowTerms, ...]
    rows: RowBlock
    own: NDArray[np.bool_]
    known: Interval
    shape: Array
    phi: Array
    mass: tuple[float, float]
    active: dict[tuple[float, bool], Hint] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        source: MomentumRows,
        windows: tuple[Samples, ...],
        tare: RowBlock,
        known: Interval,
        shape: Array,
        phi: Array,
        mass: tuple[float, float],
        bound_factor: Array | None = None,
    ) -> IdentifiedMass:
        """Make the rows of some of the windows, evenly chosen, with bounds as large as stated.

        Or as many times as large for each joint as `bound_factor` says, shape (n,).
        """
        some = np.linspace(0, len(windows) - 1, min(len(windows), MOST_WINDOWS)).astype(int)
        windows = tuple(windows[k] for k in some)
        terms = tuple(source.terms(window) for window in windows)
        rows = RowBlock.stack([tare, *(source.rows(term) for term in terms)])
        if bound_factor is not None:
            rows = rows.with_wider_bounds(bound_factor)
        own = np.arange(len(rows)) >= len(tare)
        return cls(source, windows, terms, rows, own, known, shape, phi, mass)

    def column_of_link(self, joint: int, change: Array) -> Array:
        """Return the column of a change of the body that a joint carries, shape (10,)."""
        here = slice(10 * joint, 10 * joint + 10)
        return self._column([term.columns[:, here] @ change for term in self.terms])

    def column_of_gravity(self, direction: Array, bodies: Array) -> Array:
        """Return the column of more gravity [m/s2] on all bodies, the payload last, (n + 1, 10)."""
        model = replace(self.source.model, gravity=direction)

        def pull(window: Samples) -> Array:
            still = body_motion(model, window.q, np.zeros_like(window.q))
            weights = trapezoid_weights(window.stamp)
            force = np.tensordot(weights, force_regressor(still), axes=1)
            return -np.einsum("bjk,bk->j", force, bodies)

        return self._column([pull(window) for window in self.windows])

    def _column(self, own: list[Array]) -> Array:
        """Return a column of all rows of one for those of the windows: none in a tare."""
        column = np.zeros(len(self.rows))
        column[self.own] = np.concatenate(own)
        return column

    def room(self, column: Array, largest: float) -> Callable[[float, bool], float]:
        """Return what tells how large the error of a column can be.

        Its arguments: the sign of the error, and whether the mass is in its interval.

        Args:
            column: c, shape (m,).
            largest: Size up to which is looked.
        """
        rows = replace(self.rows, B=np.hstack([self.rows.B, largest * column[:, None]]))
        inside = image(rows, self.known).intersect(self.known)
        rows = with_linear_bounds(rows, inside)
        scaled = ScaledRows.of(rows, inside, rows.d, narrow=False)
        return lambda sign, kept: largest * self._most(scaled, sign, kept)

    def _most(self, scaled: ScaledRows, sign: float, kept: bool) -> float:
        """Return the largest value of the last column, or of minus it, in [0, 1]."""
        lower, upper = scaled.lower.copy(), scaled.upper.copy()
        if kept:
            ends = (np.array(self.mass) - scaled.centre[0]) / scaled.scale[0]
            lower[0], upper[0] = max(lower[0], ends[0]), min(upper[0], ends[1])
        cones = cones_of(self.shape)
        program = CuttingPlanes(
            replace(scaled, lower=lower, upper=upper), cones, self.active.get((sign, kept))
        )
        cost = np.zeros(len(lower))
        cost[-1] = -sign
        try:
            solution = program.minimise(cost)
        except SolverError:
            return 1.0
        if solution is None:
            return 1.0
        active, cuts = np.flatnonzero(program.rows.multiplier(solution.dual)), program.cuts
        duals = cuts.used(cuts.multiplier(solution.dual))
        self.active[sign, kept] = Hint(tuple(active.tolist()), duals)
        return float(np.clip(-solution.value, 0.0, 1.0))
