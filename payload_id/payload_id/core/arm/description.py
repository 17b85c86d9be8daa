"""What a robot description must be before Pinocchio reads it.

Pinocchio takes a mass that is text for zero, and one with a space beside it, accepts inertias of no
body and axes of no direction, never returns from some kinematic loops, and of most other mistakes
says only that there is one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from ..arrays import Array, number_in
from ..errors import ModelError

MOVING = ("revolute", "continuous", "prismatic")
KINDS = (*MOVING, "fixed", "floating", "planar")
OTHER_FORMATS = {"sdf": "SDF", "mujoco": "MJCF, MuJoCo's format", "model": "SDF"}
LARGEST = 1e6  # of lengths, masses and moments of inertia in SI units, and of an axis
LEAST_MASS = 1e-12  # [kg]
LEAST_INERTIA = 1e-7  # [kg m2] by which moments of inertia may always miss it
LEAST_AXIS = 1e-6  # length of an axis that still has a direction
ROUNDED = 0.01  # of the trace, by which moments of inertia may miss what a body's must be
NUMBERS = re.compile(r"[-+.eE\d\s]*\d[-+.eE\d\s]*")  # an attribute of nothing else
MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def usable(urdf: str) -> str:
    """Return a description as readers of URDF take it.

    Numbers of an attribute are separated by one space: for one more, readers leave out a whole
    <inertial> or <collision>. A robot without a name gets one; a link without mass has no inertia,
    and a joint that follows a joint which does not exist is free.

    Args:
        urdf: The description, XML text.

    Raises:
        ModelError: It does not describe a tree of links and joints, each of them possible: says
            which one, what was found and what is needed.
    """
    root = _root(urdf)
    if not root.get("name", "").strip():
        root.set("name", "robot")
    for element in root.iter():
        for key, text in element.attrib.items():
            if NUMBERS.fullmatch(text):
                element.set(key, " ".join(text.split()))
    joints = {joint.get("name") for joint in root.findall("joint")}
    for joint in root.findall("joint"):
        mimic = joint.find("mimic")
        if mimic is not None and mimic.get("joint") not in joints:
            joint.remove(mimic)
    for link in root.findall("link"):
        for inertial in link.findall("inertial"):
            mass = inertial.find("mass")
            if mass is not None and 0.0 <= number_in(mass.get("value", "")) < LEAST_MASS:
                link.remove(inertial)
    _check(root)
    return ElementTree.tostring(root, encoding="unicode")


def with_masses_times(urdf: str, factor: float) -> str:
    """Return a usable description with all masses and moments of inertia times a factor."""
    root = ElementTree.fromstring(urdf)
    for element in [*root.iterfind("link/inertial/mass"), *root.iterfind("link/inertial/inertia")]:
        for key, text in element.attrib.items():
            element.set(key, repr(factor * float(text)))
    return ElementTree.tostring(root, encoding="unicode")


def stated_mass(urdf: str) -> float:
    """Return the mass of all links of a description that is `usable` [kg]."""
    masses = ElementTree.fromstring(urdf).findall("link/inertial/mass")
    return sum(float(mass.get("value", "0")) for mass in masses)


def _check(root: Element) -> None:
    """Raise unless a description is of a tree of links and joints, each of them possible."""
    links, joints = root.findall("link"), root.findall("joint")
    names = _names("link", links)
    _names("joint", joints)
    for joint in joints:
        _check_ends(joint, names)
    _check_tree(joints, names)
    for joint in joints:
        _check_joint(joint)
    for link in links:
        _check_mass(link)


def _root(urdf: str) -> Element:
    """Return the root of a URDF."""
    try:
        root = ElementTree.fromstring(urdf)
    except (ElementTree.ParseError, ValueError) as error:
        raise ModelError(f"The robot description is not well-formed XML: {error}.") from error
    if root.tag != "robot":
        other = OTHER_FORMATS.get(root.tag)
        what = f"is {other}" if other else f"begins with <{root.tag}>"
        raise ModelError(f"The robot description {what}; it must be a URDF: <robot name=...>.")
    for element in root.iter():
        text = [*element.attrib.values()]
        if "xacro" in str(element.tag) or any("${" in x or "$(" in x for x in text):
            raise ModelError(
                "The robot description is xacro that was not expanded; expand it (xacro FILE), or "
                "name the .xacro file in the robot file, which expands it."
            )
    if root.find("link") is None:
        raise ModelError("The robot description has no links.")
    return root


def _names(kind: str, elements: Sequence[Element]) -> set[str]:
    """Return the names of links or joints, which are all different."""
    found: set[str] = set()
    for number, element in enumerate(elements, start=1):
        name = element.get("name", "")
        if not name.strip():
            raise ModelError(f"<{kind}> number {number} of the robot description has no name.")
        if name in found:
            raise ModelError(f"The robot description has more than one {kind} named '{name}'.")
        found.add(name)
    return found


def _link(joint: Element, which: str) -> str:
    """Return the parent or child link that a joint names."""
    element = joint.find(which)
    return "" if element is None else element.get("link", "")


def _check_ends(joint: Element, links: set[str]) -> None:
    """Raise unless a joint is of a known kind, between links that exist, and not its own mimic."""
    name, kind = joint.get("name"), joint.get("type", "")
    if kind not in KINDS:
        raise ModelError(f"Joint '{name}' is of type '{kind}'; known: {', '.join(KINDS)}.")
    for which in ("parent", "child"):
        link = _link(joint, which)
        if link not in links:
            raise ModelError(
                f"Joint '{name}' names the {which} link '{link}', which does not exist. Links: "
                f"{', '.join(sorted(links))}."
            )
    mimic = joint.find("mimic")
    if mimic is not None and mimic.get("joint") == name:
        raise ModelError(f"Joint '{name}' follows itself.")


def _check_tree(joints: Sequence[Element], links: set[str]) -> None:
    """Raise unless every link but one is the child of one joint, and all hang on that one."""
    above: dict[str, tuple[str, str]] = {}
    for joint in joints:
        name, child = joint.get("name", ""), _link(joint, "child")
        if child in above:
            raise ModelError(
                f"Link '{child}' is the child of two joints, '{above[child][0]}' and '{name}': a "
                "kinematic loop, of which a URDF cannot speak. Leave one of them out."
            )
        above[child] = name, _link(joint, "parent")
    rooted: set[str] = set()  # links from which the root is reached
    for start in above:
        link, way = start, dict[str, None]()
        while link in above and link not in way and link not in rooted:
            way[link] = None
            link = above[link][1]
        if link in way:
            loop = [above[x][0] for x in list(way)[list(way).index(link) :]]
            raise ModelError(f"A kinematic loop: joints {', '.join(loop)}. Leave one of them out.")
        rooted |= way.keys()
    roots = sorted(links - above.keys())
    if len(roots) > 1:
        raise ModelError(
            f"The robot description falls into parts, with the roots {', '.join(roots)}; join them."
        )


def _numbers(element: Element, key: str, count: int, where: str, default: str | None) -> Array:
    """Return finite numbers of an attribute, none above `LARGEST` in size."""
    text = element.get(key, default)
    numbers = np.array([number_in(word) for word in (text or "").split()])
    if len(numbers) != count or not (np.abs(numbers) <= LARGEST).all():
        found = "nothing" if text is None else f"'{text}'"
        raise ModelError(
            f"{where}: '{key}' of <{element.tag}> must be {count} finite number(s), at most "
            f"{LARGEST:g} in SI units; found {found}."
        )
    return numbers


def _check_origin(element: Element, where: str) -> None:
    """Raise unless the place of an element, if it is given, is six numbers."""
    origin = element.find("origin")
    if origin is not None:
        for key in ("xyz", "rpy"):
            _numbers(origin, key, 3, where, "0 0 0")


def _check_joint(joint: Element) -> None:
    """Raise unless a joint's place, axis, limits and what it follows are possible."""
    where, kind = f"Joint '{joint.get('name')}'", joint.get("type")
    _check_origin(joint, where)
    axis = joint.find("axis")
    if axis is not None and kind in MOVING:
        found = _numbers(axis, "xyz", 3, where, "1 0 0")
        if np.linalg.norm(found) < LEAST_AXIS:
            raise ModelError(f"{where} has the axis {axis.get('xyz')}, which has no direction.")
    limit, mimic = joint.find("limit"), joint.find("mimic")
    if limit is None and kind in ("revolute", "prismatic"):
        raise ModelError(f"{where} is {kind} and has no <limit>; without ends it is 'continuous'.")
    if limit is not None:
        _check_limit(limit, where, kind in ("revolute", "prismatic"))
    if mimic is not None:
        for key, default in (("multiplier", "1"), ("offset", "0")):
            _numbers(mimic, key, 1, where, default)


def _check_limit(limit: Element, where: str, bounded: bool) -> None:
    """Raise unless limits are numbers, the lower not above the upper."""
    found = {}
    for key, default in (("lower", "0"), ("upper", "0"), ("effort", None), ("velocity", None)):
        text = limit.get(key, default if bounded else "0")
        found[key] = number_in(text or "")
        if not np.isfinite(found[key]):
            what = "nothing" if text is None else f"'{text}'"
            raise ModelError(f"{where}: '{key}' of <limit> must be a finite number; found {what}.")
    if found["lower"] > found["upper"]:
        ends = f"{found['lower']:g} to {found['upper']:g}"
        raise ModelError(f"The limits of {where} are inverted: {ends}.")
    if found["effort"] < 0 or found["velocity"] < 0:
        raise ModelError(f"{where} has a limit of effort or velocity below zero: {limit.attrib}.")


def _check_mass(link: Element) -> None:
    """Raise unless a link's mass and inertia, if it states them, are those of some body."""
    inertial, where = link.find("inertial"), f"Link '{link.get('name')}'"
    if inertial is None:
        return
    _check_origin(inertial, where)
    mass, moments = inertial.find("mass"), inertial.find("inertia")
    if mass is None or moments is None:
        raise ModelError(f"{where}: <inertial> needs <mass> and <inertia>.")
    m = float(_numbers(mass, "value", 1, where, None)[0])
    entries = [float(_numbers(moments, key, 1, where, None)[0]) for key in MOMENTS]
    if m < LEAST_MASS:
        raise ModelError(
            f"{where} has the mass {m:g} kg, which no body has; correct it, or leave <inertial> "
            "out where the link is a mere frame."
        )
    inertia = np.zeros((3, 3))
    inertia[np.triu_indices(3)] = entries
    check_inertia(inertia + np.triu(inertia, 1).T, where)


def check_inertia(inertia: Array, where: str) -> None:
    """Raise where a moment of inertia about the centre of mass is negative.

    Of links many descriptions of real robots state rough moments, which miss what holds of every
    body, a + b >= c: `ArmModel.inertia_error` says by how much.

    Args:
        inertia: Shape (3, 3) [kg m2].
        where: Which body, for the message.
    """
    a, b, c = np.linalg.eigvalsh(inertia)
    if a < -(ROUNDED * (abs(a) + abs(b) + abs(c)) + LEAST_INERTIA):
        raise ModelError(
            f"{where} has moments of inertia that no body has: about its principal axes "
            f"{a:.4g}, {b:.4g} and {c:.4g} kg m2. None may be negative; correct them in the URDF."
        )
