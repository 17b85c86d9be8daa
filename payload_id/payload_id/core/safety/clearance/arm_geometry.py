"""The arm's volume: convex bodies on its links, payload and tool, and which pairs may meet.

Pairs that are checked: every moving body against every obstacle, and every two bodies of the arm
unless

- both are fixed to the same link (or are both part of the base);
- their links are joined by one joint: such bodies touch by construction, and the joint's position
  limits keep them apart. An attached body (payload, tool) is checked against the link before its
  own all the same, unless the two overlap at q = 0 (listed in `allowed` with that reason);
- the pair is allowed by name with a reason.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import index
from typing import Any

import coal
import numpy as np

from ...arm.arm_model import ArmModel
from ...arm.kinetics import frames
from ...arrays import Array
from ...errors import InputError, UnknownNameError
from .convex_body import ConvexBody

BASE = -1  # the joint of what does not move
PAYLOAD = "payload"  # names what is attached to the last link


@dataclass(frozen=True, eq=False)
class LinkBody:
    """A convex body that moves with a joint.

    Attributes:
        link: Link that it belongs to, or `PAYLOAD`.
        joint: Joint that carries it, `BASE` if none.
        body: Its shape and its pose in the frame of that joint.
        attached: Whether it is payload or tool, not the robot's own link.
    """

    link: str
    joint: int
    body: ConvexBody
    attached: bool = False


@dataclass(frozen=True)
class AllowedContact:
    """Two links that are not checked against each other, and why.

    Attributes:
        links: Their names.
        reason: A phrase for the certificate.
    """

    links: tuple[str, str]
    reason: str


@dataclass(frozen=True, eq=False)
class ArmGeometry:
    """Convex bodies of an arm, of what it holds, and of its base.

    Attributes:
        bodies: The robot's links and what is attached to them.
        allowed: Pairs of links that are not checked.
    """

    bodies: tuple[LinkBody, ...]
    allowed: tuple[AllowedContact, ...] = ()

    def __post_init__(self) -> None:
        if not any(item.joint != BASE and not item.attached for item in self.bodies):
            raise InputError(
                "The robot description has no collision geometry on any moving link, so that no "
                "clearance can be proved. Add <collision> elements to its links."
            )
        links = {item.link for item in self.bodies}
        for contact in self.allowed:
            for link in contact.links:
                if link not in links:
                    raise UnknownNameError("link", link, sorted(links), "the allowed contacts")
            if not contact.reason.strip():
                raise InputError(f"Say why {' and '.join(contact.links)} may touch: a reason.")

    def with_attached(self, model: ArmModel, bodies: Sequence[ConvexBody]) -> ArmGeometry:
        """Return the geometry with volumes that must contain payload and tool.

        Args:
            model: The arm.
            bodies: Their poses are those in the payload frame.
        """
        if any(body.kind == "half_space" for body in bodies):
            raise InputError("The payload's volume must be finite; found a half-space.")
        R, t = model.payload_rotation, model.payload_translation
        joint = model.payload_joint
        added = tuple(LinkBody(PAYLOAD, joint, body.moved(R, t), True) for body in bodies)
        touching = _touching_at_zero(model, self.bodies, added)
        contacts = [AllowedContact((PAYLOAD, other), "they overlap at q = 0") for other in touching]
        return replace(self, bodies=(*self.bodies, *added), allowed=(*self.allowed, *contacts))

    def pairs(self, model: ArmModel) -> Array:
        """Return the pairs of bodies that are checked against each other, shape (P, 2).

        The first of each moves with the joint nearer to the tip.
        """
        allowed = {frozenset(contact.links) for contact in self.allowed}
        depth = model.supports().sum(axis=1)
        found = []
        for i, one in enumerate(self.bodies):
            for j in range(i):
                other = self.bodies[j]
                if one.joint == other.joint or frozenset((one.link, other.link)) in allowed:
                    continue
                if _adjacent(model, one.joint, other.joint) and one.attached == other.attached:
                    continue
                deeper = one.joint != BASE and (
                    other.joint == BASE or depth[one.joint] >= depth[other.joint]
                )
                found.append((i, j) if deeper else (j, i))
        return np.array(sorted(found), dtype=int).reshape(-1, 2)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists."""
        return {
            "bodies": [
                {
                    "link": item.link,
                    "joint": item.joint,
                    "attached": item.attached,
                    "body": item.body.to_dict(),
                }
                for item in self.bodies
            ],
            "allowed": [[*contact.links, contact.reason] for contact in self.allowed],
        }

    @classmethod
    def from_dict(cls, entries: Mapping[str, Any]) -> ArmGeometry:
        """Build from plain numbers.

        Raises:
            InputError: An entry is missing or impossible.
        """
        try:
            bodies = tuple(
                LinkBody(
                    str(item["link"]),
                    index(item["joint"]),
                    ConvexBody.from_dict(item["body"]),
                    bool(item["attached"]),
                )
                for item in entries["bodies"]
            )
            allowed = tuple(AllowedContact((a, b), reason) for a, b, reason in entries["allowed"])
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"The bodies of an arm are not readable: {error!r}.") from error
        return cls(bodies, allowed)

    def without_attached(self) -> ArmGeometry:
        """Return the robot's own links only."""
        own = tuple(item for item in self.bodies if not item.attached)
        names = {item.link for item in own}
        allowed = tuple(c for c in self.allowed if names.issuperset(c.links))
        return ArmGeometry(own, allowed)

    @property
    def digest(self) -> str:
        """Hash of all bodies and exceptions."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()


def _adjacent(model: ArmModel, one: int, other: int) -> bool:
    """Tell whether one joint joins two links."""
    return (one != BASE and model.parent[one] == other) or (
        other != BASE and model.parent[other] == one
    )


def _touching_at_zero(
    model: ArmModel, links: Iterable[LinkBody], added: Iterable[LinkBody]
) -> list[str]:
    """Return the links next to the payload's that the attached bodies overlap at q = 0."""
    rotation, origin = (x[0] for x in frames(model, np.zeros((1, model.n))))

    def overlap(one: LinkBody, other: LinkBody) -> bool:
        placed = [
            item.body.moved(rotation[item.joint], origin[item.joint])
            if item.joint != BASE
            else item.body
            for item in (one, other)
        ]
        a, b = placed
        result = coal.DistanceResult()
        request = coal.DistanceRequest()
        gap = coal.distance(a.coal(), a.coal_pose(), b.coal(), b.coal_pose(), request, result)
        return bool(gap <= 0.0)

    added = list(added)
    found = {
        item.link
        for item in links
        for new in added
        if not item.attached and _adjacent(model, item.joint, new.joint) and overlap(new, item)
    }
    return sorted(found)
