"""Which joints of a description are the arm's, and which link carries the payload."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import takewhile
from xml.etree import ElementTree

import numpy as np

from ...core.arrays import Array
from ...core.errors import ModelError, UnknownNameError
from ..robots.description.urdf_tree import MOVING, UrdfJoint, UrdfTree
from ..robots.joint_limits import UNLIMITED_FROM

TURN = math.pi  # [rad] that random poses reach where no limit is stated
BASES = ("floating", "planar")  # joints on which a whole robot moves
LEAST_CHAIN = 3  # joints that make an arm where a chain divides; fewer are fingers
FINGERS = ("finger", "gripper", "knuckle", "jaw", "claw")
OF_A_HAND = ("thumb", "index_", "pinky")  # such fingers have as many joints as arms
# Names that a flange usually has, the most usual first.
FLANGES = (
    "tool0", "tool_frame", "tool_link", "tcp", "end_effector_link", "ee_link", "end_effector",
    "link_eef", "flange", "hand",
)  # fmt: skip


@dataclass(frozen=True)
class ArmFound:
    """The arm of a description.

    Attributes:
        name: The description's robot name.
        joints: From base to flange, with those of their limits that say something.
        payload_frame: Link that carries the payload.
        frames: All links that move with it, from which it was chosen.
        others: Names of moving joints that are not the arm's.
    """

    name: str
    joints: tuple[UrdfJoint, ...]
    payload_frame: str
    frames: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its joints."""
        return tuple(joint.name for joint in self.joints)

    @property
    def travel(self) -> tuple[Array, Array]:
        """Least and largest positions for random poses, shape (n,) each [rad or m]."""
        ends = [(-TURN, TURN) if x.lower is None else (x.lower, x.upper) for x in self.joints]
        lower, upper = np.array(ends).T
        return lower, upper


def find_arm(urdf: str, payload_frame: str = "") -> ArmFound:
    """Return the arm of a description.

    Args:
        urdf: The description, XML text.
        payload_frame: Link that carries the payload; empty: the likeliest one.

    Raises:
        ModelError: Nothing moves in it, or what moves hangs behind what no drive moves.
        UnknownNameError: There is no such link, or nothing moves it.
    """
    root, tree = ElementTree.fromstring(urdf), _standing(UrdfTree.of(urdf))
    moving = [joint for joint in tree.joints.values() if _moves(joint)]
    if not moving:
        raise ModelError(
            "The description has no joint of type revolute, continuous or prismatic: nothing moves "
            "in it. Give the description of the whole arm."
        )
    longest = _without_fingers(tree, max((_driven(tree, x) for x in tree.joints), key=len))
    base = next((link for link in tree.masses if link not in tree.joints), "")
    frame = payload_frame or _flange(tree, longest[-1].child if longest else base)
    carried = [joint.child for joint in moving]
    if payload_frame and not any(_moves(joint) for joint in tree.way_to(payload_frame)):
        raise UnknownNameError("link that moves", payload_frame, carried, "the description")
    arm = [joint for joint in tree.way_to(frame) if _moves(joint)]
    if not arm:
        raise ModelError(_why_none(tree, frame))
    return ArmFound(
        name=root.get("name") or "arm",
        joints=tuple(_joint(joint) for joint in arm),
        payload_frame=frame,
        frames=tuple(_beyond(tree, arm[-1].child)),
        others=tuple(joint.name for joint in moving if joint not in arm),
    )


def _standing(tree: UrdfTree) -> UrdfTree:
    """Return a tree in which what floats or slides in a plane, as a mobile base does, stands."""
    joints = {
        child: replace(joint, kind="fixed") if joint.kind in BASES else joint
        for child, joint in tree.joints.items()
    }
    return replace(tree, joints=joints)


def _why_none(tree: UrdfTree, base: str) -> str:
    """Say why nothing that a drive of its own moves hangs on a link that does not move."""
    group = tree.rigid_group(base)
    on_base = (x for x in tree.joints.values() if x.parent in group and not x.is_fixed)
    joint = next(on_base, None)
    if joint is None:
        return f"Nothing hangs on the link '{base}'. Give the description of the arm alone."
    return (
        f"The arm hangs behind the joint '{joint.name}', which follows '{joint.mimics}': "
        "give the description of the arm alone, or make that joint a fixed one."
    )


def _moves(joint: UrdfJoint) -> bool:
    """Tell whether a joint is moved by a drive of its own."""
    return joint.kind in MOVING and not joint.mimics


def _driven(tree: UrdfTree, link: str) -> list[UrdfJoint]:
    """Return the joints with drives of their own to a link, up to one that follows another."""
    way = takewhile(lambda joint: joint.is_fixed or _moves(joint), tree.way_to(link))
    return [joint for joint in way if _moves(joint)]


def _without_fingers(tree: UrdfTree, way: list[UrdfJoint]) -> list[UrdfJoint]:
    """Return the joints of a chain before its first finger."""
    for k, joint in enumerate(way[1:], start=1):
        name, group = joint.name.lower(), tree.rigid_group(joint.parent)
        beside = [x for x in tree.joints.values() if x.kind in MOVING and x.parent in group]
        finger = len(beside) > 1 or any(word in name for word in FINGERS)
        short = len(way) - k < LEAST_CHAIN
        if (finger and short) or any(word in name for word in OF_A_HAND):
            return way[:k]
    return way


def _beyond(tree: UrdfTree, link: str) -> list[str]:
    """Return a link and all that fixed joints tie to it further out, nearest first."""
    found = [link]
    for near in found:
        found += [joint.child for joint in tree.joints.values()
                  if joint.parent == near and joint.is_fixed]  # fmt: skip
    return found


def _flange(tree: UrdfTree, link: str) -> str:
    """Return the likeliest payload frame among the links that move with the last one."""
    frames = _beyond(tree, link)
    for wanted in FLANGES:
        for frame in frames:
            if frame.lower() == wanted or frame.lower().endswith(f"_{wanted}"):
                return frame
    return link


def _joint(joint: UrdfJoint) -> UrdfJoint:
    """Return a joint with those of its limits that say something."""
    low, high = joint.lower, joint.upper
    if low is None or high is None or not -UNLIMITED_FROM < low < high < UNLIMITED_FROM:
        low = high = None
    velocity, effort = (None if x is None or not 0.0 < x < math.inf else x
                        for x in (joint.velocity, joint.effort))  # fmt: skip
    return replace(joint, lower=low, upper=high, velocity=velocity, effort=effort)
