"""What a run without payload has taught about the arm, for later runs with the same bounds."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from .rows.block import RowBlock
from .rows.maker import RowMaker
from .statistics import Statistics


@dataclass(frozen=True, eq=False)
class Tare:
    """Rows with phi = 0 and the same nuisance parameters, and statistics of all such rows.

    Attributes:
        rows: Those of the arm's calibration first, then those of bare runs.
        statistics: Of all rows, kept or not.
        calibrated: Number of rows of the calibration.
    """

    rows: RowBlock
    statistics: Statistics
    calibrated: int = 0

    def __len__(self) -> int:
        """Return the number of rows that a calibration has not given."""
        return len(self.rows) - self.calibrated

    def __eq__(self, other: object) -> bool:
        """Tell whether every number is the same, bit for bit."""
        if not isinstance(other, Tare):
            return NotImplemented
        pairs = [(self.rows, other.rows), (self.statistics, other.statistics)]
        return self.calibrated == other.calibrated and all(
            np.array_equal(getattr(one, entry.name), getattr(two, entry.name))
            for one, two in pairs
            for entry in fields(one)  # type: ignore[arg-type]  # both are dataclasses
        )

    __hash__ = None  # type: ignore[assignment]  # arrays have none

    def fits(self, rows: RowMaker) -> bool:
        """Tell whether rows of a run have the same nuisance parameters."""
        return int(self.rows.B.shape[1]) == rows.p
