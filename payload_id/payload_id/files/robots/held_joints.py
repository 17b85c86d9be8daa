"""Joints that the arm does not move, made part of its description: fixed where they stand.

Where such a joint stands is known if the robot file says it, if the arm stands on it (a lift or a
rail: at 0 unless it is said), or if it follows (<mimic>) one of which it is known. What is fixed in
the description is so for everything that reads it: kinematics, inertia, bodies, simulation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin

from ...core.errors import ModelError, UnknownNameError
from .urdf_tree import UrdfJoint, UrdfTree

MOTIONS = ("revolute", "continuous", "prismatic")


def held_places(urdf: str, joints: Sequence[str], stated: Mapping[str, float]) -> dict[str, float]:
    """Return where held joints stand, of those of which it is known [rad or m].

    Args:
        urdf: The description, XML text.
        joints: Joints that the arm moves; the others are held.
        stated: Where held joints stand [rad or m].

    Raises:
        ModelError: A place is stated for a joint that follows another one, or is out of its limits;
            or what a joint follows is no joint, moves with the arm, or follows another one.
        UnknownNameError: A place is stated for a joint that is not held.
    """
    tree = UrdfTree.of(urdf)
    held = [j for j in tree.joints.values() if j.kind in MOTIONS and j.name not in joints]
    for name, place in stated.items():
        _check(name, place, tree, held)
    known = dict(stated)
    masters = {joint.name: master_of(joint, tree, joints) for joint in held}
    for moving in joints:
        for joint in tree.way_to(tree.named(moving).parent):
            if joint.name in masters and not masters[joint.name].is_fixed:
                known.setdefault(masters[joint.name].name, 0.0)
    for joint in held:
        master = masters[joint.name]
        if joint.mimics and (master.is_fixed or master.name in known):
            known[joint.name] = joint.multiplier * known.get(master.name, 0.0) + joint.offset
    return known


def held_still(urdf: str, places: Mapping[str, float]) -> str:
    """Return a description in which joints are fixed where they stand.

    Args:
        urdf: The description, XML text.
        places: Where joints stand [rad or m], as `held_places` says.
    """
    if not places:
        return urdf
    tree, root = UrdfTree.of(urdf), ElementTree.fromstring(urdf)
    for element in root.findall("joint"):
        name = element.get("name", "")
        if name in places:
            _fix(element, tree.named(name), places[name])
    return ElementTree.tostring(root, encoding="unicode")


def master_of(joint: UrdfJoint, tree: UrdfTree, joints: Sequence[str]) -> UrdfJoint:
    """Return the joint that a held one follows; itself if it follows none.

    Raises:
        ModelError: There is no such joint, the arm moves it, or it follows another one.
    """
    if not joint.mimics:
        return joint
    master = tree.named(joint.mimics)
    if master.name in joints:
        raise ModelError(
            f"Joint '{joint.name}' follows '{master.name}' (<mimic>), which moves with the arm; "
            "no clearance can be proved for such a linkage. Describe the arm without it."
        )
    if master.mimics:
        raise ModelError(
            f"Joint '{joint.name}' follows '{master.name}', which follows another one itself; let "
            "both follow the same joint."
        )
    return master


def _check(name: str, place: float, tree: UrdfTree, held: Sequence[UrdfJoint]) -> None:
    """Raise unless a joint may stand at a place."""
    if name not in [joint.name for joint in held]:
        raise UnknownNameError("joint that is held", name, [joint.name for joint in held])
    joint = tree.named(name)
    if joint.mimics:
        raise ModelError(
            f"'held_joints' says where '{name}' stands, which follows '{joint.mimics}'; say where "
            "that one stands."
        )
    low, high = joint.lower, joint.upper
    if low is not None and high is not None and not low <= place <= high:
        raise ModelError(
            f"'held_joints' says that '{name}' stands at {place:g}; its limits in the robot "
            f"description are {low:g} to {high:g}."
        )


def _fix(element: ElementTree.Element, joint: UrdfJoint, place: float) -> None:
    """Make a <joint> a fixed one that stands at a place."""
    origin = element.find("origin")
    if origin is None:
        origin = ElementTree.SubElement(element, "origin")
    at_zero = pin.SE3(
        pin.rpy.rpyToMatrix(np.array(_numbers(origin.get("rpy", "0 0 0")))),
        np.array(_numbers(origin.get("xyz", "0 0 0"))),
    )
    tag = element.find("axis")
    axis = np.array(_numbers("1 0 0" if tag is None else tag.get("xyz", "1 0 0")))
    axis = axis / np.linalg.norm(axis)
    slides = joint.kind == "prismatic"
    turn = np.eye(3) if slides else pin.exp3(place * axis)
    moved = at_zero * pin.SE3(turn, place * axis if slides else np.zeros(3))
    origin.set("xyz", " ".join(repr(float(x)) for x in moved.translation))
    origin.set("rpy", " ".join(repr(float(x)) for x in pin.rpy.matrixToRpy(moved.rotation)))
    element.set("type", "fixed")
    for name in ("mimic", "limit", "dynamics", "safety_controller", "calibration"):
        for child in element.findall(name):
            element.remove(child)


def _numbers(text: str) -> list[float]:
    """Return the numbers of an attribute."""
    return [float(x) for x in text.split()]
