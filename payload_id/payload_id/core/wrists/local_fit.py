"""Values and derivatives of noisy readings: a cubic through each reading and its neighbours.

As the filter of Savitzky and Golay, but with the readings' own stamps. A value depends on its
neighbours alone, not on how the stream was cut into pieces.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..errors import InputError

DEGREE = 3
# Least eigenvalue of the normal equations over the largest; even stamps give 0.01. Stamps that come
# in clusters tell no derivative.
EVEN = 1e-3
GAP = 1.7  # neighbours that take longer than so many times the usual span leave their reading out


@dataclass(frozen=True)
class LocalFit:
    """Readings at the middles of M windows.

    Attributes:
        index: Number of the reading in the middle of each window, shape (M,).
        value: Shape (M, k).
        first: Time derivative, shape (M, k).
        second: Second time derivative, shape (M, k).
    """

    index: Array
    value: Array
    first: Array
    second: Array


def local_fit(stamp: Array, values: Array, neighbours: int, step: float) -> LocalFit:
    """Fit a cubic in time to every reading that has neighbours on both sides, by least squares.

    Readings beside a gap, or among stamps that come in clusters, have none.

    Args:
        stamp: Times, increasing, shape (N,) [s].
        values: Shape (N, k).
        neighbours: On either side of a reading, 2 or more.
        step: Usual time between readings [s].
    """
    if neighbours < 2:
        raise InputError(f"A cubic needs two neighbours on each side; found {neighbours}.")
    width = 2 * neighbours + 1
    if len(stamp) < width:
        none = np.empty((0, values.shape[1]))
        return LocalFit(np.empty(0, dtype=int), none, none, none)
    windows = np.lib.stride_tricks.sliding_window_view
    t = windows(stamp, width)
    index = np.arange(neighbours, len(stamp) - neighbours)
    reach = (t[:, -1] - t[:, 0]) / 2
    x = (t - stamp[index][:, None]) / reach[:, None]
    powers = x[..., None] ** np.arange(DEGREE + 1)
    normal = np.einsum("mwi,mwj->mij", powers, powers)
    sizes = np.linalg.eigvalsh(normal)
    whole = (reach <= GAP * neighbours * step) & (sizes[:, 0] > EVEN * sizes[:, -1])
    index, normal, powers = index[whole], normal[whole], powers[whole]
    reach = reach[whole][:, None]
    seen = windows(values, width, axis=0)[whole]  # (M, k, width)
    right = np.einsum("mwi,mkw->mik", powers, seen)
    c = np.linalg.solve(normal, right)
    return LocalFit(index, c[:, 0], c[:, 1] / reach, 2 * c[:, 2] / reach**2)
