"""A load in the frame that a target asks for, alone or with the tool that the description has."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ....core.arrays import Array
from ....core.body.inertial import (
    change_of_frame,
    from_mass_com_inertia,
    mass_com_inertia,
)
from ....core.errors import ConfigurationError, UnknownNameError
from ....core.identification.estimate import Estimate
from ...robots.arm_frames import ArmFrames
from ...robots.description.urdf_tree import UrdfTree
from .ranges import (
    Range,
    about_centre,
    moments_not_negative,
    outer_inertia,
    rotation_of_inertia,
)
from .tool import Tool


@dataclass(frozen=True, eq=False)
class Load:
    """A body in one frame: numbers, and how far they may be off.

    Attributes:
        frame: Link whose frame it is in.
        phi: Inertial parameters, shape (10,), inertia about the frame's origin.
        mass_range: Of the mass, shape () [kg].
        com_range: Of the centre of mass, shape (3,) [m].
        inertia_range: Of the inertia about the centre of mass, shape (6,) [kg m2].
        tool: What the description has beside the payload, and which of it is contained here; None:
            nothing of it.
    """

    frame: str
    phi: Array
    mass_range: Range
    com_range: Range
    inertia_range: Range
    tool: Tool | None = None

    @classmethod
    def of(cls, found: Estimate, frame: str, urdf: str | None) -> Load:
        """Return the identified payload, seen from a link that is rigidly tied to its own.

        Args:
            found: Mass, centre of mass and inertia, with their intervals.
            frame: The link.
            urdf: The robot description; needed where the link is another than the payload's.

        Raises:
            ConfigurationError: There is no description to go from one link to the other.
            UnknownNameError: The description has no such link.
        """
        rotation, place = rigid_place(urdf, frame, found.payload_frame)
        mass = Range(found.lower[:1], found.upper[:1])
        moments = Range(found.lower[1:4], found.upper[1:4])
        com = moments.over(mass)
        inertia = about_centre(moments, com, Range(found.lower[4:], found.upper[4:]))
        return cls(
            frame,
            change_of_frame(rotation, place) @ found.phi,
            mass,
            com.mapped(rotation) + Range.point(place),
            moments_not_negative(inertia.mapped(rotation_of_inertia(rotation))),
        )

    @property
    def mass(self) -> float:
        """Mass [kg]."""
        return float(self.phi[0])

    @property
    def com(self) -> Array:
        """Centre of mass, shape (3,) [m]."""
        return mass_com_inertia(self.phi)[1]

    @property
    def inertia(self) -> Array:
        """Inertia about the centre of mass in the frame's axes, shape (3, 3) [kg m2]."""
        return mass_com_inertia(self.phi)[2]

    def with_tool(self, tool: Tool) -> Load:
        """Return the load with what the description has beside it, which counts as exact.

        With w = m / (m + m_t), d = c - c_t and mu = w m_t, the centre of mass is c_t + w d and the
        inertia about it I + I_t + mu (d.d 1 - d d').
        """
        if not tool.mass > 0.0:
            return replace(self, tool=tool)
        own, at, inertia = tool.mass, tool.com, tool.inertia
        lowest = np.maximum(self.mass_range.lower, 0.0)
        part = Range(lowest / (lowest + own), 1.0 - own / (self.mass_range.upper + own))
        away = self.com_range - Range.point(at)
        column = Range(away.lower[:, None], away.upper[:, None])
        row = Range(away.lower[None, :], away.upper[None, :])
        reduced = Range(own * part.lower, own * part.upper)
        turned = outer_inertia(column * row) * reduced
        return replace(
            self,
            phi=self.phi + from_mass_com_inertia(own, at, inertia),
            mass_range=self.mass_range + Range.point(np.array([own])),
            com_range=away * part + Range.point(at),
            inertia_range=self.inertia_range + Range.point(inertia[np.triu_indices(3)]) + turned,
            tool=tool,
        )


def rigid_place(urdf: str | None, frame: str, link: str) -> tuple[Array, Array]:
    """Return axes R and origin p of a link in another one's frame that is rigidly tied to it.

    Raises:
        ConfigurationError: There is no description, or a joint between the two moves.
        UnknownNameError: The description has no such link.
    """
    if frame == link:
        return np.eye(3), np.zeros(3)
    if urdf is None:
        raise ConfigurationError(
            f"The payload was identified in the frame '{link}', and '{frame}' is asked for: the "
            "robot description is needed to go from one to the other. Give the robot file "
            "(--robot)."
        )
    tree = UrdfTree.of(urdf)
    for name in (frame, link):
        if name not in tree.masses:
            raise UnknownNameError("link", name, tree.masses, "the robot description")
    if frame not in tree.rigid_group(link):
        raise ConfigurationError(
            f"The links '{frame}' and '{link}' move against each other, so a load in the frame of "
            "one is none in that of the other. Name a link that is fixed to the flange (--frame)."
        )
    at = ArmFrames(urdf).at()
    relative = at(frame).actInv(at(link))
    return np.array(relative.rotation), np.array(relative.translation)
