"""Stamps: whole nanoseconds where they are taken, seconds from a start where they are used."""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array

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
