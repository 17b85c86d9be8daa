"""The rows of a run: some kept as they are, for intervals, and statistics of all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array, IntArray
from ..rows.row_block import RowBlock
from ..statistics.statistics import Statistics

FOLD = 32  # windows whose rows enter the statistics at a time
ROW_LIMIT = 8000  # rows kept at the most; beyond it those far from active are dropped
ROW_STOCK = 3000  # rows kept when dropping


@dataclass(frozen=True)
class KeptRows:
    """Rows of one payload, window by window.

    A window adds its block to two short lists; nothing is copied before it is asked for.

    Attributes:
        typical: |phi| of a typical payload, shape (10,); sets the rows' weights, not bounds.
        folded: Statistics of all rows but those of `pending`.
        stock: Rows of the older windows.
        recent: Rows of the newer windows, one block each.
        pending: The newest of these, fewer than `FOLD`.
        size: Number of rows in stock and recent.
        newest: The newest windows without a gap, about `ROW_STOCK` rows at the most.
    """

    typical: Array
    folded: Statistics
    stock: RowBlock
    recent: tuple[RowBlock, ...] = ()
    pending: tuple[RowBlock, ...] = ()
    size: int = 0
    newest: tuple[RowBlock, ...] = ()

    @classmethod
    def none(cls, gain: Array, typical: Array) -> KeptRows:
        """Return no rows; for `gain` see `Statistics`."""
        p = gain.shape[1]
        return cls(typical, Statistics.empty(p, gain), RowBlock.empty(p))

    @property
    def too_many(self) -> bool:
        """Whether some should be dropped."""
        return self.size > ROW_LIMIT

    def with_windows(self, blocks: Iterable[RowBlock]) -> KeptRows:
        """Return the rows with those of further windows."""
        kept = self
        for block in blocks:
            kept = kept.with_window(block)
        return kept

    def with_window(self, block: RowBlock) -> KeptRows:
        """Return the rows with those of one more window."""
        kept = replace(
            self,
            recent=(*self.recent, block),
            pending=(*self.pending, block),
            size=self.size + len(block),
            newest=(*self.newest[-(ROW_STOCK // max(len(block), 1)) :], block),
        )
        if len(kept.pending) < FOLD:
            return kept
        return replace(kept, folded=kept.statistics(), pending=())

    def statistics(self) -> Statistics:
        """Return the statistics of all rows."""
        if not self.pending:
            return self.folded
        rows = RowBlock.stack(self.pending).of_own_data()
        return self.folded.add(rows, self.typical)

    def stacked(self) -> KeptRows:
        """Return the same with all blocks in the stock."""
        if not self.recent:
            return self
        return replace(self, stock=RowBlock.stack([self.stock, *self.recent]), recent=())

    def worth_keeping(self, slack: Array) -> IntArray:
        """Return which rows of the stock to keep: all, or those near to active if there are many.

        Args:
            slack: How far each of the first rows of the stock is from active, shape (m,).
        """
        every = np.arange(len(self.stock))
        if len(every) <= ROW_LIMIT // 2:
            return every
        near = np.sort(np.argsort(slack, kind="stable")[:ROW_STOCK])
        return np.concatenate([near, every[len(slack) :]])

    def take(self, rows: IntArray) -> KeptRows:
        """Return only some rows of the stock; the statistics stay those of all."""
        dropped = len(self.stock) - len(rows)
        return replace(self, stock=self.stock.take(rows), size=self.size - dropped)
