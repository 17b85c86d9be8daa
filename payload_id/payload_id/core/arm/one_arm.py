"""Whether positions that follow one another can be those of one arm."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..arrays import Array

FASTEST = 5.0  # times the largest speed of any set of limits, beyond which no arm moves [-]
LEAST_LEAP = 0.05  # [rad or m] by which positions leap that belong to different arms


def fastest(limits: Iterable[Array], n: int) -> Array:
    """Return speeds that no arm has, shape (n,) [rad/s or m/s].

    Args:
        limits: Speed limits of each set of them, shape (n,) each [rad/s or m/s].
        n: Number of joints.
    """
    sets = [*limits]
    return FASTEST * np.max(sets, axis=0) if sets else np.full(n, np.inf)


def beyond_reach(step: Array, seconds: Array | float, speed: Array) -> Array:
    """Return by how much positions have changed more than one arm's can; negative: less.

    Args:
        step: Their changes, whole turns of joints without limits left out, shape (..., n)
            [rad or m].
        seconds: In what time, shape (..., 1) [s].
        speed: From `fastest`, shape (n,) [rad/s or m/s].
    """
    return np.asarray(np.abs(step) - speed * seconds - LEAST_LEAP)
