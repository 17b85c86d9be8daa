"""Stamps: whole nanoseconds where they are taken, seconds from a start where they are used."""

from __future__ import annotations

from itertools import pairwise
from typing import overload

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, BoolArray

# A pause longer than this many typical sampling steps is a gap.
GAP_STEPS = 3.5
NANOSECONDS = 1e9  # [1/s]


@overload
def seconds_since(stamp_ns: int, start_ns: int) -> float: ...


@overload
def seconds_since(stamp_ns: NDArray[np.int64], start_ns: int) -> Array: ...


def seconds_since(stamp_ns: int | NDArray[np.int64], start_ns: int) -> float | Array:
    """Return the time from `start_ns` to `stamp_ns` [s], the nearest floating-point number.

    The difference is taken in integers: seconds since 1970 in floating point would round each stamp
    to about 2e-7 s.

    Args:
        stamp_ns: Absolute times [ns].
        start_ns: Absolute time of zero [ns].

    """
    return (stamp_ns - start_ns) / NANOSECONDS


def covered(known: Array, stamp: Array) -> BoolArray:
    """Return which instants lie between two known ones without a gap, shape (N,).

    Args:
        known: Increasing times, two or more, shape (M,) [s].
        stamp: Instants, shape (N,) [s].
    """
    inside = np.zeros(len(stamp), dtype=bool)
    for part in stretches(known):
        inside |= (stamp >= known[part][0]) & (stamp <= known[part][-1])
    return inside


def stretches(stamp: Array, bridged: float = 0.0) -> list[slice]:
    """Return the parts of increasing stamps, one or more, between which there are gaps.

    Args:
        stamp: Increasing times, shape (N,) [s].
        bridged: A pause that is no gap, however many steps it lasts [s].
    """
    steps = np.diff(stamp)
    longest = max(GAP_STEPS * float(np.median(steps)), bridged) if len(steps) else 0.0
    cuts = np.flatnonzero(steps > longest) + 1 if len(steps) else steps
    return [slice(int(a), int(b)) for a, b in pairwise([0, *cuts, len(stamp)])]


def even_grid(stamp: Array) -> Array:
    """Return stamps with equal steps over the same time: the same ones if they have."""
    count = len(stamp)
    even = np.linspace(stamp[0], stamp[-1], count)
    step = float(np.median(np.diff(stamp)))
    if np.abs(stamp - even).max() <= 1e-3 * step:
        return stamp
    return np.linspace(stamp[0], stamp[-1], max(count, round((stamp[-1] - stamp[0]) / step) + 1))
