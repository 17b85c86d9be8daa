r"""The mass distribution is its own mirror image.

With n the normal of the plane, u, v along it, x measured from its point, and <.> the integral over
the mass:  <n> = 0,  <n u> = <n v> = 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..statement import Statement
from .known import direction, vector
from .moments import ONE, across, along, constant, product
from .nearly_symmetric import Slack, cone


@dataclass(frozen=True)
class MirrorPlane:
    """The centre of mass is in the plane, whose normal is a principal axis.

    Attributes:
        point: In the plane, three numbers [m].
        normal: Of the plane, three numbers of any length.
        offset: Largest distance of the true plane from the point [m].
        tilt: Largest angle between the true plane and the stated one [rad].
        asymmetric_mass: Mass of what is not symmetric [kg].
        extent: Largest distance of any mass from the point [m]; needed with tolerances.
    """

    point: tuple[float, float, float]
    normal: tuple[float, float, float]
    offset: float = 0.0
    tilt: float = 0.0
    asymmetric_mass: float = 0.0
    extent: float | None = None

    kind = "mirror_plane"

    def statement(self, name: str) -> Statement:
        """Return it as constraints on phi; see the protocol."""
        point = vector(name, "point", self.point)
        normal = direction(name, "normal", self.normal)
        slack = Slack.of(name, self.offset, self.tilt, self.asymmetric_mass, self.extent)
        u, v, n = (along(unit, point) for unit in (*across(normal), normal))
        aside = product(n, ONE)[None]
        tilted = np.stack([product(n, u), product(n, v)])
        ball = slack.ball(np.stack([u, v, n]))
        if slack.exact:
            rows = constant(np.vstack([aside, tilted]))
            return Statement.of_parts(name, zero=(rows,), nonnegative=ball)
        cones = (cone(slack.first_order(), aside), cone(slack.second_order(0.5), tilted))
        return Statement.of_parts(name, nonnegative=ball, second_order=cones)
