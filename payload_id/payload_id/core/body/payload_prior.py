"""The box that holds a payload before any data are seen: largest mass and reach."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..stated import Entries, check_stated, stated

SMALLEST = 1e-6  # [kg or m], far below any payload of an arm
TYPICAL = 0.1  # part of the prior that is a typical payload; sets weights, not bounds


@dataclass(frozen=True)
class PayloadPrior(Entries):
    """Finite box that holds the payload before any data are seen.

    It must be true, and it need not be tight: it keeps every program bounded, and a parameter that
    the data do not bound keeps (about) its prior interval and is reported as not identifiable.

    Attributes:
        mass_max: Largest mass [kg].
        com_max: Largest distance of any of its mass from the payload frame's origin [m].
    """

    WHERE: ClassVar[str] = "prior"

    mass_max: float = stated(30.0, SMALLEST)
    com_max: float = stated(1.0, SMALLEST)

    def __post_init__(self) -> None:
        check_stated(self, "prior")

    def box(self) -> tuple[Array, Array]:
        """Return lower and upper bounds of phi, each of shape (10,)."""
        m, r = self.mass_max, self.com_max
        first, second = m * r, m * r * r
        upper = np.array([m, first, first, first] + [second] * 6)
        upper[[5, 6, 8]] = 0.5 * second  # |Ixy| = |integral of xy| <= m r^2 / 2
        lower = -upper
        lower[[0, 4, 7, 9]] = 0.0
        return lower, upper

    @property
    def typical(self) -> Array:
        """|phi| of a typical payload, shape (10,)."""
        return np.asarray(TYPICAL * self.box()[1])

    def shape(self) -> Array:
        """Return rows c with c phi >= 0 for every payload inside the ball, shape (1, 10).

        No mass is farther than r from the origin: m r^2 - tr(Sigma) >= 0, tr(Sigma) = tr(I) / 2.
        """
        row = np.zeros((1, 10))
        row[0, 0] = self.com_max**2
        row[0, [4, 7, 9]] = -0.5
        return row
