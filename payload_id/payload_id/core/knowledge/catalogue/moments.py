r"""Moments of a body as rows of coefficients of phi.

A function a(x) = n.x + c of place is written as the four numbers (n, c). The integral over a body's
mass of the product of two of them is (n, c)' J(phi) (n', c'): linear in phi.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ...body.inertial import PSEUDO_INERTIA_BASIS

ONE = np.array([0.0, 0.0, 0.0, 1.0])  # the function that is 1 everywhere


def along(direction: Array, point: Array) -> Array:
    """Return the function direction . (x - point), shape (4,)."""
    return np.append(direction, -float(direction @ point))


def product(a: Array, b: Array) -> Array:
    """Return c with c phi = integral of a(x) b(x) over the mass, shape (10,)."""
    return np.asarray(np.einsum("kij,i,j->k", PSEUDO_INERTIA_BASIS, a, b))


def constant(rows: Array, value: float = 0.0) -> Array:
    """Return rows c phi + value, shape (K, 11), for rows c of shape (K, 10) or (10,)."""
    rows = np.atleast_2d(rows)
    return np.hstack([rows, np.full((len(rows), 1), value)])


def across(direction: Array) -> tuple[Array, Array]:
    """Return two unit vectors at right angles to a unit vector and to each other."""
    least = np.eye(3)[int(np.argmin(np.abs(direction)))]
    first = np.cross(direction, least)
    first /= np.linalg.norm(first)
    return first, np.cross(direction, first)
