"""What a robot description has beyond a link: a gripper that belongs to the robot."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pinocchio as pin

from ....core.arm.frames import frame_id
from ....core.arrays import Array
from ...robots.description.urdf_tree import UrdfTree


def tool_beyond(urdf: str, frame: str) -> tuple[float, Array, Array] | None:
    """Return the mass [kg], centre of mass (3,) [m] and inertia about it (3, 3) [kg m2].

    They are those of all links that are carried by a link, without its own, in its frame, with
    joints that move at zero.

    Returns:
        tool: None where nothing with a mass is there.
    """
    tree, root = UrdfTree.of(urdf), ElementTree.fromstring(urdf)
    for link in root.findall("link"):
        carried = any(joint.parent == frame for joint in tree.way_to(link.get("name", "")))
        if not carried:
            for inertial in link.findall("inertial"):
                link.remove(inertial)
    model = pin.buildModelFromXML(ElementTree.tostring(root, encoding="unicode"))
    if not (whole := pin.computeTotalMass(model)) > 0.0:
        return None
    data = model.createData()
    q = pin.neutral(model)
    pin.ccrba(model, data, q, np.zeros(model.nv))
    pin.framesForwardKinematics(model, data, q)
    at = data.oMf[frame_id(model, frame)]
    axes = np.array(at.rotation).T
    com = axes @ (np.array(data.com[0]) - np.array(at.translation))
    return float(whole), com, axes @ np.array(data.Ig.inertia) @ axes.T
