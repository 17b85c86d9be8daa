"""How efforts become torques: what is learnt with one scale says nothing of torques of another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from typing_extensions import Self

from .per_joint import PerJoint

JOINT_STATES = "effort of the joint states"
TABLE = "effort column of the table"


@dataclass(frozen=True)
class EffortScale:
    """tau = factor * effort - offset, for each of n joints.

    Attributes:
        factor: Sign, times the torque constant where efforts are currents [- or N m/A].
        offset: What is taken away afterwards [N m or N].
    """

    factor: tuple[float, ...]
    offset: tuple[float, ...]

    @classmethod
    def of(cls, factor: PerJoint, offset: PerJoint, n: int) -> Self:
        """Return the scale of n joints."""
        both = (np.broadcast_to(np.asarray(x, dtype=float), (n,)) for x in (factor, offset))
        return cls(*(tuple(x.tolist()) for x in both))

    def of_joints(self, columns: Sequence[int]) -> Self:
        """Return the scale of some of the joints, in this order."""
        return type(self)(
            tuple(self.factor[k] for k in columns), tuple(self.offset[k] for k in columns)
        )


Scales = Mapping[str, EffortScale]  # by the source of the efforts: JOINT_STATES or TABLE


def scales_differ(then: Scales, now: Scales) -> str:
    """Return in words which scales are no longer what they were; empty: those of both are equal.

    Efforts of other sources are other numbers, so that their scales cannot be compared.
    """
    for source in then.keys() & now.keys():
        for name in ("factor", "offset"):
            old, new = (getattr(scales[source], name) for scales in (then, now))
            if old != new:
                return f"with another {name} of the {source}: {_list(old)}, now {_list(new)}"
    return ""


def _list(values: tuple[float, ...]) -> str:
    """Return numbers in brackets."""
    return f"[{', '.join(f'{value:g}' for value in values)}]"
