"""Joints that the arm does not move, made part of its description: fixed where they stand.

Where such a joint stands is known if the robot file says it, if the arm stands on it (a lift or a
rail: at 0 unless it is said), or if it follows (<mimic>) one of which it is known. One that follows
a joint of the arm, such as a counterweight's, moves (`followers`). What is fixed in
the description is so for everything that reads it: kinematics, inertia, bodies, simulation. How far
off its place it may be is written there too (<held>), so that bodies and masses cover that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin

from ...core.errors import ModelError, UnknownNameError
from .description.urdf_tree import HELD, MOVING, UrdfJoint, UrdfTree


@dataclass(frozen=True)
class PassivePlace:
    """A joint that the arm does not move, and of which it is known where it stands.

    Attributes:
        name: Its name.
        place: Where it stands [rad or m].
        within: By how much it may be off; 0 where nothing watches it [rad or m].
        unit: "rad" or "m".
        endless: Whether it turns without limits, so that whole turns do not count.
        follows: Joint that it follows (<mimic>), empty if none.
        unreported: Why no driver reports it; empty: joint states hold its position.
        between: Whether it lies between two joints of the arm.
    """

    name: str
    place: float
    within: float
    unit: str
    endless: bool = False
    follows: str = ""
    unreported: str = ""
    between: bool = False

    @property
    def note(self) -> str:
        """What a certificate says of it."""
        stands = f"{self.name} stands at {self.place:g} {self.unit}"
        if self.unreported:
            return f"{stands}, which nothing watches: {self.unreported} (passive_joints)."
        source = f"follows {self.follows}, which is watched" if self.follows else "is watched"
        apart = " What it moves of the arm's own joints is in the clearances, not in the torques."
        return (
            f"{stands} to within {self.within:g} {self.unit}; it {source} (passive_joints)."
            f"{apart if self.between else ''}"
        )


def held_joints(
    urdf: str,
    joints: Sequence[str],
    stated: Mapping[str, float],
    within: tuple[float, float] = (0.0, 0.0),
    unreported: Mapping[str, str] = MappingProxyType({}),
) -> tuple[PassivePlace, ...]:
    """Return the passive joints of which it is known where they stand.

    Args:
        urdf: The description, XML text.
        joints: Joints that the arm moves; the others are held.
        stated: Where passive joints stand [rad or m].
        within: By how much one that turns [rad], and one that slides [m], may be off its place.
        unreported: Those that no driver reports, and why.

    Raises:
        ModelError: A place, or why it is not reported, is stated for a joint that follows another
            one, or a place is out of its limits; what a joint follows is no joint; or one that
            follows a joint of the arm lies between two of them.
        UnknownNameError: A place is stated for a joint that is not held, or what is not reported
            is none whose place is known.
    """
    tree = UrdfTree.of(urdf)
    moving = followers(tree, joints)
    for name in joints:
        check_way(tree, tree.named(name).parent, moving)
    held = [j for j in tree.joints.values()
            if j.kind in MOVING and j.name not in (*joints, *moving)]  # fmt: skip
    for name, place in stated.items():
        _check(name, place, tree, held)
    masters = {joint.name: master_of(joint, tree, joints) for joint in held}
    ways = [[x.name for x in tree.way_to(tree.named(name).parent)] for name in joints]
    known = dict(stated)
    for master in (masters[name] for way in ways for name in way if name in masters):
        if not master.is_fixed:
            known.setdefault(master.name, 0.0)
    for joint in held:
        master = masters[joint.name]
        if joint.mimics and (master.is_fixed or master.name in known):
            known[joint.name] = joint.multiplier * known.get(master.name, 0.0) + joint.offset
    for name in unreported:
        if name not in known:
            raise UnknownNameError("passive joint whose place is known", name, known)
        if masters[name].name != name:
            raise ModelError(
                f"'passive_joints_watch.unreported' names '{name}', which follows "
                f"'{masters[name].name}'; name that one."
            )
    found = []
    for name, place in known.items():
        joint, master = tree.named(name), masters[name]
        slides = joint.kind == "prismatic"
        off = within[slides]
        if joint.mimics:  # it may be off by what the other one makes of it
            off = max(off, abs(joint.multiplier) * within[master.kind == "prismatic"])
        fixed = "what it follows is fixed" if master.is_fixed else ""
        reason = unreported.get(master.name, fixed)
        behind = [way[: way.index(name)] for way in ways if name in way]
        found.append(
            PassivePlace(
                name, place, 0.0 if reason else off, "m" if slides else "rad",
                joint.kind == "continuous", joint.mimics, reason,
                any(x in joints for way in behind for x in way),
            )
        )  # fmt: skip
    return tuple(found)


def held_still(urdf: str, held: Sequence[PassivePlace]) -> str:
    """Return a description in which joints are fixed where they stand.

    Args:
        urdf: The description, XML text.
        held: From `held_joints`.
    """
    if not held:
        return urdf
    tree, root = UrdfTree.of(urdf), ElementTree.fromstring(urdf)
    places = {joint.name: joint for joint in held}
    for element in root.findall("joint"):
        if (known := places.get(element.get("name", ""))) is not None:
            joint = tree.named(known.name)
            _fix(element, joint, known.place)
            if known.within:
                kind = {"kind": joint.kind, "within": repr(known.within)}
                ElementTree.SubElement(element, HELD, kind)
    return ElementTree.tostring(root, encoding="unicode")


def loosened(urdf: str) -> str:
    """Return a description in which joints that may be off their places move by so much."""
    root = ElementTree.fromstring(urdf)
    for element in root.findall("joint"):
        held = element.find(HELD)
        if held is not None:
            off = held.get("within", "0")
            element.set("type", "prismatic" if held.get("kind") == "prismatic" else "revolute")
            limits = {"lower": f"-{off}", "upper": off, "effort": "1", "velocity": "1"}
            ElementTree.SubElement(element, "limit", limits)
    return ElementTree.tostring(root, encoding="unicode")


def followers(tree: UrdfTree, joints: Sequence[str]) -> dict[str, str]:
    """Return the joints that follow (<mimic>) one of the arm, and which."""
    held = [joint for joint in tree.joints.values() if joint.name not in joints]
    return {joint.name: joint.mimics for joint in held if joint.mimics in joints}


def check_way(tree: UrdfTree, link: str, moving: Mapping[str, str]) -> None:
    """Raise where a joint that follows one of the arm lies before a link.

    Args:
        tree: Links and joints.
        link: One that the arm carries.
        moving: From `followers`.

    Raises:
        ModelError: Names both joints.
    """
    for joint in tree.way_to(link):
        if joint.name in moving:
            raise ModelError(
                f"Joint '{joint.name}', which carries '{link}', follows '{moving[joint.name]}' "
                "(<mimic>), which moves with the arm: where such a linkage holds its load is not "
                "computed. Describe the arm without it, or name another link (payload_frame)."
            )


def master_of(joint: UrdfJoint, tree: UrdfTree, joints: Sequence[str]) -> UrdfJoint:
    """Return the joint that a held one follows; itself if it follows none.

    Raises:
        ModelError: There is no such joint, or the arm moves it.
    """
    if not joint.mimics:
        return joint
    master = tree.named(joint.mimics)
    if master.name in joints:
        raise ModelError(
            f"Joint '{joint.name}' follows '{master.name}' (<mimic>), which moves with the arm; "
            "no clearance can be proved for such a linkage. Describe the arm without it."
        )
    return master


def ends_of(joint: UrdfJoint, tree: UrdfTree) -> tuple[float, float]:
    """Return between which positions a passive joint may be; one without end is anywhere in a turn.

    Raises:
        ModelError: It has no limits, and others follow it; or they are inverted.
    """
    if joint.is_fixed:
        return 0.0, 0.0
    followed = any(other.mimics == joint.name for other in tree.joints.values())
    if joint.kind == "continuous" and not followed:
        return -np.pi, np.pi
    if joint.lower is None or joint.upper is None or joint.lower > joint.upper:
        found = (
            "no limits"
            if joint.lower is None
            else f"inverted limits, {joint.lower:g} to {joint.upper:g}"
        )
        raise ModelError(
            f"Joint '{joint.name}', which the arm carries, has {found}: it is not known where what "
            "it moves is. Give it limits in the robot description, the lower one first, or state "
            "where it stands ('passive_joints' in the robot file)."
        )
    return joint.lower, joint.upper


def _check(name: str, place: float, tree: UrdfTree, held: Sequence[UrdfJoint]) -> None:
    """Raise unless a joint may stand at a place."""
    if name not in [joint.name for joint in held]:
        raise UnknownNameError("joint that is held", name, [joint.name for joint in held])
    joint = tree.named(name)
    if joint.mimics:
        raise ModelError(
            f"'passive_joints' says where '{name}' stands, which follows '{joint.mimics}'; "
            "say where that one stands."
        )
    low, high = joint.lower, joint.upper
    if low is not None and high is not None and not low <= place <= high:
        raise ModelError(
            f"'passive_joints' says that '{name}' stands at {place:g}; its limits in the robot "
            f"description are {low:g} to {high:g}."
        )


def _fix(element: ElementTree.Element, joint: UrdfJoint, place: float) -> None:
    """Make a <joint> a fixed one that stands at a place."""
    origin = element.find("origin")
    if origin is None:
        origin = ElementTree.SubElement(element, "origin")
    xyz, rpy = (
        np.array([float(x) for x in origin.get(name, "0 0 0").split()]) for name in ("xyz", "rpy")
    )
    at_zero = pin.SE3(pin.rpy.rpyToMatrix(rpy), xyz)
    axis = np.array(joint.axis) / np.linalg.norm(joint.axis)
    slides = joint.kind == "prismatic"
    turn = np.eye(3) if slides else pin.exp3(place * axis)
    moved = at_zero * pin.SE3(turn, place * axis if slides else np.zeros(3))
    origin.set("xyz", " ".join(repr(float(x)) for x in moved.translation))
    origin.set("rpy", " ".join(repr(float(x)) for x in pin.rpy.matrixToRpy(moved.rotation)))
    element.set("type", "fixed")
    for name in ("mimic", "limit", "dynamics", "safety_controller", "calibration"):
        for child in element.findall(name):
            element.remove(child)
