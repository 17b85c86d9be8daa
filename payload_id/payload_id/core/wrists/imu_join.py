"""Readings of an IMU beside samples of the same robot, joined by their stamps."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ..arrays import Array
from ..samples.sample_checks import rows_to_keep
from ..team.samples import RobotSamples

PATIENCE = 0.5  # [s] by which samples may be ahead of the IMU before they go on without it
MOST = 4000  # readings that wait
GAP = 0.03  # readings farther apart than this are not joined by a line [s]


class ImuJoin:
    """Gives samples the angular velocity and specific force that an IMU read at the same time.

    Attributes:
        received: Readings taken.
        dropped: Readings that were not used and samples that went on without, by cause.
    """

    def __init__(self, rotation: Array) -> None:
        """Begin.

        Args:
            rotation: Axes of the IMU in the grasp frame {i}, shape (3, 3).
        """
        self._rotation = rotation
        self.received, self.dropped = 0, Counter[str]()
        self._rows = np.empty((0, 7))
        self._waiting: RobotSamples | None = None

    def add(self, samples: RobotSamples | None, readings: Array) -> list[RobotSamples]:
        """Return the samples that need not wait any more, in order.

        Args:
            samples: New ones; None: none.
            readings: Shape (k, 7): stamp [s], angular velocity [rad/s], specific force [m/s2], in
                the IMU's axes.
        """
        self._take(readings)
        if samples is not None:
            parts = [samples] if self._waiting is None else [self._waiting, samples]
            self._waiting = RobotSamples.stacked(parts)
        if self._waiting is None:
            return []
        time, stamp = self._waiting.time, self._rows[:, 0]
        newest = stamp[-1] if len(stamp) else -np.inf
        late = time <= time[-1] - PATIENCE
        ready = (time <= newest) | late
        count = int(np.argmin(ready)) if not ready.all() else len(ready)
        if not count:
            return []
        done = self._waiting.where(slice(0, count))
        rest = self._waiting.where(slice(count, None))
        self._waiting = rest if len(rest) else None
        found = list(self._joined(done))
        keep = int(np.searchsorted(stamp, done.time[-1], side="right")) - 1
        self._rows = self._rows[max(0, keep) :]
        return found

    def _take(self, readings: Array) -> None:
        """Keep what can be used of new readings."""
        self.received += len(readings)
        head = self._rows[-1:]
        whole = np.vstack([head, readings])
        keep, dropped = rows_to_keep(whole[:, 0], whole[:, 1:])
        self.dropped.update({f"IMU {cause}": n for cause, n in dropped.items() if n})
        self._rows = np.vstack([self._rows, readings[keep[len(head) :]]])[-MOST:]

    def _joined(self, samples: RobotSamples) -> list[RobotSamples]:
        """Return samples in runs of those with and those without readings around them."""
        stamp = self._rows[:, 0]
        if len(stamp) < 2:
            self.dropped["samples without IMU"] += len(samples)
            return [samples]
        after = np.clip(np.searchsorted(stamp, samples.time), 1, len(stamp) - 1)
        inside = (samples.time >= stamp[0]) & (samples.time <= stamp[-1])
        beside = inside & (stamp[after] - stamp[after - 1] <= GAP)
        self.dropped["samples without IMU"] += int((~beside).sum())
        cuts = np.flatnonzero(np.diff(beside)) + 1
        ends = [0, *cuts.tolist(), len(samples)]
        return [self._with(samples.where(slice(a, b)), bool(beside[a])) for a, b in pairwise(ends)]

    def _with(self, samples: RobotSamples, beside: bool) -> RobotSamples:
        """Return samples with what the IMU read, where it did."""
        if not beside:
            return samples
        read = np.stack(
            [np.interp(samples.time, self._rows[:, 0], column) for column in self._rows.T[1:]], 1
        )
        return replace(
            samples,
            imu_angular_velocity=read[:, :3] @ self._rotation.T,
            imu_specific_force=read[:, 3:] @ self._rotation.T,
        )
