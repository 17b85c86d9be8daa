"""A trajectory that is sampled once a cycle, at little cost."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
from scipy.interpolate import PPoly

from ....core.arrays import Array
from ....core.motion.joint_trajectory import DesiredState, JointTrajectory


class SampledTrajectory:
    """What `joint_trajectory.sample` returns, from the coefficients of every segment.

    Attributes:
        points: The trajectory.
    """

    def __init__(self, points: JointTrajectory) -> None:
        """Compute the coefficients c of q(t) = sum_k c_k (t - t_i)^k in every segment i."""
        self.points = points
        self._times: list[float] = points.time.tolist()
        if points.curve is not None:  # one point has no segment
            # As (segment, power, joint): one segment is one block of memory.
            rising = PPoly.from_bernstein_basis(points.curve).c[::-1]
            self._coefficients = np.ascontiguousarray(rising.transpose(1, 0, 2))
            k = np.arange(len(rising))
            # Row d: factors of powers of the d-th derivative.
            self._powers = np.array([k * 0 + 1, k, k * (k - 1)], dtype=float)
            self._exponents = np.maximum(k - np.arange(3)[:, np.newaxis], 0)

    @classmethod
    def still(cls, q: Array) -> SampledTrajectory:
        """Return one that stays at q, shape (n,)."""
        return cls(JointTrajectory(np.zeros(1), np.array(q)[np.newaxis]))

    def at(self, t: float) -> DesiredState:
        """Return what is desired at a time [s], arrays of shape (n,)."""
        times = self._times
        if t >= times[-1] or t < times[0]:
            return DesiredState.rest(self.points.q[-1 if t >= times[-1] else 0])
        i = bisect_right(times, t) - 1
        basis = self._powers * (t - times[i]) ** self._exponents
        q, dq, ddq = basis @ self._coefficients[i]
        return DesiredState(q, dq, ddq)
