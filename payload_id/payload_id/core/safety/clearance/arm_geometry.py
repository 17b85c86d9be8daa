"""The arm's volume: convex bodies on its links, payload and tool, and which pairs may meet.

Pairs that are checked: every moving body against every obstacle, and every two bodies of the arm,
of what it carries and of what the description fixes to its base, unless

- nothing moves the one against the other (the same joint carries both, or none does);
- they are of the two links that one movable joint joins directly: such links touch by
  construction, and the joint's position limits keep them from going farther into each other;
- the two bodies are allowed by name with a reason.

Every exception is a sentence of the certificate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from ...arm.arm_model import ArmModel
from ...arrays import Array
from ...codec import InJson
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
        body: Its shape and its pose in the frame of that joint. Its name is that of the link, or
            begins with it where the link has several bodies; no two bodies have the same.
        attached: Whether it is payload or tool, not the robot's own link.
    """

    link: str
    joint: int
    body: ConvexBody
    attached: bool = False

    @property
    def name(self) -> str:
        """Name of the body."""
        return self.body.name


@dataclass(frozen=True)
class AllowedContact:
    """Bodies that are not checked against each other, and why.

    Attributes:
        bodies: Names of two bodies, or of links, which stand for all of their bodies.
        reason: A phrase for the certificate.
    """

    bodies: tuple[str, str]
    reason: str

    def __str__(self) -> str:
        return f"{self.bodies[0]} and {self.bodies[1]}: {self.reason}"


@dataclass(frozen=True, eq=False)
class ArmGeometry(InJson):
    """Convex bodies of an arm, of what it holds, and of its base.

    Attributes:
        bodies: The robot's links and what is attached to them.
        joined: Pairs of links that one movable joint joins directly.
        allowed: Pairs of bodies that are not checked.
        notes: What the bodies rest on beside that, one sentence each: joints that stand still or
            whose whole travel a body covers, links without a body.
    """

    bodies: tuple[LinkBody, ...]
    joined: tuple[tuple[str, str], ...] = ()
    allowed: tuple[AllowedContact, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not any(item.joint != BASE and not item.attached for item in self.bodies):
            raise InputError(
                "The robot description has no collision geometry on any moving link, so that no "
                "clearance can be proved. Add <collision> elements to its links."
            )
        names = [item.name for item in self.bodies]
        known = sorted({*names, *(item.link for item in self.bodies)})
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise InputError(f"Two bodies of the arm are named '{twice[0]}'; name each once.")
        for contact in self.allowed:
            for name in contact.bodies:
                if name not in known:
                    raise UnknownNameError("body", name, known, "the allowed contacts")
            if not contact.reason.strip():
                raise InputError(f"Say why {' and '.join(contact.bodies)} may touch: a reason.")

    def with_attached(self, model: ArmModel, bodies: Sequence[ConvexBody]) -> ArmGeometry:
        """Return the geometry with volumes that must contain payload and tool.

        Args:
            model: The arm.
            bodies: Their poses are those in the payload frame; several are named payload/1,
                payload/2, ...
        """
        if any(body.kind == "half_space" for body in bodies):
            raise InputError("The payload's volume must be finite; found a half-space.")
        R, t = model.payload_rotation, model.payload_translation
        names = [f"{PAYLOAD}/{k}" for k in range(1, len(bodies) + 1)]
        names = [str(PAYLOAD)] if len(bodies) == 1 else names
        added = (
            LinkBody(PAYLOAD, model.payload_joint, replace(body.moved(R, t), name=name), True)
            for body, name in zip(bodies, names, strict=True)
        )
        return replace(self, bodies=(*self.bodies, *added))

    def with_allowed(self, contacts: Sequence[AllowedContact]) -> ArmGeometry:
        """Return the geometry with more pairs that are not checked."""
        return replace(self, allowed=(*self.allowed, *contacts))

    def pairs(self, model: ArmModel) -> Array:
        """Return the pairs of bodies that are checked against each other, shape (P, 2).

        The first of each moves with the joint nearer to the tip.
        """
        allowed = {frozenset(contact.bodies) for contact in self.allowed}
        joined = {frozenset(links) for links in self.joined}
        depth = model.supports().sum(axis=1)
        found = []
        for i, one in enumerate(self.bodies):
            for j in range(i):
                other = self.bodies[j]
                named = product((one.name, one.link), (other.name, other.link))
                if one.joint == other.joint or any(frozenset(x) in allowed for x in named):
                    continue
                own = not (one.attached or other.attached)
                if own and frozenset((one.link, other.link)) in joined:
                    continue
                deeper = one.joint != BASE and (
                    other.joint == BASE or depth[one.joint] >= depth[other.joint]
                )
                found.append((i, j) if deeper else (j, i))
        return np.array(sorted(found), dtype=int).reshape(-1, 2)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists; a contact that is allowed is two names and a reason."""
        allowed = [[*contact.bodies, contact.reason] for contact in self.allowed]
        return {**super().to_dict(), "allowed": allowed}

    @classmethod
    def from_dict(cls, entries: Mapping[str, Any]) -> ArmGeometry:
        """Build from plain numbers and lists."""
        allowed = [{"bodies": [a, b], "reason": why} for a, b, why in entries["allowed"]]
        return super().from_dict({**entries, "allowed": allowed})

    def without_attached(self) -> ArmGeometry:
        """Return the robot's own links only."""
        own = tuple(item for item in self.bodies if not item.attached)
        names = {name for item in own for name in (item.name, item.link)}
        allowed = tuple(c for c in self.allowed if names.issuperset(c.bodies))
        return replace(self, bodies=own, allowed=allowed)
