"""A family's motions at fixed instants: what is linear in the parameters is computed once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...motion.trajectory import Motion
from .candidates import Family


@dataclass(frozen=True)
class SampledFamily:
    """Motions of a family at N instants, one product of matrices for all candidates.

    Attributes:
        time: The instants, shape (N,) [s].
        base: q, dq, ddq of the motion with all parameters zero, shape (3, N, n).
        slope: Derivatives of q, dq, ddq by the parameters, shape (3, P, N, n).
    """

    time: Array
    base: Array
    slope: Array

    @classmethod
    def of(cls, family: Family, time: Array) -> SampledFamily:
        """Return the motions of a family at times (N,) [s]."""
        x = np.vstack([np.zeros(family.size), np.eye(family.size)])
        motion = family.motion(x, time)
        whole = np.stack([motion.q, motion.dq, motion.ddq])
        return cls(time, whole[:, 0], whole[:, 1:] - whole[:, :1])

    def motion(self, x: Array) -> Motion:
        """Return candidates x, shape (C, P): q, dq, ddq of shape (C, N, n)."""
        _, P, N, n = self.slope.shape
        moved = x @ self.slope.reshape(3, P, N * n)  # (3, C, N n)
        return Motion(self.time, *(self.base[:, None] + moved.reshape(3, len(x), N, n)))

    def one(self, x: Array) -> Motion:
        """Return one candidate x, shape (P,): q, dq, ddq of shape (N, n)."""
        motion = self.motion(x[None])
        return Motion(self.time, motion.q[0], motion.dq[0], motion.ddq[0])
