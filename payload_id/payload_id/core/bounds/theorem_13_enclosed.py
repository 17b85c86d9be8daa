r"""The bound of [ZZV, Theorem 13] as printed: the derivative over the whole box [m], (27).

P(eta) maps R^10 one to one onto J(phi) > 0, and dP/d eta is regular (log-Cholesky), so that

    (41)  dP/d eta' Y'(Y phi - m) = 0   iff   phi = L m,   L = (Y'Y)^-1 Y'.

So (25) has a minimiser for m iff the least-squares fit L m is consistent, J(L m) > 0, and is that
fit. There the last term of the Hessian (43) vanishes, and (46) is L, whatever m is. If every m of
the box has a minimiser, the range of the derivative over [m] is the one matrix L, and (27) reads

    phi in L b +- (|L| d + |L B| 1),

which no interval evaluation of (41)-(46) can undercut. If some m of the box has none, eta*([m]) has
no bound, and (27) says nothing.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..body.inertial import PSEUDO_INERTIA_BASIS, pseudo_inertia
from ..knowledge.knowledge import NOTHING, Knowledge
from ..rows.row_block import RowBlock
from .interval import NO_SHAPE, Bounds, Interval, Memory
from .least_squares_image import image, image_under, left_inverse

MARGIN = 1e-9  # of the tests for J > 0, far above their rounding


class EnclosedSensitivityBound:
    """The printed Theorem 13 where its hypothesis is proven, and what is known elsewhere."""

    name = "sensitivity_enclosed"
    guaranteed = True
    citation = "ZZV"

    def bounds(
        self,
        rows: RowBlock,
        known: Interval,
        memory: Memory,
        shape: Array = NO_SHAPE,
        stated: Knowledge = NOTHING,
    ) -> Bounds:
        """Return the interval; see the protocol. Shape and statements are not used."""
        inside = image(rows, known).intersect(known)  # the error of A is one of at most that phi
        L = least_squares(rows.A, known)
        interval = known
        if L is not None and growth(L @ rows.b, moves(L, rows, inside)) > 1.0:
            interval = image_under(L, rows, inside)
        return Bounds.of_common(interval, known, len(rows), memory)


def least_squares(A: Array, known: Interval) -> Array | None:
    """Return L = (A'A)^-1 A', shape (10, rows), or None where A does not see all of phi."""
    if not len(A):
        return None
    scale = np.where(known.half_width > 0, known.half_width, 1.0)
    inverse, seen = left_inverse(A * scale)
    return scale[:, None] * inverse if seen.all() else None


def moves(L: Array, rows: RowBlock, known: Interval) -> Array:
    """Return what each error at its bound and each nuisance parameter adds to L m, (K, 10)."""
    return np.hstack([L * rows.bound(known.magnitude), L @ rows.B]).T


def growth(fit: Array, moves: Array) -> float:
    """Return a factor on the error box up to which every m in it is proven to have a minimiser.

    J(L m) = J(fit) + sum s_i J(move_i), |s_i| <= 1. In the coordinates in which J(fit) = 1 it is
    positive as long as the largest eigenvalue of sum |J(move_i)| is below 1.
    """
    values, axes = np.linalg.eigh(pseudo_inertia(fit))
    if values[0] <= MARGIN * values[-1]:
        return 0.0
    T = (axes / np.sqrt(values)).T
    J = T @ np.tensordot(moves, PSEUDO_INERTIA_BASIS, axes=1) @ T.T
    values, axes = np.linalg.eigh(J)
    magnitude = np.einsum("kai,ki,kbi->ab", axes, np.abs(values), axes)
    largest = float(np.linalg.eigvalsh(magnitude)[-1])
    return (1.0 - MARGIN) / largest if largest > 0.0 else float("inf")
