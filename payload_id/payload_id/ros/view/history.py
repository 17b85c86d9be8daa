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
        self._rows = np.empty((0, width + 1))

    def add(self, time: float, values: Array) -> None:
        """Add a row.

        Args:
            time: Not before that of the row before [s]; a row of an earlier time begins anew.
            values: Shape (width,).
        """
        rows, half = self._rows, MOST // 2
        if len(rows) and time < rows[-1, 0]:
            rows = rows[:0]
        if len(rows) == MOST:
            rows = np.concatenate([rows[:half:2], rows[half:]])
        self._rows = np.vstack([rows, [time, *values]])

    def add_estimate(self, estimate: Estimate) -> None:
        """Add upper end, estimate and lower end of each parameter, where there is an estimate."""
        if np.isfinite(estimate.phi).all():
            ends = np.column_stack([estimate.upper, estimate.phi, estimate.lower])
            self.add(estimate.seconds, ends.ravel())

    @property
    def time(self) -> Array:
        """Times, shape (N,) [s]."""
        return self._rows[:, 0]

    def column(self, k: int) -> Array:
        """Return one value over time, shape (N,); what is not finite is NaN."""
        values = self._rows[:, k + 1]
        return np.where(np.isfinite(values), values, np.nan)
