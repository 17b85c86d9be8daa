"""The part of a robot description that matters for its motion: inertias and joints."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence

from ..arm.arm_model import STANDARD_GRAVITY, ArmModel
from ..arrays import Array
from ..errors import ModelError, UnknownNameError

MOVABLE = ("revolute", "continuous", "prismatic")
KEPT = {"link": ("inertial",), "joint": ("origin", "parent", "child", "axis")}
# A range that the simulation never reaches: the skeleton's joints have no mechanical stops.
UNLIMITED = {"lower": "-1e6", "upper": "1e6", "effort": "1e6", "velocity": "1e6"}


def nominal_arm(
    urdf: str,
    joints: Sequence[str],
    payload_frame: str,
    gravity: Sequence[float] | Array = STANDARD_GRAVITY,
) -> ArmModel:
    """Return the arm as its description says, one coordinate for each joint; see `Plant`."""
    return ArmModel.from_xml(skeleton(urdf, joints), payload_frame, tuple(joints), tuple(gravity))


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
    for element in list(robot):
        if element.tag not in KEPT:
            robot.remove(element)
        for part in list(element):
            if part.tag not in KEPT.get(element.tag, ()):
                element.remove(part)
    for name, joint in _movable(robot, joints).items():
        if name not in joints:
            joint.set("type", "fixed")
            continue
        if joint.get("type") != "prismatic":
            joint.set("type", "revolute")
        if joint.find("axis") is None:
            ElementTree.SubElement(joint, "axis", xyz="1 0 0")
        ElementTree.SubElement(joint, "limit", UNLIMITED)
    return ElementTree.tostring(robot, encoding="unicode")


def _movable(robot: ElementTree.Element, joints: Sequence[str]) -> dict[str, ElementTree.Element]:
    """Return all joints by name, after checking those that are to move."""
    known = {joint.get("name", ""): joint for joint in robot.findall("joint")}
    for name in joints:
        if name not in known:
            raise UnknownNameError("joint", name, known, where="the robot description")
        if (kind := known[name].get("type")) not in MOVABLE:
            raise ModelError(
                f"Joint '{name}' is of type '{kind}'; the simulated arm moves "
                f"{', '.join(MOVABLE)} joints only."
            )
    return known


def _parse(urdf: str) -> ElementTree.Element:
    """Read the XML."""
    try:
        robot = ElementTree.fromstring(urdf)
    except ElementTree.ParseError as error:
        raise ModelError(f"The robot description is not a readable URDF: {error}.") from error
    if robot.tag != "robot":
        raise ModelError(f"A URDF begins with <robot>; the description begins with <{robot.tag}>.")
    return robot
