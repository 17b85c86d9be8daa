"""The centre of mass lies within a distance of a point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..statement import Statement
from .known import amount, vector
from .moments import ONE, along, constant, product


@dataclass(frozen=True)
class CentreNearPoint:
    """|h - m point| <= distance m.

    Attributes:
        point: Three numbers [m].
        distance: Largest distance of the centre of mass from it [m].
    """

    point: tuple[float, float, float]
    distance: float = 0.0

    kind = "centre_near_point"

    def statement(self, name: str) -> Statement:
        """Return it as constraints on phi; see the protocol."""
        point = vector(name, "point", self.point)
        distance = amount(name, "distance", self.distance, "m")
        aside = np.stack([product(along(axis, point), ONE) for axis in np.eye(3)])
        if distance == 0.0:
            return Statement.of_parts(name, zero=(constant(aside),))
        cone = constant(np.vstack([distance * product(ONE, ONE), aside]))
        return Statement.of_parts(name, second_order=(cone,))
