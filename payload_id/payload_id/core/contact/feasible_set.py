r"""What a run has established of payload and arm: a set that holds the true (phi, u).

    K = { (phi, u) : every row of the run within its bound, phi in its intervals, |u| <= 1 }.

Later rows of the same arm and payload, A phi + B u = b + w + e with |w| <= d, have e = 0 unless
something touches the arm; e is the integral of the external torques. For any multipliers lambda

    c x = lambda G x + (c - lambda G) x,   |G x - r| <= 1,

bounds c x over K: each term is a bound of its own. The multipliers here are those of least squares
with the box as rows, which is quick for every new c and valid for any; linear programs
(`certificate`) find the best.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Array
from ..bounds.coefficient_error import with_linear_bounds
from ..bounds.interval import Interval
from ..bounds.scaled_rows import ScaledRows
from ..errors import InputError
from ..rows.quadrature import ROUNDING
from ..rows.row_block import RowBlock
from ..threads import one_thread


@dataclass(frozen=True, eq=False)
class FeasibleSet:
    """The set K of all (phi, u) that a run leaves possible.

    Attributes:
        interval: Bounds on phi.
        rows: Rows without errors of A, shape (m, ...).
        scaled: The same in coordinates x of order one.
    """

    interval: Interval
    rows: RowBlock
    scaled: ScaledRows

    @classmethod
    def of(cls, rows: RowBlock, interval: Interval) -> FeasibleSet:
        """Return what rows and intervals say; both must be of one run and consistent.

        Args:
            rows: Rows of the run, and of what was known of the arm before; at least one.
            interval: Bounds on phi that hold.

        Raises:
            InputError: There are no rows.
        """
        if not len(rows):
            raise InputError(
                "A run without rows establishes nothing that later windows could be judged by. "
                "Give samples of at least one window to the identifier, then update() it; take "
                "what is established() only if the verdict is GOOD or TOO_WIDE."
            )
        with one_thread():
            linear = with_linear_bounds(rows, interval)
            return cls(interval, linear, ScaledRows.of(linear, interval, linear.d, narrow=False))

    @cached_property
    def _inverse(self) -> Array:
        """Least-squares inverse of the rows and the box, shape (10 + p, m + 10 + p)."""
        half = np.maximum((self.scaled.upper - self.scaled.lower) / 2, 1e-12)
        with one_thread():
            Q, R = np.linalg.qr(np.vstack([self.scaled.G, np.diag(1.0 / half)]))
            return np.asarray(np.linalg.solve(R, Q.T))

    def coordinates(self, block: RowBlock) -> tuple[Array, Array, Array]:
        """Return C, r and d of further rows |C x - r| <= d, for every phi in the intervals."""
        scaled = self.scaled
        C = np.hstack([block.A * scaled.scale, block.B])
        return C, block.b - block.A @ scaled.centre, block.bound(self.interval.magnitude)

    def explains(self, block: RowBlock, x: Array) -> bool:
        """Tell whether x explains further rows without anything external."""
        C, r, d = self.coordinates(block)
        return bool((np.abs(C @ x - r) <= d).all())

    def external(self, block: RowBlock) -> Interval:
        """Return bounds on e of further rows, shape (k,) each [N m s or N s]."""
        _, _, d = self.coordinates(block)
        explained = self.range_of(block.A, block.B)
        slip = ROUNDING * (np.abs(block.b) + d)
        return Interval(explained.lower - block.b - d - slip, explained.upper - block.b + d + slip)

    def range_of(self, A: Array, B: Array) -> Interval:
        """Return bounds on A phi + B u over K, shape (k,) each.

        Args:
            A: Coefficients of phi, shape (k, 10).
            B: Coefficients of u, shape (k, p).
        """
        m, rows, scaled = len(self.rows), self.rows, self.scaled
        with one_thread():
            weight = (np.hstack([A * scaled.scale, B]) @ self._inverse)[:, :m] / rows.d
            size = np.abs(weight)
            plain = self._over_box(A, B)
            rest = self._over_box(A - weight @ rows.A, B - weight @ rows.B)
            slip = ROUNDING * (size @ (np.abs(rows.b) + rows.d))
            slip += ROUNDING * (size @ np.abs(rows.A)) @ self.interval.magnitude
            slip += ROUNDING * (size @ np.abs(rows.B)).sum(axis=1)
            middle, spread = weight @ rows.b, size @ rows.d + slip
        tight = Interval(rest.lower + middle - spread, rest.upper + middle + spread)
        return plain.intersect(tight)

    def _over_box(self, A: Array, B: Array) -> Interval:
        """Return bounds on A phi + B u over the box alone, shape (k,) each."""
        low, high = A * self.interval.lower, A * self.interval.upper
        spread = np.abs(B).sum(axis=1)
        spread += ROUNDING * (np.abs(A) @ self.interval.magnitude + spread)
        return Interval(
            np.minimum(low, high).sum(axis=1) - spread, np.maximum(low, high).sum(axis=1) + spread
        )
