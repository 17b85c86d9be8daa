r"""Upper bounds of a bilinear form over two boxes.

With |u_p| <= 1 and |x_k| <= 1, and any s_kp in [-1, 1],

    a'u + sum_k x_k (b_k + c_k'u) <= a'u + sum_k |b_k + c_k's_k| + sum_kp |c_kp| |u_p - s_kp|,

in which each u_p appears alone: at its largest, for u_p = 1 or -1, the right side is

    F(s) = sum_kp |c_kp| + sum_p |a_p - sum_k |c_kp| s_kp| + sum_k |b_k + sum_p c_kp s_kp|.

So every s gives a bound; none has to be the best. |c_kp| s_kp is a flow from a_p to b_k through an
edge of the capacity |c_kp|: what arrives with the sign that cancels is gained twice. The least F is
the dual of the linear relaxation of x_k u_p [McCormick1976]. It is approached by a primal-dual
method [Chambolle2011] with diagonal steps. Where that leaves a gap, the u_p with the largest excess
of capacity is set to either end, and the larger bound taken: the maximum is at a corner. HiGHS
would solve the relaxations one by one; here hundreds are approached at once, and any s proves.
docs/proofs.md.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array, BoolArray, IntArray
from .slice_motion import EPS

GAP = 0.02  # part of a bound within which it is near enough to a value that is taken
ITERATIONS = 12
SPLITS = 2  # u_p whose ends are tried one by one where a bound is still not near
CRUDE = -1  # splits that stand for no search at all
CLIMBS = 2  # from one corner to a better one
COLUMNS = 16  # the u_p with the largest capacities, for which the best s is searched
TINY = 1e-300
ROWS = 64  # forms that are treated at once, so that they stay in the processor's cache


def bilinear_bound(
    a: Array,
    b: Array,
    c: Array,
    splits: int = SPLITS,
    enough: Array | float = -np.inf,
    hopeless: Array | float = np.inf,
) -> Array:
    """Return upper bounds of max a'u + b'x + x'c u over |u| <= 1 and |x| <= 1.

    Args:
        a: Shape (N, p).
        b: Shape (N, D).
        c: Shape (N, D, p).
        splits: How many u_p are tried at both ends where that is needed; `CRUDE`: the first s is
            taken as it is.
        enough: Below which no bound need be closer, shape (N,).
        hopeless: Of a form that takes more, no bound need be closer, shape (N,).

    Returns:
        bound: Shape (N,).
    """
    size = np.abs(c)
    capacity = size.sum(axis=1)
    # What every edge of p carries alike; where a_p is beyond the capacity, nothing is better.
    s = np.clip(a / np.where(capacity > 0, capacity, 1.0), -1.0, 1.0)
    own = np.maximum(np.abs(a), capacity).sum(axis=1)
    bound = own + np.abs(b + _times(c, s)).sum(axis=1)
    if splits == CRUDE:
        return _outward(bound, c)
    taken = _taken(a, b, c, np.where(b + _times(c, np.sign(a)) < 0, -1.0, 1.0))
    enough, hopeless = (np.broadcast_to(x, bound.shape) for x in (enough, hopeless))

    def is_loose(some: IntArray) -> BoolArray:
        least = np.maximum((1.0 + GAP) * taken[some], enough[some])
        return np.asarray((bound[some] > least) & (taken[some] <= hopeless[some]))

    loose = np.flatnonzero(is_loose(np.arange(len(bound))))
    for start in range(0, len(loose), ROWS):
        rows = loose[start : start + ROWS]
        found, x = _refined(a[rows], b[rows], c[rows], s[rows], capacity[rows])
        bound[rows] = np.minimum(bound[rows], found)
        taken[rows] = np.maximum(taken[rows], _taken(a[rows], b[rows], c[rows], x))
    rows = loose[is_loose(loose)]
    if splits and len(rows):
        which = np.argmax(capacity[rows] - np.abs(a[rows]), axis=1)
        ends = enough[rows], hopeless[rows]
        found = _split(a[rows], b[rows], c[rows], which, splits - 1, *ends)
        bound[rows] = np.minimum(bound[rows], found)
    return _outward(bound, c)


def _outward(bound: Array, c: Array) -> Array:
    """Return bounds (N,) rounded outwards, for forms with c of shape (N, D, p)."""
    return np.asarray(bound * (1.0 + 8 * (1 + c.shape[1]) * (1 + c.shape[2]) * EPS))


def _split(
    a: Array, b: Array, c: Array, which: IntArray, splits: int, enough: Array, hopeless: Array
) -> Array:
    """Return the larger bound of both ends of one u_p of each form, which is an end, shape (N,)."""
    rows = np.arange(len(a))
    own, column = a[rows, which], c[rows, :, which]
    a, c = a.copy(), c.copy()
    a[rows, which], c[rows, :, which] = 0.0, 0.0
    above = own + bilinear_bound(a, b + column, c, splits, enough - own, hopeless - own)
    below = -own + bilinear_bound(a, b - column, c, splits, enough + own, hopeless + own)
    return np.maximum(above, below)


def _times(c: Array, u: Array) -> Array:
    """Return c u, shape (N, D)."""
    return np.asarray((c @ u[..., None])[..., 0])


def _taken(a: Array, b: Array, c: Array, x: Array) -> Array:
    """Return values that the forms take: u and x are set to their best ends in turns, (N,)."""
    for _ in range(CLIMBS):
        u = np.where(a + _products(x, c) < 0, -1.0, 1.0)
        x = np.where(b + _times(c, u) < 0, -1.0, 1.0)
    return np.asarray((b * x).sum(axis=1) + np.abs(a + _products(x, c)).sum(axis=1))


def _products(x: Array, c: Array) -> Array:
    """Return x'c, shape (N, p)."""
    return np.asarray((x[:, None] @ c)[:, 0])


def _refined(a: Array, b: Array, c: Array, s: Array, capacity: Array) -> tuple[Array, Array]:
    """Return F at an s that is near the best, shape (N,), and the x that goes with it.

    Most u_p keep the s they have.
    """
    order = np.argsort(-capacity, axis=1)
    chosen, kept = order[:, :COLUMNS], order[:, COLUMNS:]
    own = np.maximum(np.abs(a), capacity)
    b = b + _times(_columns(c, kept), _columns(s, kept))
    a, c, s = (_columns(part, chosen) for part in (a, c, s))
    flow, x = _flow(a, b, c, s)
    size = np.abs(c)
    left = np.abs(a - (size * flow).sum(axis=1)).sum(axis=1)
    right = np.abs(b + (c * flow).sum(axis=2)).sum(axis=1)
    return _columns(own, kept).sum(axis=1) + size.sum(axis=(1, 2)) + left + right, x


def _columns(array: Array, which: IntArray) -> Array:
    """Return some entries of the last axis, others in each row, which of shape (N, m)."""
    if array.ndim == 3:
        which = which[:, None]
    return np.take_along_axis(array, which, axis=-1)


def _flow(a: Array, b: Array, c: Array, s: Array) -> tuple[Array, Array]:
    """Return s_kp, shape (N, D, p), from a first s_p, shape (N, p); and the signs of x, (N, D)."""
    size, sign = np.abs(c), np.sign(c)
    per_u, per_x = (1.0 / np.maximum(size.sum(axis=axis), TINY) for axis in (1, 2))
    flow = np.repeat(s[:, None], c.shape[1], axis=1)
    y = np.where(a < 0, -1.0, 1.0)
    z = np.clip((b + np.einsum("ndp,ndp->nd", c, flow)) * per_x, -1, 1)
    for _ in range(ITERATIONS):
        step = sign * z[:, :, None]
        np.subtract(y[:, None], step, out=step)
        step *= 0.5
        step += flow
        np.clip(step, -1, 1, out=step)
        flow = 2.0 * step - flow  # beyond the step, as the method has it
        y = np.clip(y + (a - np.einsum("ndp,ndp->np", size, flow)) * per_u, -1, 1)
        z = np.clip(z + (b + np.einsum("ndp,ndp->nd", c, flow)) * per_x, -1, 1)
        flow = step
    return flow, np.where(z < 0, -1.0, 1.0)
