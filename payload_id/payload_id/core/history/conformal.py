"""Ranks: how large the score of a new run is at most, with a stated probability [Vovk2005].

If the scores of K + 1 runs are exchangeable, the new one's rank among them is uniform, whatever
their distribution: it is at most the k-th smallest of the K others with probability k / (K + 1).
"""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Array, one_number
from ..errors import InputError


def runs_needed(level: float) -> int:
    """Return the number of runs from which a bound with this probability can be told.

    Raises:
        InputError: The level is no probability.
    """
    if not 0.0 < one_number(level, "level") < 1.0:
        raise InputError(
            f"level is the probability that an interval holds, between 0 and 1; found {level!r}. "
            "(95 % is written 0.95.)"
        )
    return math.ceil(level / (1.0 - level) - 1e-9)


def largest_score(scores: Array, level: float) -> float:
    """Return what a new score does not exceed with a probability of at least `level`.

    Args:
        scores: Of K runs, none negative; NaN: not known, shape (K,).
        level: The probability.

    Returns:
        bound: Infinite if there are fewer runs than `runs_needed`.
    """
    known = np.sort(scores[np.isfinite(scores)])
    if len(known) < runs_needed(level):
        return float("inf")
    rank = math.ceil(level * (len(known) + 1) - 1e-9)
    return float(known[rank - 1])
