"""Frames of all links of a robot, as a viewer needs them: each in that of the link it is on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from ...core.arm.frames import frame_id
from ...core.arrays import Array
from ...core.errors import ModelError
from .description.urdf_tree import UrdfJoint, UrdfTree


@dataclass(frozen=True)
class LinkFrame:
    """Where a link is.

    Attributes:
        parent: Link that it is on.
        child: The link.
        translation: Of its origin, in the parent's frame, shape (3,) [m].
        quaternion: x, y, z, w of its axes there, shape (4,).
    """

    parent: str
    child: str
    translation: Array
    quaternion: Array


class ArmFrames:
    """The kinematics of a whole description.

    Attributes:
        base: Link that everything is on.
        joints: Names of the joints that move and follow no other.
        links: Names of all links but the base.
    """

    def __init__(self, urdf: str) -> None:
        """Read a description, XML text.

        Raises:
            ModelError: It has no joints.
        """
        self._tree = UrdfTree.of(urdf)
        if not self._tree.joints:
            raise ModelError("The robot description has no joints, so that there is no arm.")
        self.links = tuple(self._tree.joints)
        parents = [joint.parent for joint in self._tree.joints.values()]
        self.base = next(parent for parent in parents if parent not in self._tree.joints)
        moving = [joint for joint in self._tree.joints.values() if not joint.is_fixed]
        self.joints = tuple(joint.name for joint in moving if not joint.mimics)
        self._model = pin.buildModelFromXML(urdf)

    def at(self, positions: Mapping[str, float] | None = None) -> Callable[[str], pin.SE3]:
        """Return what tells where a link is, seen from the base.

        Args:
            positions: By joint [rad or m]; those that are not in it are at zero, those that follow
                others where they lead. None: all are at zero, those that follow others too.
        """
        q, data = pin.neutral(self._model), self._model.createData()
        if positions is not None:
            for joint in self._tree.joints.values():
                if self._model.existJointName(joint.name):
                    place = positions.get(joint.mimics or joint.name, 0.0)
                    set_joint(self._model, q, joint.name, joint.multiplier * place + joint.offset)
        pin.framesForwardKinematics(self._model, data, q)
        return lambda link: data.oMf[frame_id(self._model, link)]

    def fixed(self) -> list[LinkFrame]:
        """Return the links on fixed joints."""
        at = self.at({})
        return [_frame(joint, at) for joint in self._tree.joints.values() if joint.is_fixed]

    def moving(self, positions: Mapping[str, float]) -> list[LinkFrame]:
        """Return the links on joints that move.

        Args:
            positions: By joint [rad or m]; those that are not in it are at zero.
        """
        at = self.at(positions)
        return [_frame(joint, at) for joint in self._tree.joints.values() if not joint.is_fixed]

    def reach(self) -> float:
        """Return how far from the base a link can be, were the arm straight [m]."""
        frames = {frame.child: frame for frame in (*self.fixed(), *self.moving({}))}
        longest = 0.0
        for link in self.links:
            length = 0.0
            while link in frames:
                length += float(np.linalg.norm(frames[link].translation))
                link = frames[link].parent
            longest = max(longest, length)
        return longest


def _frame(joint: UrdfJoint, at: Callable[[str], pin.SE3]) -> LinkFrame:
    """Return where the link of a joint is, on the link before it."""
    place = at(joint.parent).actInv(at(joint.child))
    quaternion = pin.Quaternion(place.rotation).coeffs()
    return LinkFrame(joint.parent, joint.child, np.array(place.translation), quaternion)


def set_joint(model: pin.Model, q: Array, name: str, value: float) -> None:
    """Set one joint in a configuration of Pinocchio's."""
    joint = model.joints[model.getJointId(name)]
    turning = joint.nq == 2  # a joint without limits: cosine and sine
    q[joint.idx_q : joint.idx_q + joint.nq] = [np.cos(value), np.sin(value)] if turning else value
