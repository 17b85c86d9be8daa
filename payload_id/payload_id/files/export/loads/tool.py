"""What a robot description has fixed where a load is: a gripper, the body of a sensor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin

from ....core.arm.frames import frame_id
from ....core.arrays import Array
from ...robots.description.urdf_tree import UrdfTree


@dataclass(frozen=True, eq=False)
class Tool:
    """Links of the description that hang on the last joint beside the payload.

    Attributes:
        masses: Of the links that count, by name [kg].
        left_out: Of those that do not, by name [kg].
        com: Centre of mass of those that count, in the frame asked for, shape (3,) [m].
        inertia: About it, shape (3, 3) [kg m2].
    """

    masses: Mapping[str, float]
    left_out: Mapping[str, float]
    com: Array
    inertia: Array

    @property
    def mass(self) -> float:
        """Mass of the links that count [kg]."""
        return sum(self.masses.values())


def tool_on(urdf: str, frame: str, sensor: str = "") -> Tool:
    """Return what a description has on the body that a link belongs to.

    That body is all that fixed joints tie to the link the last moving joint carries. The arm's own
    are that link and those from there to the frame. Everything else that is fixed to one of these
    counts, with what it carries; what a joint moves counts where it hangs on the frame. Moving
    joints are at zero.

    Args:
        urdf: The description.
        frame: Link whose frame a load is stated in.
        sensor: Frame of the force-torque sensor that measured the load and has felt all that it
            carries; what counts then is what carries it, from the frame on. Empty: torques did.
    """
    tree, root = UrdfTree.of(urdf), ElementTree.fromstring(urdf)
    way = tree.way_to(frame)
    moving = [k for k, joint in enumerate(way) if not joint.is_fixed]
    fixed = way[moving[-1] + 1 :] if moving else way
    first = way[moving[-1]].child if moving else (way[0].parent if way else frame)
    own = [first, *(joint.child for joint in fixed)]
    carries = {joint.child for joint in tree.way_to(sensor)} if sensor else set[str]()
    masses, left_out = dict[str, float](), dict[str, float]()
    for link in root.findall("link"):
        name = link.get("name", "")
        path = tree.way_to(name)
        on = [first, *(joint.child for joint in path)]
        leaving = [x for x in path if x.parent in own and x.child not in own]
        counts = bool(leaving) and (leaving[0].is_fixed or leaving[0].parent == frame)
        if sensor:
            counts = counts and name in carries
        felt = bool(sensor) and any(joint.parent == sensor for joint in path)
        if (
            tree.masses[name] > 0.0
            and (leaving or name in own[1:])
            and on.count(first)
            and not felt
        ):
            (masses if counts else left_out)[name] = tree.masses[name]
        if name not in masses:
            for inertial in link.findall("inertial"):
                link.remove(inertial)
    if not masses:
        return Tool(masses, left_out, np.zeros(3), np.zeros((3, 3)))
    model = pin.buildModelFromXML(ElementTree.tostring(root, encoding="unicode"))
    data = model.createData()
    q = pin.neutral(model)
    pin.ccrba(model, data, q, np.zeros(model.nv))
    pin.framesForwardKinematics(model, data, q)
    at = data.oMf[frame_id(model, frame)]
    axes = np.array(at.rotation).T
    com = axes @ (np.array(data.com[0]) - np.array(at.translation))
    return Tool(masses, left_out, com, axes @ np.array(data.Ig.inertia) @ axes.T)
