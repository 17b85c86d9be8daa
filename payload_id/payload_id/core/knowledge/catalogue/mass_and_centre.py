"""The mass is known, or where the centre of mass is: in a box, near a line, near a point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scipy.linalg import null_space

from ...errors import InputError
from ..convex import within
from .known import Known, amount, direction, vector


@dataclass(frozen=True)
class KnownMass(Known):
    """|m - mass| <= tolerance.

    Attributes:
        mass: As weighed, or from a data sheet [kg].
        tolerance: By how much it may be off, to either side [kg].
    """

    mass: float
    tolerance: float = 0.0

    kind = "known_mass"

    def constraints(self, name: str, phi: Any) -> list[Any]:
        """Return constraints on phi; see `Known`."""
        mass = amount(name, "mass", self.mass, "kg")
        tolerance = amount(name, "tolerance", self.tolerance, "kg")
        return [phi[0] >= mass - tolerance, phi[0] <= mass + tolerance]


@dataclass(frozen=True)
class CentreInBox(Known):
    """lower <= c <= upper, that is m lower <= h <= m upper.

    Attributes:
        lower: Corner of the box, three numbers [m].
        upper: The opposite corner, three numbers [m].
    """

    lower: tuple[float, float, float]
    upper: tuple[float, float, float]

    kind = "centre_in_box"

    def constraints(self, name: str, phi: Any) -> list[Any]:
        """Return constraints on phi; see `Known`."""
        lower, upper = vector(name, "lower", self.lower), vector(name, "upper", self.upper)
        if (lower > upper).any():
            raise InputError(
                f"'{name}': lower must not be above upper; found {lower.tolist()} and "
                f"{upper.tolist()}."
            )
        return [phi[1:4] >= phi[0] * lower, phi[1:4] <= phi[0] * upper]


@dataclass(frozen=True)
class CentreNearLine(Known):
    """|E'(h - m point)| <= distance m, E two unit vectors across the line.

    Attributes:
        point: On the line, three numbers [m].
        direction: Of the line, three numbers of any length.
        distance: Largest distance of the centre of mass from the line [m].
    """

    point: tuple[float, float, float]
    direction: tuple[float, float, float]
    distance: float = 0.0

    kind = "centre_near_line"

    def constraints(self, name: str, phi: Any) -> list[Any]:
        """Return constraints on phi; see `Known`."""
        point = vector(name, "point", self.point)
        across = null_space(direction(name, "direction", self.direction)[None]).T
        distance = amount(name, "distance", self.distance, "m")
        return [within(across @ phi[1:4] - phi[0] * (across @ point), distance * phi[0], distance)]


@dataclass(frozen=True)
class CentreNearPoint(Known):
    """|h - m point| <= distance m.

    Attributes:
        point: Three numbers [m].
        distance: Largest distance of the centre of mass from it [m].
    """

    point: tuple[float, float, float]
    distance: float = 0.0

    kind = "centre_near_point"

    def constraints(self, name: str, phi: Any) -> list[Any]:
        """Return constraints on phi; see `Known`."""
        point = vector(name, "point", self.point)
        distance = amount(name, "distance", self.distance, "m")
        return [within(phi[1:4] - phi[0] * point, distance * phi[0], distance)]
