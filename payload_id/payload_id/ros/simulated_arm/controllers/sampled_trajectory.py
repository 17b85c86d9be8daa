"""A trajectory that is sampled once a cycle, at little cost."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import PPoly

from ....core.arrays import Array
from ....core.motion.joint_trajectory import DesiredState, JointTrajectory


class SampledTrajectory:
    """What `joint_trajectory.sample` returns, from powers in place of Bernstein's polynomials.

    Attributes:
        points: The trajectory.
    """

    def __init__(self, points: JointTrajectory) -> None:
        """Compute the coefficients of every segment; one point has none."""
        self.points = points
        curve = None if points.curve is None else PPoly.from_bernstein_basis(points.curve)
        self._curves = () if curve is None else (curve, curve.derivative(1), curve.derivative(2))

    @classmethod
    def still(cls, q: Array) -> SampledTrajectory:
        """Return one that stays at q, shape (n,)."""
        return cls(JointTrajectory(np.zeros(1), np.array(q)[np.newaxis]))

    def at(self, t: float) -> DesiredState:
        """Return what is desired at a time [s], arrays of shape (n,)."""
        time = self.points.time
        if t >= time[-1] or t < time[0]:
            return DesiredState.rest(self.points.q[-1 if t >= time[-1] else 0])
        return DesiredState(*(curve(t) for curve in self._curves))
