"""Homogeneous solids: moments of tetrahedra, the solid behind a point cloud, points inside."""

from __future__ import annotations

import numpy as np
import scipy

from ..arrays import Array, IntArray
from ..errors import InputError
from .inertial import from_pseudo_inertia

LEAK = 1e-3  # accepted probability that a sampled surface has a hole wider than the ball
CONVEX = 0.85  # of its convex hull's volume: what fills more is convex, but for sampling
CELLS = 64  # of a grid in which rays look for triangles, along either axis
AT_ONCE = 200  # rays
FACES = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]])  # face k is opposite corner k


def phi_of_tetrahedra(corners: Array) -> Array:
    """Return phi of the homogeneous solid of mass 1 that tetrahedra make up, shape (10,).

    The second moments of a tetrahedron with corners x_i, homogeneous coordinates (x_i, 1), are
    V/20 (sum x_i x_i' + s s'), s = sum x_i.

    Args:
        corners: Shape (K, 4, 3) [m].

    Raises:
        InputError: They have no volume.
    """
    volume = volumes(corners)
    x = np.concatenate([corners, np.ones((*corners.shape[:2], 1))], axis=2)
    s = x.sum(axis=1)
    moments = np.einsum("k,kvi,kvj->ij", volume, x, x) + np.einsum("k,ki,kj->ij", volume, s, s)
    total = volume.sum()
    if not total > 0:
        raise InputError("The shape has no volume: it is flat.")
    return from_pseudo_inertia(moments / (20.0 * total))


def volumes(corners: Array) -> Array:
    """Return the volumes of tetrahedra (K, 4, 3), shape (K,) [m3]."""
    return np.abs(np.linalg.det(corners[:, 1:] - corners[:, :1])) / 6.0


def hull_tetrahedra(points: Array) -> Array:
    """Return tetrahedra that fill the convex hull of points, shape (K, 4, 3).

    Raises:
        InputError: The points lie in a plane.
    """
    return np.asarray(points[_triangulation(points).simplices])


def carved_tetrahedra(points: Array) -> Array:
    """Return tetrahedra that fill the body whose surface the points lie on, shape (K, 4, 3).

    A ball that cannot pass between neighbouring points is rolled over the body from outside;
    what it cannot reach is solid (an alpha shape [Edelsbrunner1994] whose cavities are filled).
    In a surface sampled at random with n points, of density q, no empty disc of radius r is
    expected where n exp(-q pi r^2) is small; the distance to the nearest neighbour tells q. The
    ball nibbles at edges between points: a body that fills nearly all of its convex hull is taken
    for convex.
    """
    mesh = _triangulation(points)
    nearest = scipy.spatial.cKDTree(points).query(points, k=2)[0][:, 1]
    radius = np.sqrt(np.mean(nearest**2) * np.log(len(points) / LEAK))
    outside = len(mesh.simplices)
    passages = []
    for k, face in enumerate(FACES):
        open_ = np.flatnonzero(_circumradius(points[mesh.simplices[:, face]]) > radius)
        behind = mesh.neighbors[open_, k]
        passages.append(np.stack([open_, np.where(behind < 0, outside, behind)]))
    one, other = np.concatenate(passages, axis=1)
    graph = scipy.sparse.coo_matrix(
        (np.ones(len(one)), (one, other)), shape=(outside + 1, outside + 1)
    )
    part = scipy.sparse.csgraph.connected_components(graph, directed=False)[1]
    solid = part[:outside] != part[outside]
    corners = points[mesh.simplices]
    volume = volumes(corners)
    convex = volume[solid].sum() > CONVEX * volume.sum()
    return np.asarray(corners if convex or not solid.any() else corners[solid])


def _triangulation(points: Array) -> scipy.spatial.Delaunay:
    """Return the Delaunay triangulation of points."""
    try:
        return scipy.spatial.Delaunay(points, qhull_options="QJ Pp")
    except (scipy.spatial.QhullError, ValueError) as error:
        raise InputError("The points lie in a plane or too close together for a solid.") from error


def _circumradius(triangle: Array) -> Array:
    """Return the radii of the circles through the corners of triangles (K, 3, 3), shape (K,)."""
    a, b, c = triangle[:, 0], triangle[:, 1], triangle[:, 2]
    sides = [np.linalg.norm(x - y, axis=1) for x, y in ((a, b), (b, c), (c, a))]
    twice = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return np.asarray(np.prod(sides, axis=0) / np.maximum(2.0 * twice, 1e-300))


def points_in_tetrahedra(corners: Array, count: int) -> Array:
    """Return points spread evenly over a solid, always the same ones, shape (<= count, 3)."""
    rng = np.random.default_rng(0)
    volume = volumes(corners)
    chosen = rng.choice(len(corners), size=60 * count, p=volume / volume.sum())
    mixture = rng.dirichlet(np.ones(4), size=60 * count)
    return spread(np.einsum("kv,kvi->ki", mixture, corners[chosen]), count)


def weighted_points(corners: Array, count: int) -> tuple[Array, Array]:
    """Return points all over a solid and the volumes they stand for, (count, 3) and (count,).

    Half of them are spread by volume and half by number of tetrahedra, of which thin parts of a
    sampled surface have many. Always the same ones.
    """
    rng = np.random.default_rng(0)
    share = volumes(corners)
    share /= share.sum()
    drawn = 0.5 * share + 0.5 * (share > 0) / np.count_nonzero(share)
    place = (np.arange(count) + rng.random(count)) / count
    chosen = np.searchsorted(np.cumsum(drawn)[:-1], place)
    points = np.einsum("kv,kvi->ki", rng.dirichlet(np.ones(4), size=count), corners[chosen])
    return points, share[chosen] / drawn[chosen]


def points_in_surface(triangles: Array, count: int) -> Array:
    """Return points all over the inside of a closed surface, shape (>= count, 3).

    Args:
        triangles: Shape (F, 3, 3) [m].
        count: How many there must be.

    Raises:
        InputError: Hardly any of its bounding box is inside.
    """
    rng = np.random.default_rng(0)
    corners = triangles.reshape(-1, 3)
    low, high = corners.min(axis=0), corners.max(axis=0)
    inside = np.zeros((0, 3))
    for _ in range(40):
        drawn = rng.uniform(low, high, (500, 3))
        inside = np.vstack([inside, drawn[np.abs(winding_number(drawn, triangles)) > 0.5]])
        if len(inside) >= 30 * count:
            break
    if len(inside) < count:
        raise InputError("The mesh has hardly any volume inside its bounding box; take its hull.")
    return inside


def spread(samples: Array, count: int) -> Array:
    """Return the centres of a partition of samples into cells of like size, shape (<= count, 3)."""
    start = samples[:: max(1, len(samples) // count)][:count]
    centres, cell = scipy.cluster.vq.kmeans2(
        samples, start, iter=20, minit="matrix", missing="warn"
    )
    return np.asarray(centres[np.unique(cell)])


def winding_number(points: Array, triangles: Array) -> Array:
    """Return how often a closed surface winds around points, shape (N,): 1 inside, 0 outside.

    Along a ray upwards, faces that look up count 1 and those that look down -1. Each point meets
    the triangles of its own cell of a grid in the plane across the rays.
    """
    low, high = triangles[:, :, :2].min(axis=1), triangles[:, :, :2].max(axis=1)
    start = low.min(axis=0)
    side = max(float((high.max(axis=0) - start).max()), 1e-300) / CELLS
    first, last = (((x - start) / side).astype(int).clip(0, CELLS - 1) for x in (low, high))
    across = last - first + 1
    owner, k = _counted(across.prod(axis=1))
    cell = (first[owner, 0] + k // across[owner, 1]) * CELLS
    cell += first[owner, 1] + k % across[owner, 1]
    order = np.argsort(cell, kind="stable")
    owner, begin = owner[order], np.searchsorted(cell[order], np.arange(CELLS**2 + 1))
    place = ((points[:, :2] - start) / side).astype(int)
    inside = ((place >= 0) & (place < CELLS)).all(axis=1)
    mine = np.where(inside, place[:, 0] * CELLS + place[:, 1], 0)
    total = np.zeros(len(points))
    for part in np.array_split(np.flatnonzero(inside), max(1, len(points) // AT_ONCE)):
        met, k = _counted(begin[mine[part] + 1] - begin[mine[part]])
        point = part[met]
        a, b, c = triangles[owner[begin[mine[point]] + k]].swapaxes(0, 1) - points[point]
        opposite = [x[:, 0] * y[:, 1] - x[:, 1] * y[:, 0] for x, y in ((b, c), (c, a), (a, b))]
        weight = np.stack(opposite, axis=1)
        hit = (weight > 0).all(axis=1) | (weight < 0).all(axis=1)
        height = (weight * np.stack([a[:, 2], b[:, 2], c[:, 2]], axis=1)).sum(axis=1)
        area = weight.sum(axis=1)
        above = hit & (height * np.sign(area) > 0)
        total += np.bincount(point[above], np.sign(area[above]), len(points))
    return total


def _counted(numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Return, for numbers n_0, n_1, ..., which of them and 0 ... n_i - 1 of each, one by one."""
    which = np.repeat(np.arange(len(numbers)), numbers)
    return which, np.arange(len(which)) - np.repeat(np.cumsum(numbers) - numbers, numbers)
