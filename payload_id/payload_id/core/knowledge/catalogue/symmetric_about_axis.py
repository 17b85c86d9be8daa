r"""The mass distribution is symmetric about an axis.

As the moments see it: turning the body by some angle of 120 degrees or less (that divides the full
turn) about the axis changes nothing. So a hexagonal bar is symmetric, a rectangular one is not.
With u, v, a unit vectors, a along the axis, x measured from its point, and <.> the integral over
the mass,

    <u> = <v> = 0,   <u a> = <v a> = 0,   <u v> = 0,   <u u> = <v v>.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..statement import Statement
from .known import direction, vector
from .moments import ONE, across, along, constant, product
from .nearly_symmetric import Slack, cone


@dataclass(frozen=True)
class SymmetricAboutAxis:
    """The centre of mass is on the axis, which is a principal one; those across are alike.

    Attributes:
        point: On the axis, three numbers [m].
        direction: Of the axis, three numbers of any length.
        offset: Largest distance of the true axis from the point [m].
        tilt: Largest angle between the true axis and the stated one [rad].
        asymmetric_mass: Mass of what is not symmetric, such as a handle or a label [kg].
        extent: Largest distance of any mass from the point [m]; needed with tolerances.
    """

    point: tuple[float, float, float]
    direction: tuple[float, float, float]
    offset: float = 0.0
    tilt: float = 0.0
    asymmetric_mass: float = 0.0
    extent: float | None = None

    kind = "symmetric_about_axis"

    def statement(self, name: str) -> Statement:
        """Return it as constraints on phi; see the protocol."""
        point = vector(name, "point", self.point)
        axis = direction(name, "direction", self.direction)
        slack = Slack.of(name, self.offset, self.tilt, self.asymmetric_mass, self.extent)
        u, v, a = (along(unit, point) for unit in (*across(axis), axis))
        aside = np.stack([product(u, ONE), product(v, ONE)])
        tilted = np.stack([product(u, a), product(v, a)])
        oval = np.stack([2.0 * product(u, v), product(u, u) - product(v, v)])
        ball = slack.ball(np.stack([u, v, a]))
        if slack.exact:
            rows = constant(np.vstack([aside, tilted, oval]))
            return Statement.of_parts(name, zero=(rows,), nonnegative=ball)
        cones = (
            cone(slack.first_order(), aside),
            cone(slack.second_order(0.5), tilted),
            cone(slack.second_order(1.0), oval),
        )
        return Statement.of_parts(name, nonnegative=ball, second_order=cones)
