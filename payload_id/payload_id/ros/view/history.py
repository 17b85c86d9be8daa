"""What has been over time: rows of numbers in bounded memory, thinned out as they grow old."""

from __future__ import annotations

import numpy as np

from ...core.arrays import Array
from ...core.identification.estimate import Estimate

MOST = 480  # rows kept; when there are as many, every other one of the older half is dropped


class History:
    """Rows (time, values) that never take more memory than `MOST` of them.

    The newer half keeps its resolution; the older the rows, the fewer of them are left.
    """

    def __init__(self, width: int) -> None:
        """Keep rows of so many values."""
        self._rows = np.full((MOST, width + 1), np.nan)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, time: float, values: Array) -> None:
        """Add a row.

        Args:
            time: Not before that of the row before [s]; a row of an earlier time begins anew.
            values: Shape (width,).
        """
        if self._count and time < self._rows[self._count - 1, 0]:
            self._count = 0
        if self._count == MOST:
            half = MOST // 2
            kept = np.concatenate([self._rows[:half:2], self._rows[half:]])
            self._rows[: len(kept)] = kept
            self._count = len(kept)
        self._rows[self._count, 0] = time
        self._rows[self._count, 1:] = values
        self._count += 1

    def due(self, time: float, pause: float) -> bool:
        """Tell whether the newest row is as old as a pause [s] at a time."""
        return not self._count or time - self._rows[self._count - 1, 0] >= pause

    def clear(self) -> None:
        """Forget all rows."""
        self._count = 0

    @property
    def time(self) -> Array:
        """Times, shape (N,) [s]."""
        return self._rows[: self._count, 0].copy()

    def column(self, k: int) -> Array:
        """Return one value over time, shape (N,); what is not finite is NaN."""
        values = self._rows[: self._count, k + 1].copy()
        values[~np.isfinite(values)] = np.nan
        return values


def interval_row(estimate: Estimate) -> Array:
    """Return upper end, estimate and lower end of each parameter, shape (30,)."""
    return np.column_stack([estimate.upper, estimate.phi, estimate.lower]).ravel()
