"""The mass is known, or where the centre of mass is: in a box, near a line, near a point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import null_space

from ...errors import InputError
from ..convex import within
from .known import Known, direction


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

    def constraints(self, phi: Any) -> list[Any]:
        """Return constraints on phi; see `Known`."""
        return [phi[0] >= self.mass - self.tolerance, phi[0] <= self.mass + self.tolerance]


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

    def constraints(self, phi: Any) -> list[Any]:
        """Return constraints on phi; see `Known`."""
        lower, upper = np.array(self.lower), np.array(self.upper)
        if (lower > upper).any():
            raise InputError(f"lower must not be above upper; found {self.lower} and {self.upper}.")
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

    def constraints(self, phi: Any) -> list[Any]:
        """Return constraints on phi; see `Known`."""
        across = null_space(direction("direction", self.direction)[None]).T
        off = across @ phi[1:4] - phi[0] * (across @ np.array(self.point))
        return [within(off, self.distance * phi[0], self.distance)]


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

    def constraints(self, phi: Any) -> list[Any]:
        """Return constraints on phi; see `Known`."""
        off = phi[1:4] - phi[0] * np.array(self.point)
        return [within(off, self.distance * phi[0], self.distance)]
