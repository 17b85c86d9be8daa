"""Ellipsoids around bodies, as the matrices Q with (x, 1) Q (x, 1)' >= 0 inside [WKS, Sec. III]."""

from __future__ import annotations

import numpy as np
import scipy

from ..arrays import Array
from ..errors import InputError
from .inertial import PSEUDO_INERTIA_BASIS

TOLERANCE = 1e-4
STEPS = 20_000
MANY = 50  # points of which only the convex hull's corners are taken


def bounding_ellipsoid(points: Array) -> Array:
    """Return Q of (nearly) the smallest ellipsoid around points; all are inside, shape (4, 4).

    Khachiyan's ascent with away steps on the dual problem [Khachiyan1996], then inflated until the
    outermost point lies on it. It needs no cone solver.

    Raises:
        InputError: The points lie in a plane.
    """
    if len(points) > MANY:
        points = points[scipy.spatial.ConvexHull(points, qhull_options="QJ Pp").vertices]
    centre = points.mean(axis=0)
    size = max(float(np.abs(points - centre).max()), 1e-300)
    x = np.column_stack([(points - centre) / size, np.ones(len(points))])
    if np.linalg.matrix_rank(x, tol=1e-6) < 4:
        raise InputError("The points lie in a plane; an ellipsoid around them would be flat.")
    weight = _ascent(x)
    middle = weight @ x[:, :3]
    spread = (x[:, :3] - middle).T * weight @ (x[:, :3] - middle)
    E = np.linalg.inv(spread) / 3.0
    E /= np.max(np.einsum("ki,ij,kj->k", x[:, :3] - middle, E, x[:, :3] - middle)) * (1 + 1e-9)
    Q = np.zeros((4, 4))
    Q[:3, :3], Q[:3, 3] = -E, E @ middle
    Q[3, :3], Q[3, 3] = Q[:3, 3], 1.0 - middle @ E @ middle
    to_unit = np.eye(4)
    to_unit[:3, :3] /= size
    to_unit[:3, 3] = -centre / size
    return np.asarray(to_unit.T @ Q @ to_unit)


def _ascent(x: Array) -> Array:
    """Return the weights of homogeneous points (K, 4) that maximise log det of their moments."""
    weight = np.full(len(x), 1.0 / len(x))
    for _ in range(STEPS):
        inverse = np.linalg.inv((x.T * weight) @ x)
        distance = np.einsum("ki,ij,kj->k", x, inverse, x)
        far = int(np.argmax(distance))
        near = int(np.argmin(np.where(weight > 0, distance, np.inf)))
        gain, loss = distance[far] - 4.0, 4.0 - distance[near]
        if max(gain, loss) < 4.0 * TOLERANCE:
            break
        point = far if gain > loss else near
        step = (distance[point] - 4.0) / (4.0 * (distance[point] - 1.0))
        if point == near and gain <= loss:
            step = max(step, -weight[near] / (1.0 - weight[near]))
        weight *= 1.0 - step
        weight[point] += step
    return np.maximum(weight, 0.0)


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
