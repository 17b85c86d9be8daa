"""What a run without payload has taught about the arm, for later runs with the same bounds."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from ..arm.calibration import Calibration
from ..arrays import Array
from ..bounds.interval import NO_SHAPE, Interval
from ..diagnosis.evidence import smallest_factor
from ..rows.joint_torque.calibrated import arm_rows
from ..rows.joint_torque.momentum import MomentumRows
from ..rows.row_block import RowBlock
from ..rows.row_source import RowSource
from ..statistics.statistics import Statistics
from ..threads import one_thread


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

    @classmethod
    def beforehand(cls, rows: RowSource) -> Tare:
        """Return what the arm's calibration has taught; nothing without one."""
        if isinstance(rows, MomentumRows) and rows.model.calibration is not None:
            with one_thread():
                kept, statistics = calibration_tare(rows.model.calibration, rows)
            return cls(kept, statistics, len(kept))
        return cls(RowBlock.empty(rows.p), Statistics.empty(rows.p, rows.growth))

    def with_run(self, rows: RowBlock, statistics: Statistics, phi: Array) -> Tare:
        """Return what is known with a run whose payload was known.

        Args:
            rows: Kept ones of the run.
            statistics: Of all rows of the run.
            phi: The payload, shape (10,).
        """
        known = RowBlock.stack([self.rows, rows.with_payload(phi)])
        with one_thread():
            both = self.statistics.joined(statistics.of_nuisance_only(phi))
            return replace(self, rows=known, statistics=both)

    def noise_factor(self) -> float:
        """Return the least factor on all bounds with which the rows do not contradict each other.

        Infinite where the solver finds none.
        """
        anything = Interval(np.full(10, -1.0), np.ones(10))  # the rows say nothing of a payload
        return smallest_factor(self.rows, anything, NO_SHAPE, physical=False).factor

    def fits(self, rows: RowSource) -> bool:
        """Tell whether rows of a run have the same nuisance parameters."""
        return int(self.rows.B.shape[1]) == rows.p


def calibration_tare(
    calibration: Calibration, row_source: MomentumRows
) -> tuple[RowBlock, Statistics]:
    """Return the kept rows and the statistics of all rows, in the coordinates of a run.

    Args:
        calibration: Of the arm.
        row_source: Of the run's rows, for an arm with this calibration.
    """
    nuisance = row_source.of_arm
    stacked = calibration.factors.reshape(-1, calibration.factors.shape[-1])
    C, t = stacked[:, :-1], stacked[:, -1]
    count, constant = len(t), row_source.p - nuisance.p  # what is of a run is in no calibration
    none, now = np.zeros((count, 10)), np.zeros(count)
    joint = np.repeat(np.arange(len(calibration.factors)), calibration.factors.shape[1])
    more = len(calibration.factors) - calibration.n  # rows of all joints together have no gain
    growth = np.pad(row_source.growth, ((0, more), (0, 0)))
    factor_rows = RowBlock(
        A=none,
        A_error=none,
        B=np.hstack([nuisance.scaled(C), np.zeros((count, constant))]),
        b=t - C @ nuisance.centre,
        d=np.ones(count),
        joint=joint,
        start=now,
        end=now,
    )
    statistics = Statistics.empty(row_source.p, growth).add(factor_rows, np.zeros(10))
    # The factors stand for more rows than they have, each with an error of its bound.
    errors = np.zeros((len(calibration.counts), 11))
    errors[:, 10] = calibration.counts
    statistics = replace(
        statistics,
        rows=int(calibration.counts.sum()),
        counts=calibration.counts.astype(float),
        errors=errors,
    )
    rows = arm_rows(calibration.equations, nuisance)
    B = np.hstack([rows.B, np.zeros((len(rows), constant))])
    return replace(rows, B=B), statistics
