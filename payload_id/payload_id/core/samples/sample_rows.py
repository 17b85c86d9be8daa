"""Samples with absolute stamps, as they travel between threads and nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array


@dataclass(frozen=True, eq=False)
class SampleRows:
    """Accepted samples.

    Attributes:
        stamp_ns: Absolute time of each sample, shape (N,) [ns].
        q: Joint positions, shape (N, n) [rad or m].
        dq: Joint velocities, shape (N, n) [rad/s or m/s].
        tau: Joint torques, shape (N, n) [N m or N].
        first: Index of the first sample among all of their sampler.
    """

    stamp_ns: NDArray[np.int64]
    q: Array
    dq: Array
    tau: Array
    first: int = 0

    def __len__(self) -> int:
        return len(self.stamp_ns)

    @classmethod
    def joined(cls, parts: Sequence[SampleRows]) -> SampleRows:
        """Return parts, at least one, one after the other."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            np.concatenate([part.stamp_ns for part in parts]),
            np.concatenate([part.q for part in parts]),
            np.concatenate([part.dq for part in parts]),
            np.concatenate([part.tau for part in parts]),
            parts[0].first,
        )

    def newer_than(self, stamp_ns: int) -> SampleRows:
        """Return those that are newer than an instant and than all before them."""
        before = np.maximum.accumulate(np.concatenate([[stamp_ns], self.stamp_ns]))[:-1]
        keep = self.stamp_ns > before
        if keep.all():
            return self
        q, dq, tau = self.q[keep], self.dq[keep], self.tau[keep]
        return SampleRows(self.stamp_ns[keep], q, dq, tau, self.first)
