"""What it moves that passive joints may be a little off the places where they are said to stand.

A joint that may be off by w moves what is beyond it by at most w R if it turns, R the largest
distance of a point from the joint, and by w if it slides. R is at most the sum of the distances
from one joint's frame to the next, with what sliding joints add.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ...core.arrays import Array
from ...core.errors import ModelError
from ...core.safety.clearance.convex_body import ConvexBody
from ...core.safety.clearance.swept_volume import outline
from .arm_frames import ArmFrames
from .description.urdf_tree import UrdfJoint, UrdfTree
from .passive_joints import master_of


class PassivePlay:
    """Play of the links of a description, in which passive joints are fixed (`held_still`)."""

    def __init__(self, urdf: str, joints: tuple[str, ...]) -> None:
        """Read where links are.

        Args:
            urdf: The description, XML text.
            joints: Joints that the arm moves.
        """
        self._tree, self._joints = UrdfTree.of(urdf), joints
        self._loose = any(joint.within for joint in self._tree.joints.values())
        self._at = ArmFrames(urdf).at()  # from where `_slide` counts

    def of_body(self, link: str, body: ConvexBody) -> float:
        """Return how far a point of a link's body, in the link's frame, may be off [m]."""
        if not self._loose:
            return 0.0
        points = outline(body) @ body.rotation.T + body.translation
        way = self._tree.way_to(link)
        return self._shift(way, float(np.linalg.norm(points, axis=1).max()))

    def of_frame(self, link: str) -> tuple[float, float]:
        """Return by how much a frame may be turned [rad] and shifted [m] on its arm's joint."""
        if not self._loose:
            return 0.0, 0.0
        way = self._tree.way_to(link)
        last = max((k for k, joint in enumerate(way) if joint.name in self._joints), default=-1)
        beyond = way[last + 1 :]
        return sum(x.within for x in beyond if x.was != "prismatic"), self._shift(beyond, 0.0)

    def _shift(self, way: list[UrdfJoint], radius: float) -> float:
        """Return how far a point so far from the last link's origin may be off [m]."""
        shift = 0.0
        for k, joint in enumerate(way):
            if joint.within:
                turns = joint.was != "prismatic"
                shift += joint.within * (self.reach(way[k:]) + radius if turns else 1.0)
        return shift

    def reach(self, way: list[UrdfJoint]) -> float:
        """Return the largest distance of the last link's origin from the first joint [m]."""
        places = [self._at(joint.child).translation for joint in way]
        straight = sum(float(np.linalg.norm(b - a)) for a, b in pairwise(places))
        return straight + sum(self._slide(joint) for joint in way)

    def _slide(self, joint: UrdfJoint) -> float:
        """Return how far a joint may slide from its neutral position [m].

        Raises:
            ModelError: It has no limits.
        """
        if "prismatic" not in (joint.kind, joint.was):
            return 0.0
        if joint.is_fixed:
            return joint.within
        master = master_of(joint, self._tree, self._joints)
        if master.lower is None or master.upper is None:
            raise ModelError(
                f"Joint '{master.name}' slides without limits beyond a passive joint that may be "
                "off its place, so that it is not known by how much bodies are; give it limits."
            )
        factor, offset = (joint.multiplier, joint.offset) if joint.mimics else (1.0, 0.0)
        return max(abs(factor * end + offset) for end in (master.lower, master.upper))


def base_tilt(urdf: str, joints: tuple[str, ...], gravity: Array) -> float:
    """Return by how much passive joints under an arm may turn gravity, seen from it [m/s2].

    A turn by w about an axis z moves it by at most w |z x g|; other turns move the axis.

    Args:
        urdf: The description, XML text, in which passive joints are fixed.
        joints: Joints that the arm moves.
        gravity: In the root's frame, shape (3,) [m/s2].
    """
    tree = UrdfTree.of(urdf)
    under = {
        joint.name: joint
        for name in joints
        for joint in tree.way_to(tree.named(name).parent)
        if joint.within and joint.was != "prismatic"
    }
    if not under:
        return 0.0
    at, size = ArmFrames(urdf).at(), float(np.linalg.norm(gravity))
    total = sum(joint.within for joint in under.values())
    tilt = 0.0
    for joint in under.values():
        axis = np.array(joint.axis) / np.linalg.norm(joint.axis)
        across = np.cross(at(joint.child).rotation @ axis, gravity)
        tilt += joint.within * (float(np.linalg.norm(across)) + size * (total - joint.within))
    return tilt
