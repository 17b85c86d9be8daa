r"""A walk that is clipped at every step: the one recurrence of all rate-independent hysteresis.

    z_k = clip(z_{k-1} + a_k, -s_k, s_k).

Maps z -> clip(z + a, l, u) are closed under composition,

    clip(clip(z + a1, l1, u1) + a2, l2, u2)
        = clip(z + a1 + a2, clip(l1 + a2, l2, u2), clip(u1 + a2, l2, u2)),

so the N steps are cut into about sqrt(N) blocks: the maps of all blocks are composed side by side,
and only what goes from block to block is a loop of its own.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array


def clipped_walk(steps: Array, limit: Array, start: Array) -> Array:
    """Return z_1, ..., z_N for z_0 = start.

    Args:
        steps: a, shape (N, ...).
        limit: s, none negative, same shape.
        start: z_0, shape (...).
    """
    count = len(steps)
    length = max(1, int(np.ceil(np.sqrt(count))))
    a, s = _in_blocks(steps, length), _in_blocks(limit, length)
    total, lower, upper = np.cumsum(a, axis=0), np.empty_like(a), np.empty_like(a)
    lower[0], upper[0] = -s[0], s[0]
    for k in range(1, length):
        for bound in (lower, upper):
            bound[k] = np.minimum(np.maximum(bound[k - 1] + a[k], -s[k]), s[k])
    begin = np.empty_like(a[0])
    z = start
    for block in range(a.shape[1]):
        begin[block] = z
        z = np.minimum(np.maximum(z + total[-1, block], lower[-1, block]), upper[-1, block])
    walk = np.minimum(np.maximum(begin + total, lower), upper)
    return np.asarray(np.swapaxes(walk, 0, 1).reshape(-1, *steps.shape[1:])[:count])


def _in_blocks(values: Array, length: int) -> Array:
    """Return values (N, ...) as (length, blocks, ...), zeros after the last one."""
    missing = -len(values) % length
    padded = np.concatenate([values, np.zeros((missing, *values.shape[1:]))])
    return np.swapaxes(padded.reshape(-1, length, *values.shape[1:]), 0, 1)


# What a spring that slips remembers: u, shape (S, n), and x at the last instant, shape (n,).
Slip = tuple[Array, Array | None]


def slipped(
    x: Array, rate: Array | float, limit: Array | float, before: Slip
) -> tuple[Array, Slip]:
    """Return u <- clip(u + rate dx, -limit, limit) of S springs of n drives, shape (N, S, n).

    Args:
        x: Over time, shape (N, n).
        rate: Shape (S, n), or one number.
        limit: None negative, shape (N, S, n) or what can be broadcast to it.
        before: What the springs remember; without an x they begin where x does.
    """
    u, last = before
    moved = np.diff(x, axis=0, prepend=(x[0] if last is None else last)[np.newaxis])
    steps = moved[:, np.newaxis] * np.broadcast_to(rate, u.shape)
    walk = clipped_walk(steps, np.broadcast_to(limit, steps.shape), u)
    return walk, (walk[-1], x[-1])
