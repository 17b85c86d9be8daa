"""Which samples can be used: finite, and newer than all before; the others are counted by cause.

What is larger than any position, velocity, torque or acceleration can be counts as not finite: it
is what sensors and drivers report where they have none, and sums of it are not finite.

`rows_to_keep` judges whole arrays, `SampleGate` one sample after the other, by the same rules: a
replay sees exactly the samples that the live run saw.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from ..arrays import Array, BoolArray

LARGEST = 1e9  # of a measured value, in SI units


class Drop(str, Enum):
    """Why a sample was not used; the value is the name in counts and messages."""

    NOT_FINITE = "not_finite"
    DUPLICATE = "duplicate"
    OUT_OF_ORDER = "out_of_order"
    WRONG_LENGTH = "wrong_length"
    UNKNOWN_JOINTS = "unknown_joints"


def rows_to_keep(stamp: Array, *arrays: Array) -> tuple[BoolArray, dict[str, int]]:
    """Find the rows that can be used.

    Args:
        stamp: Time of each row, shape (N,) [s].
        arrays: What was measured, each of shape (N, n).

    Returns:
        keep: Which rows are finite and newer than every usable row before, shape (N,).
        dropped: Number of the other rows by cause, causes that occur only.
    """
    usual = all((np.abs(x) <= LARGEST).all() for x in arrays) and np.isfinite(stamp).all()
    if usual and (stamp[1:] > stamp[:-1]).all():
        return np.ones(len(stamp), dtype=bool), {}
    finite = np.isfinite(stamp)
    for array in arrays:
        finite &= (np.abs(array) <= LARGEST).all(axis=1)
    newest = np.maximum.accumulate(np.where(finite, stamp, -np.inf))
    before = np.concatenate([[-np.inf], newest[:-1]]) if len(stamp) else newest
    counts = {
        Drop.NOT_FINITE: ~finite,
        Drop.DUPLICATE: finite & (stamp == before),
        Drop.OUT_OF_ORDER: finite & (stamp < before),
    }
    dropped = {cause.value: int(rows.sum()) for cause, rows in counts.items() if rows.any()}
    return finite & (stamp > before), dropped


@dataclass(frozen=True)
class SampleGate:
    """Accepts samples that are finite and newer than every accepted one; counts the others.

    Attributes:
        newest: Stamp of the newest accepted sample.
        dropped: Number of rejected samples, by cause.

    """

    newest: float = -math.inf
    dropped: Mapping[str, int] = field(default_factory=dict)

    def offer(self, stamp: float, *arrays: Array) -> tuple[SampleGate, Drop | None]:
        """Judge one sample by the rules of `rows_to_keep`.

        Args:
            stamp: Time of the sample in one unit throughout; integers [ns] compare exactly.
            arrays: What was measured, each of shape (n,).

        Returns:
            gate: The state after this sample.
            cause: Why the sample must not be used, or None.

        """
        cause = self._cause(stamp, arrays)
        return (replace(self, newest=stamp), None) if cause is None else (self.reject(cause), cause)

    def reject(self, cause: Drop) -> SampleGate:
        """Return the state after a sample that was dropped for `cause`."""
        return replace(
            self, dropped={**self.dropped, cause.value: self.dropped.get(cause.value, 0) + 1}
        )

    def _cause(self, stamp: float, arrays: tuple[Array, ...]) -> Drop | None:
        if not (math.isfinite(stamp) and all((np.abs(x) <= LARGEST).all() for x in arrays)):
            return Drop.NOT_FINITE
        if stamp == self.newest:
            return Drop.DUPLICATE
        return Drop.OUT_OF_ORDER if stamp < self.newest else None
