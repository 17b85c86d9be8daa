"""The centre of mass lies on a line, or within a distance of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..statement import Statement
from .known import amount, direction, vector
from .moments import ONE, across, along, constant, product


@dataclass(frozen=True)
class CentreNearLine:
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

    def statement(self, name: str) -> Statement:
        """Return it as constraints on phi; see the protocol."""
        point = vector(name, "point", self.point)
        line = direction(name, "direction", self.direction)
        distance = amount(name, "distance", self.distance, "m")
        aside = np.stack([product(along(axis, point), ONE) for axis in across(line)])
        if distance == 0.0:
            return Statement.of_parts(name, zero=(constant(aside),))
        cone = constant(np.vstack([distance * product(ONE, ONE), aside]))
        return Statement.of_parts(name, second_order=(cone,))
