"""Grasp frames of a team, as they are found: poses, clocks, and how sure they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

from ..arrays import Array, BoolArray
from .bounds import RobotBounds

POOR = 0.2  # [rad], and of the reach: deviation from which on a frame counts as unknown
UNEQUAL = 0.05, 20.0  # of one robot's bounds against another's, as far as that counts
# First standard deviations of attitude, place, angular velocity, velocity [rad, m, rad/s, m/s].
START = (1e-3, 1e-3, 1e-2, 1e-2)
KINDS = len(START)
# [rad, m, rad/s, m/s] what rounding of stamps and weights leaves, below any encoder
ROUNDING = 1e-7
UNUSED = 1e6  # standard deviation of a kind of equation that does not count


@dataclass(frozen=True)
class GraspFrames:
    """Frames of N robots; those of the first are the reference.

    Attributes:
        rotation: R_1i, shape (N, 3, 3).
        position: p_1i, shape (N, 3) [m].
        base_rotation: C_i, shape (N, 3, 3).
        base_position: c_i, shape (N, 3) [m].
        clock: Offset of each clock, shape (N,) [s].
        known: Whether a robot's frame was fitted, shape (N,).
        covariance: Of (rotation vector in {i}, C_i's in {i0}, p_1i, c_i, clock), shape (N, 13, 13).
        deviation: Standard deviation of the four kinds, shape (4,).
    """

    rotation: Array
    position: Array
    base_rotation: Array
    base_position: Array
    clock: Array
    known: BoolArray
    covariance: Array
    deviation: Array

    @classmethod
    def unknown(cls, N: int) -> GraspFrames:
        """Return frames of which nothing is known but the first."""
        eye = np.tile(np.eye(3), (N, 1, 1))
        known = np.arange(N) == 0
        return cls(
            eye, np.zeros((N, 3)), eye.copy(), np.zeros((N, 3)), np.zeros(N), known,
            np.zeros((N, 13, 13)), np.array(START),
        )  # fmt: skip

    def with_poses(self, rotation: Array, position: Array) -> GraspFrames:
        """Return frames that are known to be at some poses, shapes (N, 3, 3) and (N, 3) [m]."""
        known = np.ones(len(self.known), dtype=bool)
        return replace(self, rotation=rotation, position=position, known=known)

    def with_robots(self, N: int) -> GraspFrames:
        """Return frames of N robots, those added unknown."""
        more = N - len(self.known)
        if more <= 0:
            return self
        new = GraspFrames.unknown(N)
        n = len(self.known)
        for name in ("rotation", "position", "base_rotation", "base_position", "clock", "known",
                     "covariance"):  # fmt: skip
            getattr(new, name)[:n] = getattr(self, name)
        return replace(new, deviation=self.deviation)

    @property
    def spread(self) -> Array:
        """Standard deviations of (rotation vector, C_i's, p_1i, c_i, clock), shape (N, 13)."""
        return np.sqrt(np.maximum(np.diagonal(self.covariance, axis1=1, axis2=2), 0.0))

    def without_poor(self, reach: float, clocks: Array) -> GraspFrames:
        """Return frames in which those are unknown that the data leave open.

        Of a robot whose frame is unknown the data leave the clock open, too.

        Args:
            reach: Largest distance of grasps [m].
            clocks: Largest stated offset of each clock, shape (N,) [s].
        """
        poor = (self.spread[:, :3] > POOR).any(axis=1)
        poor |= (self.spread[:, 6:9] > POOR * reach).any(axis=1)
        known = self.known & ~poor
        clock = np.where(known, self.clock, np.clip(self.clock, -clocks, clocks))
        return replace(self, known=known, clock=clock)

    def moved(self, step: Array) -> GraspFrames:
        """Return frames after a step, shape (N, 13): (eps, gamma, dp, dc, d clock) of each."""
        return replace(
            self,
            rotation=self.rotation @ Rotation.from_rotvec(step[:, :3]).as_matrix(),
            base_rotation=self.base_rotation @ Rotation.from_rotvec(step[:, 3:6]).as_matrix(),
            position=self.position + step[:, 6:9],
            base_position=self.base_position + step[:, 9:12],
            clock=self.clock + step[:, 12],
        )


@dataclass(frozen=True)
class FrameWeights:
    """How the robots' equations count.

    Attributes:
        robot: Relative standard deviation of each kind of each robot, shape (4, N).
        tilt: Standard deviation of a level frame's tilt, shape (N,) [rad].
        clock: Standard deviation of the clocks' offsets before data, shape (N,) [s]; 0: exact.
        reach: Largest distance of grasps [m]; draws positions weakly.
    """

    robot: Array
    tilt: Array
    clock: Array
    reach: float

    @classmethod
    def of(cls, bounds: Sequence[RobotBounds], reach: float) -> FrameWeights:
        """Return how equations count by the robots' bounds, against each other."""
        sizes = np.array(
            [[b.orientation, b.position, b.angular_velocity, b.linear_velocity] for b in bounds]
        ).T
        middle = np.array([np.median(row[row > 0]) if (row > 0).any() else 1.0 for row in sizes])
        relative = np.where(sizes > 0, sizes / middle[:, None], 1.0)
        return cls(
            np.clip(relative, *UNEQUAL), np.array([b.tilt for b in bounds]),
            np.array([b.clock for b in bounds]) / np.sqrt(3.0), reach,
        )  # fmt: skip
