"""Readings of a mocobot's joints as they come, made samples at its grasp [ZLEFL, Sec. IV-B]."""

from __future__ import annotations

from collections import Counter

import numpy as np

from ..arrays import Array
from ..mechanism.readings import JointReadings, Mechanism, spring_torque, wrist_force
from ..team.samples import RobotSamples
from .local_fit import local_fit
from .row_buffer import RowBuffer

NAMES = ("before", "theta", "gimbal", "tau")
HALF_SPAN = 0.08  # [s] of readings on either side that a sample rests on


class JointStream:
    """Takes readings of one robot and gives samples, later by half a window.

    Attributes:
        received: Readings taken.
        dropped: Readings that gave no sample, by cause.
    """

    def __init__(
        self, name: str, mechanism: Mechanism, rate: float, half_span: float = HALF_SPAN
    ) -> None:
        """Begin.

        Args:
            name: Of the robot.
            mechanism: Its mechanism.
            rate: Of its readings [Hz].
            half_span: Time on either side of a reading whose readings smooth it [s].
        """
        self._name, self._mechanism, self._step = name, mechanism, 1.0 / rate
        self._neighbours = max(2, round(half_span * rate))
        self.received, self.dropped = 0, Counter[str]()
        self._kept = RowBuffer(12, "", self.dropped)

    def add(self, readings: JointReadings) -> RobotSamples | None:
        """Return the samples that are complete with these readings; None if none is.

        Readings that are not finite, or not newer than one before, are dropped and counted.
        """
        self.received += len(readings)
        rows = np.column_stack([readings.stamp, *(getattr(readings, x) for x in NAMES)])
        if np.isfinite(self._mechanism.spring):
            rows[:, 10:] = spring_torque(self._mechanism, readings)
        self._kept.add(rows)
        kept = self._kept.rows
        fit = local_fit(kept[:, 0], kept[:, 1:], self._neighbours, self._step)
        ready = max(0, len(kept) - 2 * self._neighbours)
        stamps = kept[:, 0][fit.index]
        self._kept.rows = kept[ready:]
        if gaps := ready - len(fit.index):
            self.dropped["beside a gap, or unevenly stamped"] += gaps
        if not len(stamps):
            return None
        return self._samples(stamps, fit.value, fit.first, fit.second)

    def _samples(
        self, stamps: Array, value: Array, first: Array, second: Array
    ) -> RobotSamples | None:
        """Return samples from smoothed readings; those out of the mechanism's reach are dropped."""
        delta, turn = self._mechanism.delta, self._mechanism.gimbal
        good = delta.usable(value[:, 3:6])
        if lost := int((~good).sum()):
            self.dropped["out of the mechanism's reach"] += lost
        if not good.any():
            return None
        theta, gimbal, tau = value[good, 3:6], value[good, 6:9], value[good, 9:12]
        dtheta, ddtheta = first[good, 3:6], second[good, 3:6]
        rotation = turn.rotation(gimbal)
        speed = np.einsum("nij,nj->ni", delta.jacobian(theta), dtheta)
        twist = np.hstack(
            [
                turn.angular_velocity(gimbal, first[good, 6:9]),
                np.einsum("nji,nj->ni", rotation, speed),
            ]
        )
        force = wrist_force(self._mechanism, theta, tau, rotation, dtheta, ddtheta)
        return RobotSamples(self._name, stamps[good], rotation, delta.forward(theta), twist, force)
