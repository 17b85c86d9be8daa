"""What a robot description must be before Pinocchio reads it.

Pinocchio takes a mass that is text for zero, and one with a space beside it, accepts inertias of no
body and axes of no direction, never returns from some kinematic loops, and of most other mistakes
says only that there is one.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from ..arrays import Array, number_in
from ..body.inertial import inertia_matrix
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
PREFIX = re.compile(r"</?([A-Za-z_][\w.-]*):")  # of an element
NAMESPACE = re.compile(r"""(<robot\b[^>]*?)\sxmlns\s*=\s*["'][^"']*["']""")
PRODUCTS = ("ixy", "ixz", "iyz")  # of inertia, 0 where they are left out
MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
# Of each part of an element: attributes, how many numbers they hold, what counts if they are left
# out; None: they may not be.
Parts = Mapping[str, Sequence[tuple[str, int, str | None]]]
FAR_OFF = ("-1e6", "1e6")  # [m] where one that slides ends of which that is not said
SIZES = ("effort", "velocity")  # of a limit; 0 where it says nothing
PLACE = (("xyz", 3, "0 0 0"), ("rpy", 3, "0 0 0"))
MASS: Parts = {
    "inertial/origin": PLACE,
    "inertial/mass": (("value", 1, None),),
    "inertial/inertia": tuple((key, 1, None) for key in MOMENTS),
}


def usable(urdf: str) -> str:
    """Return a description as readers of URDF take it.

    Numbers of an attribute are separated by one space: for one more, readers leave out a whole
    <inertial> or <collision>. A robot without a name gets one; a link without mass has no inertia;
    a joint that follows a joint which does not exist is free; limits are none where they are left
    out, or below zero, and ends are in their order; a link that is named as parent only, such as
    "world", is a frame.

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
        _complete_limit(joint)
    links = {link.get("name") for link in root.findall("link")}
    for parent in {_end(joint, "parent") for joint in root.findall("joint")} - links - {""}:
        ElementTree.SubElement(root, "link", {"name": parent})
    for inertia in root.iterfind("link/inertial/inertia"):
        inertia.attrib.update({key: "0" for key in PRODUCTS if key not in inertia.attrib})
    for link in root.findall("link"):
        for inertial in link.findall("inertial"):
            mass = inertial.find("mass")
            if mass is not None and 0.0 <= number_in(mass.get("value", "")) < LEAST_MASS:
                link.remove(inertial)
    _check(root)
    return ElementTree.tostring(root, encoding="unicode")


def _complete_limit(joint: Element) -> None:
    """Give a joint's limit what readers ask for."""
    limit, kind = joint.find("limit"), joint.get("type")
    if limit is None and kind == "revolute":
        joint.set("type", "continuous")
    elif limit is None and kind == "prismatic":
        limit = ElementTree.SubElement(joint, "limit", {"lower": FAR_OFF[0], "upper": FAR_OFF[1]})
    if limit is not None:
        for key in SIZES:
            if key not in limit.attrib or -LARGEST <= number_in(limit.get(key, "")) < 0.0:
                limit.set(key, "0")
        ends = [limit.get(key, "0") for key in ("lower", "upper")]
        if number_in(ends[0]) > number_in(ends[1]):
            limit.set("lower", ends[1])
            limit.set("upper", ends[0])


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
        root = ElementTree.fromstring(_with_prefixes(urdf))
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
        raise ModelError(
            "The robot description has no links. Where it only defines macros, give the file that "
            "calls them."
        )
    return root


def _with_prefixes(urdf: str) -> str:
    """Return a description with a root of no namespace that declares all prefixes, as XML wants."""
    urdf = NAMESPACE.sub(r"\1", urdf.lstrip(), count=1)
    prefixes = [x for x in dict.fromkeys(PREFIX.findall(urdf)) if f"xmlns:{x}" not in urdf]
    declared = "".join(f' xmlns:{x}="{x}"' for x in prefixes)
    return urdf.replace("<robot", f"<robot{declared}", 1)


def _names(kind: str, elements: Sequence[Element]) -> set[str]:
    """Return the names of links or joints, which are all different."""
    count = Counter(element.get("name", "").strip() for element in elements)
    if count[""]:
        raise ModelError(f"A <{kind}> of the robot description has no name.")
    for name, times in count.items():
        if times > 1:
            raise ModelError(f"The robot description has more than one {kind} named '{name}'.")
    return {element.get("name", "") for element in elements}


def _end(joint: Element, which: str) -> str:
    """Return the parent or child link that a joint names."""
    element = joint.find(which)
    return "" if element is None else element.get("link", "")


def _check_ends(joint: Element, links: set[str]) -> None:
    """Raise unless a joint is of a known kind, between links that exist, and not its own mimic."""
    name, kind = joint.get("name"), joint.get("type", "")
    if kind not in KINDS:
        raise ModelError(f"Joint '{name}' is of type '{kind}'; known: {', '.join(KINDS)}.")
    for which in ("parent", "child"):
        if (link := _end(joint, which)) not in links:
            raise ModelError(
                f"Joint '{name}' names the {which} link '{link}', which does not exist. Links: "
                f"{', '.join(sorted(links))}."
            )
    mimic = joint.find("mimic")
    if mimic is not None and mimic.get("joint") == name:
        raise ModelError(f"Joint '{name}' follows itself.")


def _check_tree(joints: Sequence[Element], links: set[str]) -> None:
    """Raise unless every link but one is the child of one joint, and all hang on that one."""
    parents = {_end(joint, "child"): _end(joint, "parent") for joint in joints}
    for link, times in Counter(_end(joint, "child") for joint in joints).items():
        if times > 1:
            raise ModelError(
                f"Link '{link}' is the child of {times} joints: a kinematic loop, of which a URDF "
                "cannot speak. Leave all but one of them out."
            )
    try:
        TopologicalSorter({child: [parent] for child, parent in parents.items()}).prepare()
    except CycleError as error:
        raise ModelError(
            f"A kinematic loop: links {', '.join(error.args[1])}. Leave a joint of it out."
        ) from error
    roots = sorted(links - parents.keys())
    if len(roots) > 1:
        raise ModelError(
            f"The robot description falls into parts, with the roots {', '.join(roots)}; join them."
        )


def _numbers(element: Element, parts: Parts, where: str) -> dict[tuple[str, str], Array]:
    """Return the numbers of those parts of an element that it has, by part and attribute."""
    return {
        (name, key): _read(part.get(key, default), count, f"{where}: '{key}' of <{part.tag}>")
        for name, attributes in parts.items()
        if (part := element.find(name)) is not None
        for key, count, default in attributes
    }


def _read(text: str | None, count: int, what: str) -> Array:
    """Return so many finite numbers, none above `LARGEST` in size where it is no limit."""
    numbers = np.array([number_in(word) for word in (text or "").split()])
    largest = sys.float_info.max if what.endswith("<limit>") else LARGEST
    if len(numbers) != count or not (np.abs(numbers) <= largest).all():
        raise ModelError(
            f"{what} must be {count} finite number(s), at most {largest:g} in SI units; found "
            f"{'nothing' if text is None else repr(text)}."
        )
    return numbers


def _check_joint(joint: Element) -> None:
    """Raise unless a joint's place, axis, limits and what it follows are possible."""
    where, kind = f"Joint '{joint.get('name')}'", joint.get("type")
    parts: Parts = {
        "origin": PLACE,
        "axis": (("xyz", 3, "1 0 0"),) if kind in MOVING else (),
        "limit": (("lower", 1, "0"), ("upper", 1, "0"), *((key, 1, "0") for key in SIZES)),
        "mimic": (("multiplier", 1, "1"), ("offset", 1, "0")),
    }
    found = _numbers(joint, parts, where)
    axis = found.get(("axis", "xyz"))
    if axis is not None and np.linalg.norm(axis) < LEAST_AXIS:
        raise ModelError(f"{where} has the axis {axis.tolist()}, which has no direction.")


def _check_mass(link: Element) -> None:
    """Raise unless a link's mass and inertia, if it states them, are those of some body."""
    where = f"Link '{link.get('name')}'"
    if link.find("inertial") is None:
        return
    found = _numbers(link, MASS, where)
    if not {("inertial/mass", "value"), ("inertial/inertia", "ixx")} <= found.keys():
        raise ModelError(f"{where}: <inertial> needs <mass> and <inertia>.")
    m = float(found["inertial/mass", "value"][0])
    entries = [float(found["inertial/inertia", key][0]) for key in MOMENTS]
    if m < LEAST_MASS:
        raise ModelError(
            f"{where} has the mass {m:g} kg, which no body has; correct it, or leave <inertial> "
            "out where the link is a mere frame."
        )
    check_inertia(inertia_matrix(np.append(np.zeros(4), entries)), where)


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
