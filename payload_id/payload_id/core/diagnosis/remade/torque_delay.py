"""Torques come late, or early, against positions and velocities, by more than is stated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array
from ...samples.joint_samples import Samples
from ..causes.cause import Finding
from ..causes.remade_rows import RemadeRows, Unchanged

NEAR = 0.04  # [s] about where a delay is begun with, within which it is followed
BEGINS = 0.0, 0.07, -0.07  # [s] where it is begun with
LEAST = 1e-4  # [s]; of less there is nothing to correct
STEP, REACH = 0.002, 0.01  # of differences, and of a round [s]


@dataclass(frozen=True)
class Late(Unchanged):
    """T(t) = r(t + delay), one delay for all joints that are late.

    Attributes:
        joints: Which, shape (n,), ones and zeros.
        begin: About what a delay is looked for [s].
    """

    joints: Array
    begin: float = 0.0

    def samples(self, samples: Samples, value: Array) -> Samples:
        """Return the samples with torques moved; what they are moved from is cut off the ends."""
        stamp, late = samples.stamp, np.clip(value[0], self.begin - NEAR, self.begin + NEAR)
        longest = abs(self.begin) + NEAR
        inner = samples.between(stamp[0] + longest, stamp[-1] - longest)
        tau = [
            np.interp(inner.stamp + late * share, stamp, torque)
            for share, torque in zip(self.joints, samples.tau.T, strict=True)
        ]
        return replace(inner, tau=np.stack(tau, axis=1))


class TorqueDelay:
    """One delay of all torques, or of one joint's."""

    name = "torque delay"

    def findings(self, remade: RemadeRows) -> Iterator[Finding]:
        """See the protocol."""
        n = remade.source.model.n
        yield from self._finding(remade, np.ones(n), None)
        joint = _joint(remade.few())
        yield from self._finding(remade, np.eye(n)[joint], joint)

    def _finding(self, remade: RemadeRows, joints: Array, joint: int | None) -> Iterator[Finding]:
        """Follow a delay of some joints."""
        ways = [Late(joints, begin) for begin in BEGINS]
        left = [remade.judged(way, np.array([way.begin])).factor for way in ways]
        late = ways[int(np.argmin(left))]
        step, reach = np.full(1, STEP), np.full(1, REACH)
        value, fit = remade.followed(late, np.array([late.begin]), step, reach)
        if abs(value[0]) < LEAST:
            return
        late_or_early = "late" if value[0] > 0 else "early"
        who = "The torques come" if joint is None else "The torque of {joint} comes"
        sentence = (
            f"{who} about {1e3 * abs(value[0]):.2g} ms {late_or_early} against positions and "
            "velocities: correct the stamps or the filter of the torque, or state a larger "
            "torque_delay."
        )
        yield Finding(self.name, fit.factor, 1, sentence, joint)


def _joint(few: RemadeRows) -> int:
    """Return the joint whose delay alone would explain most, to first order."""
    n, none = few.source.model.n, np.zeros(1)
    late = Late(np.ones(n))
    now = few.judged(late, none)
    column = few.columns(now, late, none, np.full(1, STEP)) * NEAR
    left = [
        now.relaxed(extra=np.where(now.rows.joint[:, None] == joint, column, 0.0)).factor
        for joint in range(n)
    ]
    return int(np.argmin(left))
