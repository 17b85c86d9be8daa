"""The zero of one joint's position is off by more than is stated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array
from ...samples.joint_samples import Samples
from ..causes.cause import Finding
from ..causes.remade_rows import RemadeRows, Unchanged

STEP, REACH = 0.005, 0.2  # of differences, and of a round [rad or m]


@dataclass(frozen=True)
class OtherZero(Unchanged):
    """The position of one joint is the measured one less the value.

    Attributes:
        joint: Its number.
    """

    joint: int

    def samples(self, samples: Samples, value: Array) -> Samples:
        """Return the samples with that joint's positions moved."""
        q = samples.q.copy()
        q[:, self.joint] -= value[0]
        return replace(samples, q=q)


class JointZero:
    """A constant beside one joint's position; the joint by first-order columns."""

    name = "joint zero"

    def findings(self, remade: RemadeRows) -> Iterator[Finding]:
        """See the protocol."""
        few, model, none = remade.few(), remade.source.model, np.zeros(1)
        now, left = few.judged(Unchanged(), none), []
        for joint in range(model.n):
            columns = few.columns(now, OtherZero(joint), none, np.full(1, STEP))
            left.append(now.relaxed(extra=REACH * columns).factor)
        for joint in np.argsort(left, kind="stable")[:2]:
            zero = OtherZero(int(joint))
            value, fit = remade.followed(zero, none, np.full(1, STEP), np.full(1, REACH))
            revolute = bool(model.axis_angular[joint].any())
            size = f"{np.rad2deg(value[0]):.2g} deg" if revolute else f"{1e3 * value[0]:.2g} mm"
            sentence = (
                f"Positions of {{joint}} are about {size} more than they should be: correct its "
                "zero, or state a larger joint_zero."
            )
            yield Finding(self.name, fit.factor, 1, sentence, int(joint))
