"""The part of a robot description that matters for its motion: inertias and joints."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence

from ..errors import ModelError, UnknownNameError

MOVABLE = ("revolute", "continuous", "prismatic")
# A range that the simulation never reaches: the skeleton's joints have no mechanical stops.
UNLIMITED = {"lower": "-1e6", "upper": "1e6", "effort": "1e6", "velocity": "1e6"}


def skeleton(urdf: str, joints: Sequence[str]) -> str:
    """Return a URDF with inertias and joints only.

    Shapes, meshes, transmissions and everything else are left out. Joints that are not named are
    fixed at their zero. Continuous joints become revolute ones without stops (the same motion, one
    coordinate). Friction and damping of the description are left out, too.

    Args:
        urdf: Robot description, XML text.
        joints: Joints that move.

    Raises:
        ModelError: The text is not a URDF, or a named joint cannot be simulated.
        UnknownNameError: The description has no such joint.
    """
    robot = _parse(urdf)
    known = {joint.get("name", ""): joint for joint in robot.findall("joint")}
    for name in joints:
        if name not in known:
            raise UnknownNameError("joint", name, known, where="the robot description")
        if known[name].get("type") not in MOVABLE:
            raise ModelError(
                f"Joint '{name}' is of type '{known[name].get('type')}'; the simulated arm moves "
                f"{', '.join(MOVABLE)} joints only."
            )
    bare = ElementTree.Element("robot", name=robot.get("name", "robot"))
    for link in robot.findall("link"):
        bare.append(_bare_link(link))
    for name, joint in known.items():
        bare.append(_bare_joint(joint, moves=name in joints))
    return ElementTree.tostring(bare, encoding="unicode")


def _parse(urdf: str) -> ElementTree.Element:
    """Read the XML."""
    try:
        robot = ElementTree.fromstring(urdf)
    except ElementTree.ParseError as error:
        raise ModelError(f"The robot description is not a readable URDF: {error}.") from error
    if robot.tag != "robot":
        raise ModelError(f"A URDF begins with <robot>; the description begins with <{robot.tag}>.")
    return robot


def _bare_link(link: ElementTree.Element) -> ElementTree.Element:
    """Return the link with its inertia only."""
    bare = ElementTree.Element("link", name=link.get("name", ""))
    inertial = link.find("inertial")
    if inertial is not None:
        bare.append(inertial)
    return bare


def _bare_joint(joint: ElementTree.Element, moves: bool) -> ElementTree.Element:
    """Return the joint with placement and axis only."""
    kind = joint.get("type", "")
    if moves:
        kind = "prismatic" if kind == "prismatic" else "revolute"
    bare = ElementTree.Element("joint", name=joint.get("name", ""), type=kind if moves else "fixed")
    for tag in ("origin", "parent", "child"):
        bare.extend(joint.findall(tag))
    if moves:
        axis = joint.find("axis")
        xyz = "1 0 0" if axis is None else axis.get("xyz", "1 0 0")
        ElementTree.SubElement(bare, "axis", xyz=xyz)
        ElementTree.SubElement(bare, "limit", UNLIMITED)
    return bare
