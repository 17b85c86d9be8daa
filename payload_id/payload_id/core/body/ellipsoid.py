"""Ellipsoids around bodies, as the matrices Q with (x, 1) Q (x, 1)' >= 0 inside [WKS, Sec. III]."""

from __future__ import annotations

import numpy as np
import scipy

from ..arrays import Array
from ..conic import solve_convex
from ..errors import InputError
from .inertial import PSEUDO_INERTIA_BASIS

FLAT = 1e-6  # thickness in parts of the length, below which points lie in a plane


def bounding_ellipsoid(points: Array) -> Array:
    """Return Q of the smallest ellipsoid around points; all are inside, shape (4, 4).

    With |A x + b| <= 1 at every corner of the hull, log det A is largest [Boyd2004, Sec. 8.4.1];
    then inflated until the outermost point lies on it.

    Raises:
        InputError: The points lie in a plane.
    """
    import cvxpy

    centre = points.mean(axis=0)
    _, spread, axes = np.linalg.svd(points - centre, full_matrices=False)
    if spread[2] <= FLAT * spread[0]:
        raise InputError("The points lie in a plane; an ellipsoid around them would be flat.")
    unit = axes.T * (np.sqrt(len(points)) / spread)
    x = (points - centre) @ unit
    corners = x[scipy.spatial.ConvexHull(x, qhull_options="QJ Pp").vertices]
    A, b = cvxpy.Variable((3, 3), PSD=True), cvxpy.Variable((1, 3))
    away = cvxpy.norm(corners @ A + np.ones((len(corners), 1)) @ b, axis=1)
    solve_convex("program of the bounding ellipsoid", -cvxpy.log_det(A), [away <= 1])
    away = np.linalg.norm(x @ A.value + b.value, axis=1)
    map_ = np.column_stack([A.value @ unit.T, b.value[0] - A.value @ unit.T @ centre])
    map_ /= away.max() * (1 + 1e-9)
    return np.diag([0.0, 0.0, 0.0, 1.0]) - map_.T @ map_


def slabs(lower: Array, upper: Array) -> Array:
    """Return Q of the slabs l <= x_k <= u of a box, (x_k - l)(u - x_k) >= 0, shape (3, 4, 4)."""
    Q = np.zeros((3, 4, 4))
    for k in range(3):
        Q[k, k, k] = -1.0
        Q[k, k, 3] = Q[k, 3, k] = 0.5 * (lower[k] + upper[k])
        Q[k, 3, 3] = -lower[k] * upper[k]
    return Q


def row_of(Q: Array) -> Array:
    """Return c with c phi = tr(J(phi) Q), shape (10,)."""
    return np.einsum("kij,ji->k", PSEUDO_INERTIA_BASIS, Q)
