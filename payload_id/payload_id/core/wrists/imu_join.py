"""Readings of an IMU beside samples of the same robot, joined by their stamps."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ..arrays import Array
from ..team.samples import RobotSamples
from .row_buffer import RowBuffer

PATIENCE = 0.5  # [s] by which samples may be ahead of the IMU before they go on without it
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
        self._readings = RowBuffer(6, "IMU", self.dropped)
        self._waiting: RobotSamples | None = None

    def add(self, samples: RobotSamples | None, readings: Array) -> list[RobotSamples]:
        """Return the samples that need not wait any more, in order.

        Args:
            samples: New ones; None: none.
            readings: Shape (k, 7): stamp [s], angular velocity [rad/s], specific force [m/s2], in
                the IMU's axes.
        """
        self.received += len(readings)
        self._readings.add(readings)
        if samples is not None:
            parts = [samples] if self._waiting is None else [self._waiting, samples]
            self._waiting = RobotSamples.stacked(parts)
        if self._waiting is None:
            return []
        time = self._waiting.time
        late = time <= time[-1] - PATIENCE
        ready = (time <= self._readings.newest) | late
        count = int(np.argmin(ready)) if not ready.all() else len(ready)
        if not count:
            return []
        done = self._waiting.where(slice(0, count))
        rest = self._waiting.where(slice(count, None))
        self._waiting = rest if len(rest) else None
        found = list(self._joined(done))
        self._readings.forget(float(done.time[-1]))
        return found

    def _joined(self, samples: RobotSamples) -> list[RobotSamples]:
        """Return samples in runs of those with and those without readings around them."""
        beside = self._readings.around(samples.time, GAP)
        self.dropped["samples without IMU"] += int((~beside).sum())
        cuts = np.flatnonzero(np.diff(beside)) + 1
        ends = [0, *cuts.tolist(), len(samples)]
        return [self._with(samples.where(slice(a, b)), bool(beside[a])) for a, b in pairwise(ends)]

    def _with(self, samples: RobotSamples, beside: bool) -> RobotSamples:
        """Return samples with what the IMU read, where it did."""
        if not beside:
            return samples
        read = self._readings.between(samples.time)
        return replace(
            samples,
            imu_angular_velocity=read[:, :3] @ self._rotation.T,
            imu_specific_force=read[:, 3:] @ self._rotation.T,
        )
