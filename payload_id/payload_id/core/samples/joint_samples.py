"""Samples of a serial arm: checked once at the door, then trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..arrays import Array, BoolArray
from ..errors import RecordingError
from .sample_checks import rows_to_keep


@dataclass(frozen=True)
class Samples:
    """Joint positions, velocities and torques of n joints at N increasing instants.

    Bad rows (not finite, same stamp as the row before, older than a row before) are left out and
    counted in `dropped`; wrong shapes raise.

    Attributes:
        stamp: Time of each sample, shape (N,) [s], strictly increasing.
        q: Joint positions, shape (N, n) [rad or m].
        dq: Joint velocities, shape (N, n) [rad/s or m/s].
        tau: Joint torques or forces that the actuators apply, shape (N, n) [N m or N], positive
            about the joint axis.
        dropped: Number of rows left out, by cause.
    """

    stamp: Array
    q: Array
    dq: Array
    tau: Array
    dropped: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        stamp = np.asarray(self.stamp, dtype=float)
        arrays = {name: np.asarray(getattr(self, name), dtype=float) for name in ("q", "dq", "tau")}
        _check_shapes(stamp, arrays)
        keep, dropped = rows_to_keep(stamp, *arrays.values())
        for cause, count in self.dropped.items():
            dropped[cause] = dropped.get(cause, 0) + count
        object.__setattr__(self, "stamp", stamp[keep])
        for name, array in arrays.items():
            object.__setattr__(self, name, array[keep])
        object.__setattr__(self, "dropped", dropped)

    def __len__(self) -> int:
        return len(self.stamp)

    @property
    def n(self) -> int:
        """Number of joints."""
        return int(self.q.shape[1])

    @property
    def step(self) -> float:
        """Typical time between samples (median) [s]; NaN with fewer than two."""
        return float(np.median(np.diff(self.stamp))) if len(self) > 1 else float("nan")

    def part(self, start: int, stop: int) -> Samples:
        """Return samples number start to stop - 1."""
        rows = slice(start, stop)
        return Samples(self.stamp[rows], self.q[rows], self.dq[rows], self.tau[rows])

    def joined(self, newer: Samples) -> Samples:
        """Return both; what is not newer than these is dropped and counted."""
        return Samples(
            np.concatenate([self.stamp, newer.stamp]),
            np.concatenate([self.q, newer.q]),
            np.concatenate([self.dq, newer.dq]),
            np.concatenate([self.tau, newer.tau]),
            newer.dropped,
        )

    def between(self, start: float, end: float) -> Samples:
        """Return the samples with start <= stamp <= end [s]."""
        return self.chosen((self.stamp >= start) & (self.stamp <= end))

    def chosen(self, keep: BoolArray) -> Samples:
        """Return some of the samples: those for which keep, shape (N,), is true."""
        return Samples(self.stamp[keep], self.q[keep], self.dq[keep], self.tau[keep])


def _check_shapes(stamp: Array, arrays: Mapping[str, Array]) -> None:
    """Raise unless stamp is (N,) and every array (N, n) with one n."""
    if stamp.ndim != 1:
        raise RecordingError(f"stamp must have shape (N,); found {stamp.shape}.")
    n = arrays["q"].shape[1] if arrays["q"].ndim == 2 else None
    for name, array in arrays.items():
        if array.ndim != 2 or len(array) != len(stamp) or array.shape[1] != n or n == 0:
            raise RecordingError(
                f"{name} must have shape (N, n) = ({len(stamp)}, {n or 'n'}), one row per stamp "
                f"and one column per joint, the same for q, dq and tau; found {array.shape}."
            )
