"""Rows of one kind that came with increasing stamps and wait for those of another kind."""

from __future__ import annotations

from collections import Counter

import numpy as np

from ..arrays import Array, BoolArray
from ..samples.sample_checks import rows_to_keep

MOST = 4000  # rows that wait


class RowBuffer:
    """Keeps rows that are finite and newer than all before; counts the others.

    Attributes:
        rows: Stamp [s] and what was measured, shape (k, 1 + width).
    """

    def __init__(self, width: int, kind: str, dropped: Counter[str]) -> None:
        """Begin.

        Args:
            width: Numbers of a row beside its stamp.
            kind: What counts call the rows.
            dropped: Where rows that were not kept are counted, by kind and cause.
        """
        self.rows: Array = np.empty((0, 1 + width))
        self._kind, self._dropped, self._newest = kind, dropped, self.rows

    @property
    def stamp(self) -> Array:
        """Time of each row, shape (k,) [s]."""
        return self.rows[:, 0]

    @property
    def newest(self) -> float:
        """Time of the newest row [s]; -inf: there is none."""
        return float(self.stamp.max(initial=-np.inf))

    def add(self, new: Array) -> None:
        """Keep what can be used of new rows."""
        whole = np.vstack([self._newest, new])
        keep, dropped = rows_to_keep(whole[:, 0], whole[:, 1:])
        self._newest = whole[keep][-1:]
        kept = np.vstack([self.rows, whole[keep][len(whole) - len(new) :]])
        if (over := len(kept) - MOST) > 0:
            dropped |= {"that waited too long": over}
        self._dropped.update({f"{self._kind} {cause}".strip(): n for cause, n in dropped.items()})
        self.rows = kept[-MOST:]

    def forget(self, before: float) -> None:
        """Let rows go that are older than the last one before a time [s]."""
        first = int(np.searchsorted(self.stamp, before, side="right")) - 1
        self.rows = self.rows[max(0, first) :]

    def around(self, at: Array, gap: float) -> BoolArray:
        """Tell which times have rows on both sides that are no farther apart than a gap [s]."""
        if not len(self.rows):
            return np.zeros(len(at), dtype=bool)
        stamp, last = self.stamp, len(self.rows) - 1
        after = np.clip(np.searchsorted(stamp, at), 0, last)
        before = np.clip(np.searchsorted(stamp, at, side="right") - 1, 0, last)
        inside = (at >= stamp[0]) & (at <= stamp[-1])
        return np.asarray(inside & (stamp[after] - stamp[before] <= gap))

    def between(self, at: Array) -> Array:
        """Return what was measured, on the lines between neighbours, shape (len(at), width)."""
        return np.stack([np.interp(at, self.stamp, x) for x in self.rows.T[1:]], axis=1)
