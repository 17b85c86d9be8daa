"""A bounded buffer of samples between one writing and one reading thread, without locks.

The writer never waits. A reader that is too slow loses the oldest samples and is told how many:
nothing disappears silently. Rows are guarded by two counters: the writer raises `claimed` before it
touches rows and `written` afterwards, so the reader, which looks at `claimed` again after copying,
knows which of its rows were overwritten meanwhile. That each counter is one Python object makes its
reading and writing indivisible.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array
from ..errors import InputError


@dataclass(frozen=True, eq=False)
class SampleRows:
    """Accepted samples with their absolute stamps, as they travel between threads and nodes.

    Attributes:
        stamp_ns: Absolute time of each sample, shape (N,) [ns].
        q: Joint positions, shape (N, n) [rad or m].
        dq: Joint velocities, shape (N, n) [rad/s or m/s].
        tau: Joint torques, shape (N, n) [N m or N].
        first: Index of the first sample among all that were written.
        lost: Number of samples before it that were overwritten unread.
    """

    stamp_ns: NDArray[np.int64]
    q: Array
    dq: Array
    tau: Array
    first: int = 0
    lost: int = 0

    def __len__(self) -> int:
        return len(self.stamp_ns)

    def newer_than(self, stamp_ns: int) -> SampleRows:
        """Return those that are newer than an instant and than all before them; `lost` is kept."""
        before = np.maximum.accumulate(np.concatenate([[stamp_ns], self.stamp_ns]))[:-1]
        keep = self.stamp_ns > before
        if keep.all():
            return self
        q, dq, tau = self.q[keep], self.dq[keep], self.tau[keep]
        return SampleRows(self.stamp_ns[keep], q, dq, tau, self.first, self.lost)

    def between(self, start: int, stop: int) -> SampleRows:
        """Return rows start..stop-1 as views."""
        rows = slice(start, stop)
        return SampleRows(
            self.stamp_ns[rows], self.q[rows], self.dq[rows], self.tau[rows], self.first + start
        )


class RingBuffer:
    """Holds the newest `capacity` samples of n joints; one thread writes, one reads.

    Attributes:
        capacity: Largest number of samples that wait to be read.
        n: Number of joints.
    """

    def __init__(self, capacity: int, n: int) -> None:
        """Reserve the memory once.

        Raises:
            InputError: A size is below 1.
        """
        if capacity < 1 or n < 1:
            raise InputError(
                f"A ring buffer needs a capacity and a number of joints of at least 1; found "
                f"{capacity} and {n}."
            )
        self.capacity, self.n = capacity, n
        self._stamp_ns = np.zeros(capacity, dtype=np.int64)
        self._values = np.zeros((3, capacity, n))
        self._claimed = 0
        self._written = 0
        self._read = 0

    @property
    def written(self) -> int:
        """Number of samples written so far."""
        return self._written

    @property
    def taken(self) -> int:
        """Number of samples read or lost so far."""
        return self._read

    def __len__(self) -> int:
        """Return the number of samples that wait to be read."""
        return min(self._written - self._read, self.capacity)

    def write(self, rows: SampleRows) -> None:
        """Append samples; the oldest unread ones give way when there is no room.

        Raises:
            InputError: The samples are of another number of joints.
        """
        for array in (rows.q, rows.dq, rows.tau):
            if array.shape != (len(rows), self.n):
                raise InputError(
                    f"This ring buffer holds samples of {self.n} joints: arrays must have shape "
                    f"{(len(rows), self.n)}; found {array.shape}."
                )
        start = self._written
        stop = start + len(rows)
        self._claimed = stop
        kept = min(len(rows), self.capacity)
        places = np.arange(stop - kept, stop) % self.capacity
        self._stamp_ns[places] = rows.stamp_ns[len(rows) - kept :]
        for target, source in zip(self._values, (rows.q, rows.dq, rows.tau), strict=True):
            target[places] = source[len(rows) - kept :]
        self._written = stop

    def read(self, most: int, until: int | None = None) -> SampleRows:
        """Return the oldest unread samples, at most `most` of them, and count them as read.

        Args:
            most: So many at a time.
            until: Value of `written` beyond which none are wanted, nor counted as lost; None: all
                that wait are.

        Returns:
            rows: Copies; `rows.lost` says how many were overwritten before this call could read
                them.
        """
        written = self._written
        wanted = self._read
        limit = written if until is None else min(written, max(until, wanted))
        start = min(max(wanted, written - self.capacity), limit)
        stop = min(limit, start + most)
        places = np.arange(start, stop) % self.capacity
        stamp_ns, values = self._stamp_ns[places], self._values[:, places]
        # Rows below this index were overwritten, perhaps while they were being copied.
        intact = min(max(start, self._claimed - self.capacity), stop)
        self._read = stop
        q, dq, tau = values[:, intact - start :]
        return SampleRows(stamp_ns[intact - start :], q, dq, tau, intact, intact - wanted)

    def clear(self) -> None:
        """Count everything written so far as read; for the reading thread."""
        self._read = self._written
