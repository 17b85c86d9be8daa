"""Errors of single samples with the signs that do most harm: to a row, or to one parameter.

How a row changes with the error of one sample is found by making that error; nothing of the
package's own bounds enters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from payload_id.core.arrays import Array
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.samples.joint_samples import Samples

Moved = Callable[[Samples, Array], Samples]  # samples, errors in units of their bounds (N, C)


def moved(quantity: str, bound: float) -> Moved:
    """Return what adds errors to the stamps (one channel) or to "q" or "dq" (one each joint)."""

    def add(samples: Samples, u: Array) -> Samples:
        right = getattr(samples, quantity)
        return replace(samples, **{quantity: right + bound * u.reshape(right.shape)})

    return add


def left_over(rows: RowBlock, phi: Array) -> Array:
    """Return by how much each row misses a payload, shape (m,)."""
    return rows.A @ phi - rows.b


def effects(
    row_source: MomentumRows, window: Samples, phi: Array, add: Moved, channels: int
) -> Array:
    """Return what the error of each sample does to each row of a window, shape (N, C, n)."""
    right = left_over(row_source.window(window), phi)
    found = np.zeros((len(window), channels, len(right)))
    for place in np.ndindex(found.shape[:2]):
        u = np.zeros(found.shape[:2])
        u[place] = 1.0
        found[place] = left_over(row_source.window(add(window, u)), phi) - right
    return found


def weights(
    samples: Samples, windows: Sequence[Samples], changes: Sequence[Array], L: Array
) -> Array:
    """Return what the error of each sample does to the image L of the rows, shape (10, N, C).

    Args:
        samples: The recording.
        windows: Its windows; neighbours share a sample.
        changes: `effects` of each.
        L: Left inverse of the rows, shape (10, rows).
    """
    found = np.zeros((10, len(samples), changes[0].shape[1]))
    n = changes[0].shape[2]
    for number, (window, change) in enumerate(zip(windows, changes, strict=True)):
        first = int(np.searchsorted(samples.stamp, window.stamp[0]))
        part = np.tensordot(L[:, n * number : n * (number + 1)], change, axes=(1, 2))
        found[:, first : first + len(window)] += part
    return found
