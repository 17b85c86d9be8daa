"""Intervals of the load's mass, centre of mass and inertia in another frame: sound, not tightest.

Products and quotients of intervals take each factor as if it were independent of the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....core.arrays import Array
from ....core.body.inertial import INERTIA_BASIS
from ....core.bounds import Interval


@dataclass(frozen=True, eq=False)
class Range(Interval):
    """An interval of each element of an array, lower <= upper of one shape."""

    @classmethod
    def point(cls, value: Array) -> Range:
        """Return the interval that holds one value only."""
        return cls(np.asarray(value, dtype=float), np.asarray(value, dtype=float))

    def __add__(self, other: Range) -> Range:
        return Range(self.lower + other.lower, self.upper + other.upper)

    def __sub__(self, other: Range) -> Range:
        return Range(self.lower - other.upper, self.upper - other.lower)

    def __mul__(self, other: Range) -> Range:
        ends = np.array(
            [_product(a, b) for a in (self.lower, self.upper) for b in (other.lower, other.upper)]
        )
        return Range(ends.min(axis=0), ends.max(axis=0))

    def over(self, positive: Range) -> Range:
        """Return the quotient by a number; without bounds where that may be 0."""
        if positive.lower <= 0.0:
            return Range(np.full_like(self.lower, -np.inf), np.full_like(self.upper, np.inf))
        return self * Range(1.0 / positive.upper, 1.0 / positive.lower)

    def mapped(self, matrix: Array) -> Range:
        """Return the interval of matrix @ x: its positive and negative parts, end by end."""
        parts = np.maximum(matrix, 0.0), np.minimum(matrix, 0.0)
        lower = _weighted(parts[0], self.lower) + _weighted(parts[1], self.upper)
        upper = _weighted(parts[0], self.upper) + _weighted(parts[1], self.lower)
        return Range(lower, upper)


def _product(a: Array, b: Array) -> Array:
    """Return a * b with 0 * inf = 0: a factor that is 0 leaves nothing."""
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(a * b, nan=0.0, posinf=np.inf, neginf=-np.inf)


def _weighted(matrix: Array, values: Array) -> Array:
    """Return matrix @ values with 0 * inf = 0."""
    return _product(matrix, values[None, :]).sum(axis=1)


def about_centre(first_moments: Range, com: Range, inertia: Range) -> Range:
    """Return the inertia about the centre of mass, I - (h.c 1 - h c'), as six elements.

    Args:
        first_moments: h = m c, shape (3,) [kg m].
        com: c, shape (3,) [m].
        inertia: About the frame's origin, shape (6,), as in `inertial.PARAMETERS` [kg m2].
    """
    hh = Range(first_moments.lower[:, None], first_moments.upper[:, None])
    cc = Range(com.lower[None, :], com.upper[None, :])
    return inertia - outer_inertia(hh * cc)


def moments_not_negative(inertia: Range) -> Range:
    """Return six elements of an inertia whose moments are not below 0, as no body's are."""
    return Range(
        np.where([1, 0, 0, 1, 0, 1], np.maximum(inertia.lower, 0.0), inertia.lower), inertia.upper
    )


def outer_inertia(products: Range) -> Range:
    """Return tr(P) 1 - P of P = h c', shape (3, 3), as six elements."""
    matrix = np.array([[np.trace(E) * (i == j) - E[i, j] / (1 if i == j else 2)
                        for i in range(3) for j in range(3)] for E in INERTIA_BASIS])  # fmt: skip
    return Range(products.lower.ravel(), products.upper.ravel()).mapped(matrix)


def rotation_of_inertia(rotation: Array) -> Array:
    """Return the matrix, shape (6, 6), that takes elements of I to those of R I R'."""
    upper = np.triu_indices(3)
    columns = [(rotation @ E @ rotation.T)[upper] for E in INERTIA_BASIS]
    return np.stack(columns, axis=1)
