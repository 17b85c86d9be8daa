"""Poses, twists and wrenches of one robot, each on a topic of its own, paired by their stamps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from ..arrays import Array
from ..team.samples import RobotSamples
from .row_buffer import RowBuffer

WIDTH = {"pose": 7, "twist": 6, "wrench": 6}
GAP = 2.5  # neighbours farther apart than so many steps are not joined by a line
UNIT = 0.05  # largest error of a quaternion's length


@dataclass(frozen=True)
class WrenchConventions:
    """What a robot's messages mean.

    Attributes:
        twist_axes: "grasp" or "base": in whose axes twists are, always of {i} against {i0}.
        wrench_axes: The same for wrenches, which are about the origin of {i}.
        wrench_sign: 1 where the wrench is what the robot exerts on the payload, -1 otherwise.
        moments: Whether the torque of the wrench is measured; False for a passive gimbal.
    """

    twist_axes: str = "grasp"
    wrench_axes: str = "grasp"
    wrench_sign: float = 1.0
    moments: bool = False


class WrenchStream:
    """Takes rows of each kind as they come, and gives a sample for every wrench between the others.

    Attributes:
        received: Rows taken, of all kinds.
        dropped: Rows that gave no sample, by cause.
    """

    def __init__(self, name: str, conventions: WrenchConventions, rate: float) -> None:
        """Begin.

        Args:
            name: Of the robot.
            conventions: What its messages mean.
            rate: Of its messages [Hz].
        """
        self._name, self._means, self._step = name, conventions, 1.0 / rate
        self.received, self.dropped = 0, Counter[str]()
        self._rows = {kind: RowBuffer(n, kind, self.dropped) for kind, n in WIDTH.items()}

    def add(self, rows: Mapping[str, Array]) -> RobotSamples | None:
        """Return the samples that are complete with these rows; None if none is.

        Args:
            rows: By kind, shape (k, 1 + width) each: stamp [s]; then position [m] and quaternion
                x, y, z, w; angular and linear velocity [rad/s, m/s]; force and torque [N, N m].
        """
        for kind, new in rows.items():
            self.received += len(new)
            self._rows[kind].add(self._rotations(new) if kind == "pose" else new)
        pose, twist, wrench = (self._rows[kind] for kind in WIDTH)
        stamp, gap = wrench.stamp, GAP * self._step
        ready = stamp <= min(pose.newest, twist.newest)
        close = ready & pose.around(stamp, gap) & twist.around(stamp, gap)
        if lost := int((ready & ~close).sum()):
            self.dropped["wrench without pose and twist around it"] += lost
        made = self._samples(wrench.rows[close]) if close.any() else None
        wrench.rows = wrench.rows[~ready]
        for other in (pose, twist):
            other.forget(stamp[ready].max(initial=-np.inf))
        return made

    def _rotations(self, pose: Array) -> Array:
        """Return the poses whose quaternions are rotations."""
        off = np.abs(np.linalg.norm(pose[:, 4:], axis=1) - 1.0) > UNIT
        self.dropped["quaternion that is no rotation"] += int(off.sum())
        return pose[~off]

    def _samples(self, wrench: Array) -> RobotSamples:
        """Return samples at the wrenches' stamps, pose and twist between their neighbours."""
        stamp, means, pose = wrench[:, 0], self._means, self._rows["pose"]
        position = pose.between(stamp)[:, :3]
        turns = Rotation.from_quat(pose.rows[:, 4:])
        if len(pose.rows) > 1:
            rotation = Slerp(pose.stamp, turns)(stamp).as_matrix()
        else:
            rotation = np.repeat(turns.as_matrix(), len(stamp), axis=0)
        velocity = self._rows["twist"].between(stamp)
        w, v = (
            _in_grasp(x, rotation, means.twist_axes) for x in (velocity[:, :3], velocity[:, 3:])
        )
        signed = means.wrench_sign * wrench[:, 1:]
        f, m = (_in_grasp(x, rotation, means.wrench_axes) for x in (signed[:, :3], signed[:, 3:]))
        moment = m if means.moments else None
        return RobotSamples(self._name, stamp, rotation, position, np.hstack([w, v]), f, moment)


def _in_grasp(vectors: Array, rotation: Array, axes: str) -> Array:
    """Return vectors in the axes of {i}, given in those or in the base's."""
    if axes == "grasp":
        return vectors
    return np.asarray(np.einsum("nji,nj->ni", rotation, vectors))
