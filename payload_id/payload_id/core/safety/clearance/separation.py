r"""Proved distances between convex bodies while every joint moves in a range around a pose.

For convex A and B and any unit vector n,

    dist(A, B) >= min_{b in B} n.b - max_{a in A} n.a = n.(c_B - c_A) - s_B(-n) - s_A(n),

so that a distance is proved by naming n; where n comes from does not matter. With every joint
within delta_j of the pose, a point p of A moves along n by at most (Taylor, remainder of order 2)

    sum_j delta_j |n.(z_j x (p - o_j))|                                   first order
    + 1/2 sum_ij delta_i delta_j |z_i| R_max(i,j)                         second order

z_j and o_j direction and origin of joint axis j, R_j a bound of the distance of A's points from
axis j at any pose in the range. The derivative by joints i <= j (i nearer to the base) is
z_i x (z_j x (p - o_j)), of norm at most R_j. Moving joints one after the other from the tip shows
that R_j <= r_j + D_{j+1} and D_j = D_{j+1} + delta_j (r_j + D_{j+1}), r_j the distance at the pose
and D_j how far joints j, j + 1, ... move the body. A prismatic joint has D_j = D_{j+1} + delta_j.
Between two bodies of the arm only the joints between them count. coal, which knows distances at one
pose of one pair, is asked for n only.
"""

from __future__ import annotations

import coal
import numpy as np

from ...arm.kinetics import cross
from ...arrays import Array, IntArray
from .body_table import BodyTable, Items, PairTable

ROUNDING = 1e-6  # [m] more than floating point and rotation matrices of that precision lose


def rough_distance(table: BodyTable, items: Items) -> tuple[Array, Array]:
    """Return a lower bound of each distance at the pose, (I,) [m], and a direction, (I, 3).

    The first body is replaced by balls that cover it; the distance of a ball's centre from the
    second body has a closed form (from a box around it for a hull).
    """
    a, b = items.first, items.second
    centres = items.c[0][:, None] + np.einsum("kij,kcj->kci", items.R[0], table.cover[a])
    x = np.einsum("kji,kcj->kci", items.R[1], centres - items.c[1][:, None])  # in frame b
    gap = np.sign(x) * np.maximum(np.abs(x) - table.half[b][:, None], 0.0)
    flat = np.hypot(x[..., 0], x[..., 1])
    disc = table.disc[b][:, None]
    scale = np.maximum(flat - disc, 0.0) / np.maximum(flat, 1e-12)
    round_ = disc > 0.0
    for k in (0, 1):
        gap[..., k] = np.where(round_, x[..., k] * scale, gap[..., k])
    distance = np.linalg.norm(gap, axis=-1)
    plane = table.plane[b]
    distance[plane] = x[plane, :, 2]
    gap[plane] = np.array([0.0, 0.0, 1.0])
    near = np.argmin(distance, axis=1)
    row = np.arange(len(near))
    away = np.einsum("kij,kj->ki", items.R[1], gap[row, near])
    size = np.linalg.norm(away, axis=1, keepdims=True)
    between = items.c[1] - items.c[0]
    direction = np.where(size > 1e-9, -away / np.maximum(size, 1e-12), between)
    bound = distance[row, near] - table.radius[b] - table.cover_radius[a] - ROUNDING
    return bound, unit(direction)


def unit(direction: Array) -> Array:
    """Return unit vectors, of any direction where the length is zero, shape (I, 3)."""
    size = np.linalg.norm(direction, axis=1, keepdims=True)
    return np.where(size > 1e-12, direction / np.maximum(size, 1e-12), np.array([0.0, 0.0, 1.0]))


def reach(table: BodyTable, pairs: PairTable, items: Items, side: int) -> tuple[Array, Array]:
    """Return how far a body moves at most, D (I,) [m], and R_j (I, n) [m], in all of the range."""
    body = (items.first, items.second)[side]
    arm = items.c[side][:, None] - items.origin
    extent = np.hypot(np.linalg.norm(table.half[body], axis=1), table.disc[body])
    r = np.linalg.norm(cross(items.axis, arm), axis=-1) + (extent + table.radius[body])[:, None]
    delta = items.delta[side]
    D = np.zeros(len(body))
    R = np.empty_like(r)
    for j in pairs.order:
        R[:, j] = r[:, j] + D
        D = D + delta[:, j] * (R[:, j] if pairs.revolute[j] else 1.0)
    return D, R


def motion_along(
    table: BodyTable, pairs: PairTable, items: Items, side: int, direction: Array
) -> Array:
    """Return how far any point of a body moves along a direction at most, shape (I,) [m]."""
    body = (items.first, items.second)[side]
    delta = items.delta[side]
    D, R = reach(table, pairs, items, side)
    turn = cross(direction[:, None], items.axis)  # n.(z x (p - o)) = (n x z).(p - o)
    arm = items.c[side][:, None] - items.origin
    middle = np.abs(np.einsum("knj,knj->kn", turn, arm))
    own = np.einsum("knj,kji->kni", turn, items.R[side])
    width = _support(own, table.half[body][:, None], table.disc[body][:, None])
    width = width + table.radius[body][:, None] * np.linalg.norm(turn, axis=-1)
    slide = np.abs(np.einsum("ki,kji->kj", direction, items.axis))
    first = np.sum(delta * np.where(pairs.revolute, middle + width, slide), axis=1)
    second = np.zeros(len(body))
    before = np.zeros(len(body))  # sum of delta over turning joints nearer to the base
    for j in reversed(pairs.order):
        turns = bool(pairs.revolute[j])
        own_square = 0.5 * delta[:, j] if turns else 0.0
        second += delta[:, j] * (R[:, j] if turns else 1.0) * (before + own_square)
        before = before + (delta[:, j] if turns else 0.0)
    return np.minimum(first + second, D)


def _support(u: Array, half: Array, disc: Array) -> Array:
    """Return half . |u| + disc sqrt(ux^2 + uy^2), shape u.shape[:-1]."""
    return np.sum(half * np.abs(u), axis=-1) + disc * np.hypot(u[..., 0], u[..., 1])


def separation(table: BodyTable, items: Items, direction: Array) -> Array:
    """Return min over b of n.b less max over a of n.a, (I,) [m], for unit vectors n (I, 3).

    A half-space has a finite support along its own normal only, which then replaces n.
    """
    first = support(table, items.first, items.R[0], direction)
    second = support(table, items.second, items.R[1], -direction)
    between = np.einsum("ki,ki->k", direction, items.c[1] - items.c[0])
    return between - first - second - ROUNDING


def clearance_along(
    table: BodyTable, pairs: PairTable, items: Items, direction: Array, required: float
) -> Array:
    """Return the distance beyond the required one that directions prove in all of the range, (I,).

    Args:
        table: The bodies.
        pairs: Which joints move which.
        items: Pairs of bodies at poses, with their ranges.
        direction: From the first to the second body, unit vectors, shape (I, 3).
        required: Distance to keep [m].
    """
    value = separation(table, items, direction) - required
    for side in (0, 1):
        if items.delta[side].any():
            value = value - motion_along(table, pairs, items, side, direction)
    return value


def along_planes(table: BodyTable, items: Items, direction: Array) -> Array:
    """Return directions, those towards a half-space replaced by its own normal."""
    plane = table.plane[items.second]
    if plane.any():
        direction = direction.copy()
        direction[plane] = -items.R[1][plane, :, 2]
    return direction


def support(table: BodyTable, body: IntArray, R: Array, direction: Array) -> Array:
    """Return the supports of bodies about their own origins, shape (I,) [m]."""
    own = np.einsum("ki,kij->kj", direction, R)
    value = _support(own, table.half[body], table.disc[body]) + table.radius[body]
    for index in np.unique(body[table.is_hull[body]]):
        rows = body == index
        value[rows] = (own[rows] @ table.bodies[index].points.T).max(axis=1)
    return value


def nearest_direction(table: BodyTable, items: Items) -> Array:
    """Return coal's direction from the first to the second body of each item, shape (I, 3)."""
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    found = np.empty((len(items.first), 3))
    Ra, Rb = items.R
    ca, cb = items.c
    for k, (a, b) in enumerate(zip(items.first.tolist(), items.second.tolist(), strict=True)):
        if table.plane[b]:
            found[k] = -Rb[k, :, 2]
            continue
        result.clear()
        one, other = coal.Transform3s(Ra[k], ca[k]), coal.Transform3s(Rb[k], cb[k])
        coal.distance(table.shapes[a], one, table.shapes[b], other, request, result)
        found[k] = result.normal
    return unit(np.where(np.isfinite(found), found, 0.0))
