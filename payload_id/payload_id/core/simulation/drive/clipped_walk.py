r"""A walk that is clipped at every step: the one recurrence of all rate-independent hysteresis.

    z_k = clip(z_{k-1} + a_k, -s_k, s_k).

Maps z -> clip(z + a, l, u) are closed under composition,

    clip(clip(z + a1, l1, u1) + a2, l2, u2)
        = clip(z + a1 + a2, clip(l1 + a2, l2, u2), clip(u1 + a2, l2, u2)),

so the N steps are cut into about sqrt(N) blocks: the maps of all blocks are composed side by side,
and only what goes from block to block is a loop of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array


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
        lower[k] = np.minimum(np.maximum(lower[k - 1] + a[k], -s[k]), s[k])
        upper[k] = np.minimum(np.maximum(upper[k - 1] + a[k], -s[k]), s[k])
    begin = np.empty_like(a[0])
    z = start
    for block in range(a.shape[1]):
        begin[block] = z
        z = np.minimum(np.maximum(z + total[-1, block], lower[-1, block]), upper[-1, block])
    walk = np.minimum(np.maximum(begin + total, lower), upper)
    return np.asarray(np.swapaxes(walk, 0, 1).reshape(-1, *steps.shape[1:])[:count])


@dataclass(frozen=True)
class Slip:
    """A spring that slips: u <- clip(u + dx / w, -1, 1), for n drives.

    Attributes:
        width: w, shape (n,), in the unit of x.
        u: At the last instant, within +-1, shape (n,) [-].
        x: At the last instant, shape (n,); None: as at the first one to come.
    """

    width: Array
    u: Array
    x: Array | None = None

    def through(self, x: Array) -> tuple[Array, Slip]:
        """Return u for x over time, shape (N, n) each, and the spring as that leaves it."""
        before = x[0] if self.x is None else self.x
        steps = np.diff(x, axis=0, prepend=before[np.newaxis]) / np.maximum(self.width, 1e-12)
        u = clipped_walk(steps, np.ones_like(steps), self.u)
        return u, replace(self, u=u[-1], x=x[-1])


def _in_blocks(values: Array, length: int) -> Array:
    """Return values (N, ...) as (length, blocks, ...), zeros after the last one."""
    missing = -len(values) % length
    padded = np.concatenate([values, np.zeros((missing, *values.shape[1:]))])
    return np.swapaxes(padded.reshape(-1, length, *values.shape[1:]), 0, 1)
