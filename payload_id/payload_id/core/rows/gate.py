"""What lets samples through to the rows: false ones are left out and counted, by cause."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from ..arrays import BoolArray, IntArray

Numbers = IntArray | slice  # of samples


class Gate(Protocol):
    """Judges the samples of one run in their order, however they come in pieces.

    Attributes:
        dropped: Number of samples left out, by cause.
    """

    dropped: Mapping[str, int]

    def let_through(self, samples: Any) -> Any:
        """Return those of newer samples that rows may be made of."""
        ...


def kept_in_turn(off: Callable[[Numbers, Numbers], BoolArray], count: int) -> BoolArray:
    """Return which samples follow from the one that was kept before them, shape (count,).

    Args:
        off: Tells, of each sample of the first array and its successor in the second, whether the
            successor does not follow from it, shape (K,).
        count: Number of samples; the first is kept.
    """
    keep = np.ones(count, dtype=bool)
    wrong = off(slice(0, count - 1), slice(1, count))
    if not wrong.any():
        return keep
    for last in np.flatnonzero(wrong):
        if keep[last]:
            for k in range(last + 1, count):
                keep[k] = not off(np.array([last]), np.array([k]))[0]
                if keep[k]:
                    break
    return keep


def note_of(dropped: Mapping[str, int]) -> str:
    """Say what was left out, one sentence; empty if nothing was."""
    if not dropped:
        return ""
    causes = ", ".join(f"{count} with {cause}" for cause, count in sorted(dropped.items()))
    return f"False samples were left out: {causes}."
