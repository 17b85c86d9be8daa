"""Poses, twists and wrenches of one robot, each on a topic of its own, paired by their stamps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from ..arrays import Array
from ..samples.sample_checks import rows_to_keep
from ..team.samples import RobotSamples

WIDTH = {"pose": 7, "twist": 6, "wrench": 6}
MOST = 2000  # rows of one kind that wait for the others
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
        self._rows: dict[str, Array] = {x: np.empty((0, 1 + n)) for x, n in WIDTH.items()}
        self._newest = dict.fromkeys(WIDTH, -np.inf)

    def add(self, rows: Mapping[str, Array]) -> RobotSamples | None:
        """Return the samples that are complete with these rows; None if none is.

        Args:
            rows: By kind, shape (k, 1 + width) each: stamp [s]; then position [m] and quaternion
                x, y, z, w; angular and linear velocity [rad/s, m/s]; force and torque [N, N m].
        """
        for kind, new in rows.items():
            self._take(kind, np.asarray(new, dtype=float))
        pose, twist, wrench = (self._rows[kind] for kind in WIDTH)
        if not (len(pose) and len(twist) and len(wrench)):
            return None
        stamp = wrench[:, 0]
        ready = stamp <= min(pose[-1, 0], twist[-1, 0])
        between = (stamp >= max(pose[0, 0], twist[0, 0])) & ready
        close = between & self._close(stamp, pose[:, 0]) & self._close(stamp, twist[:, 0])
        if lost := int((ready & ~close).sum()):
            self.dropped["wrench without pose and twist around it"] += lost
        self._rows["wrench"] = wrench[~ready]
        made = self._samples(wrench[close], pose, twist) if close.any() else None
        self._forget(float(stamp[ready][-1]) if ready.any() else -np.inf)
        return made

    def _take(self, kind: str, new: Array) -> None:
        """Keep what can be used of new rows of one kind."""
        self.received += len(new)
        if kind == "pose":
            off = np.abs(np.linalg.norm(new[:, 4:], axis=1) - 1.0) > UNIT
            self.dropped["quaternion that is no rotation"] += int(off.sum())
            new = new[~off]
        head = np.concatenate([[self._newest[kind]], np.zeros(WIDTH[kind])])[None]
        head = head[np.isfinite(head[:, 0])]
        whole = np.vstack([head, new])
        keep, dropped = rows_to_keep(whole[:, 0], whole[:, 1:])
        self.dropped.update({f"{kind} {cause}": n for cause, n in dropped.items() if n})
        kept = np.vstack([self._rows[kind], new[keep[len(head) :]]])
        if (over := len(kept) - MOST) > 0:
            self.dropped[f"{kind} that waited too long"] += over
        self._rows[kind] = kept[-MOST:]
        if len(kept):
            self._newest[kind] = float(kept[-1, 0])

    def _close(self, stamp: Array, others: Array) -> Array:
        """Tell which stamps have neighbours on both sides that are not too far apart."""
        after = np.clip(np.searchsorted(others, stamp), 0, len(others) - 1)
        before = np.clip(np.searchsorted(others, stamp, side="right") - 1, 0, len(others) - 1)
        return np.asarray(others[after] - others[before] <= GAP * self._step)

    def _samples(self, wrench: Array, pose: Array, twist: Array) -> RobotSamples:
        """Return samples at the wrenches' stamps, pose and twist between their neighbours."""
        stamp, means = wrench[:, 0], self._means
        position = _between(stamp, pose[:, 0], pose[:, 1:4])
        turns = Rotation.from_quat(pose[:, 4:])
        if len(pose) > 1:
            rotation = Slerp(pose[:, 0], turns)(stamp).as_matrix()
        else:
            rotation = np.repeat(turns.as_matrix(), len(stamp), axis=0)
        velocity = _between(stamp, twist[:, 0], twist[:, 1:])
        w, v = (
            _in_grasp(x, rotation, means.twist_axes) for x in (velocity[:, :3], velocity[:, 3:])
        )
        signed = means.wrench_sign * wrench[:, 1:]
        f, m = (_in_grasp(x, rotation, means.wrench_axes) for x in (signed[:, :3], signed[:, 3:]))
        moment = m if means.moments else None
        return RobotSamples(self._name, stamp, rotation, position, np.hstack([w, v]), f, moment)

    def _forget(self, before: float) -> None:
        """Let poses and twists go that are older than the last one before a time [s]."""
        for kind in ("pose", "twist"):
            rows = self._rows[kind]
            first = int(np.searchsorted(rows[:, 0], before, side="right")) - 1
            self._rows[kind] = rows[max(0, first) :]


def _between(at: Array, stamp: Array, values: Array) -> Array:
    """Return values on the lines between neighbours, shape (len(at), k)."""
    return np.stack([np.interp(at, stamp, column) for column in values.T], axis=1)


def _in_grasp(vectors: Array, rotation: Array, axes: str) -> Array:
    """Return vectors in the axes of {i}, given in those or in the base's."""
    if axes == "grasp":
        return vectors
    return np.asarray(np.einsum("nji,nj->ni", rotation, vectors))
