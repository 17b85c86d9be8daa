"""The image of the noise box under the least-squares solution: a fast outer bound."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..knowledge.knowledge import NOTHING, Knowledge
from ..rows.row_block import RowBlock
from ..statistics.variance_components import HARDLY_SEEN
from .interval import NO_SHAPE, Bounds, Interval, Memory
from .verified import UNIT


class LeastSquaresImage:
    """phi = L (b - B u - w) + (1 - L A) phi, so |phi - L b| <= |L| d + |L B| 1 + |1 - L A| |phi|.

    That holds for any L; a left inverse of A makes the last term nothing but rounding. L is the
    least-squares inverse with rows weighted by 1/d. Where A does not see a parameter, what is
    known stays. It cannot tell that rows are inconsistent unless the result is empty.
    """

    name = "least_squares_image"
    guaranteed = True
    citation = "design"

    def bounds(
        self,
        rows: RowBlock,
        known: Interval,
        memory: Memory,
        shape: Array = NO_SHAPE,
        stated: Knowledge = NOTHING,
    ) -> Bounds:
        """Return bounds on phi; see the protocol. Shape and statements are not used."""
        return Bounds.of_common(image(rows, known), known, len(rows), memory)


def image(rows: RowBlock, known: Interval) -> Interval:
    """Return the interval of the least-squares image, infinite where A sees nothing."""
    if not len(rows):
        return known
    d = rows.bound(known.magnitude)
    scale = np.where(known.half_width > 0, known.half_width, 1.0)
    inverse, seen = left_inverse(rows.A * scale / d[:, None])
    found = image_under(scale[:, None] * inverse / d, rows, known)
    return Interval(np.where(seen, found.lower, -np.inf), np.where(seen, found.upper, np.inf))


def image_under(L: Array, rows: RowBlock, known: Interval) -> Interval:
    """Return the image under L, shape (10, rows): it holds every phi that explains the rows."""
    d = rows.bound(known.magnitude)
    centre = L @ rows.b
    half_width = np.abs(L) @ d + np.abs(L @ rows.B).sum(axis=1)
    half_width += np.abs(np.eye(10) - L @ rows.A) @ known.magnitude
    half_width += 10.0 * UNIT * len(rows) * (np.abs(L) @ (np.abs(rows.b) + d))
    return Interval(centre - half_width, centre + half_width)


def left_inverse(A: Array) -> tuple[Array, Array]:
    """Return the pseudo-inverse, and which unknowns it truly determines."""
    U, values, Vt = np.linalg.svd(A, full_matrices=False)
    keep = values > HARDLY_SEEN * values[0] if values[0] > 0 else np.zeros(len(values), bool)
    inverse = (Vt[keep].T / values[keep]) @ U[:, keep].T
    # Row k of inverse @ A is the k-th unit vector exactly where unknown k is determined.
    seen = np.abs(Vt[keep].T @ Vt[keep] - np.eye(A.shape[1])).max(axis=1) < 1e-6
    return inverse, seen
