"""Links and joints of a robot description as its XML says them, beside what Pinocchio keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from xml.etree import ElementTree

from ....core.errors import ModelError

MOVING = ("revolute", "continuous", "prismatic")
HELD = "held"  # element of a fixed joint that says what it was, and how far off it may be


@dataclass(frozen=True)
class UrdfJoint:
    """One joint of a description.

    Attributes:
        name: Its name.
        kind: "fixed", "revolute", "continuous", "prismatic", ...
        parent: Link that it is on.
        child: Link that it moves.
        lower: Least position, None where it has no limit [rad or m].
        upper: Largest position [rad or m].
        velocity: Largest speed, None where it has no limit [rad/s or m/s].
        effort: Largest torque or force [N m or N].
        mimics: Joint that it follows, empty if none: position = multiplier * that + offset. Where
            that follows another one itself, the one that all follow.
        multiplier: Of the joint that it follows [-].
        offset: Added to it [rad or m].
        axis: Along its axis, in its frame, of any length.
        was: What kind of joint a fixed one is that stands somewhere (`held_still`); else empty.
        within: By how much that one may be off its place [rad or m].
    """

    name: str
    kind: str
    parent: str
    child: str
    lower: float | None = None
    upper: float | None = None
    mimics: str = ""
    multiplier: float = 1.0
    offset: float = 0.0
    axis: tuple[float, ...] = (1.0, 0.0, 0.0)
    was: str = ""
    within: float = 0.0
    velocity: float | None = None
    effort: float | None = None

    @property
    def is_fixed(self) -> bool:
        """Whether nothing moves at it."""
        return self.kind == "fixed"

    @property
    def turns(self) -> bool:
        """Whether it turns, if anything moves at it."""
        return self.kind != "prismatic"


@dataclass(frozen=True)
class UrdfTree:
    """All joints of a description, by the link that each moves.

    Attributes:
        joints: By name of the child link.
        masses: Of all links, by name [kg]; 0 where none is stated.
    """

    joints: dict[str, UrdfJoint]
    masses: dict[str, float]

    @classmethod
    def of(cls, urdf: str) -> UrdfTree:
        """Read a description, XML text that is `usable`.

        Raises:
            ModelError: Joints follow one another in a circle.
        """
        root = ElementTree.fromstring(urdf)
        found = [_joint(element) for element in root.findall("joint")]
        by_name = {joint.name: joint for joint in found}
        stated = {x.get("name", ""): x.find("inertial/mass") for x in root.findall("link")}
        masses = {k: 0.0 if x is None else float(x.get("value", "0")) for k, x in stated.items()}
        return cls({joint.child: _led(joint, by_name) for joint in found}, masses)

    def named(self, name: str) -> UrdfJoint:
        """Return the joint of that name.

        Raises:
            ModelError: There is none.
        """
        for joint in self.joints.values():
            if joint.name == name:
                return joint
        raise ModelError(f"The robot description names a joint '{name}', which it does not have.")

    def way_to(self, link: str) -> list[UrdfJoint]:
        """Return the joints from the root to a link."""
        way: list[UrdfJoint] = []
        while link in self.joints:
            way.insert(0, self.joints[link])
            link = way[0].parent
        return way

    def rigid_group(self, link: str) -> set[str]:
        """Return the links that fixed joints alone tie to a link, itself included."""
        group, more = {link}, True
        while more:
            near = {
                name
                for joint in self.joints.values()
                if joint.is_fixed and (joint.parent in group) != (joint.child in group)
                for name in (joint.parent, joint.child)
            }
            more = not near <= group
            group |= near
        return group


def _led(joint: UrdfJoint, by_name: Mapping[str, UrdfJoint]) -> UrdfJoint:
    """Return a joint that follows the one at the end of those that follow one another.

    Raises:
        ModelError: They follow one another in a circle.
    """
    passed = [joint.name]
    while (leader := by_name.get(joint.mimics)) is not None and leader.mimics:
        passed.append(leader.name)
        if leader.mimics in passed:
            raise ModelError(
                f"The joints {', '.join(passed)} follow one another (<mimic>) in a circle; free "
                "one of them."
            )
        joint = replace(
            joint,
            mimics=leader.mimics,
            multiplier=joint.multiplier * leader.multiplier,
            offset=joint.multiplier * leader.offset + joint.offset,
        )
    return joint


def _joint(element: ElementTree.Element) -> UrdfJoint:
    """Return one <joint>, whose numbers `usable` has checked."""
    kind, empty = element.get("type", ""), ElementTree.Element("nothing")
    limit, mimic, held, axis, parent, child = (
        empty if (x := element.find(part)) is None else x
        for part in ("limit", "mimic", HELD, "axis", "parent", "child")
    )
    bounded = limit is not empty and kind in ("revolute", "prismatic")
    most = {key: float(limit.attrib[key]) for key in ("velocity", "effort") if key in limit.attrib}
    moves = held.get("kind", kind) in MOVING  # now, or before it was fixed
    direction = axis.get("xyz", "1 0 0") if moves else "1 0 0"
    return UrdfJoint(
        name=element.get("name", ""),
        kind=kind,
        parent=parent.get("link", ""),
        child=child.get("link", ""),
        lower=float(limit.get("lower", "0")) if bounded else None,
        upper=float(limit.get("upper", "0")) if bounded else None,
        mimics=mimic.get("joint", ""),
        multiplier=float(mimic.get("multiplier", "1")),
        offset=float(mimic.get("offset", "0")),
        axis=tuple(map(float, direction.split())),
        was=held.get("kind", ""),
        within=float(held.get("within", "0")),
        **most,
    )
