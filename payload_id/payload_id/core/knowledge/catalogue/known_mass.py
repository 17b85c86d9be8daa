"""The mass is known, within a tolerance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..statement import Statement
from .known import amount
from .moments import ONE, product


@dataclass(frozen=True)
class KnownMass:
    """|m - mass| <= tolerance.

    Attributes:
        mass: As weighed, or from a data sheet [kg].
        tolerance: By how much it may be off, to either side [kg].
    """

    mass: float
    tolerance: float = 0.0

    kind = "known_mass"

    def statement(self, name: str) -> Statement:
        """Return it as constraints on phi; see the protocol."""
        mass = amount(name, "mass", self.mass, "kg")
        tolerance = amount(name, "tolerance", self.tolerance, "kg")
        m = product(ONE, ONE)
        rows = np.vstack([np.append(m, tolerance - mass), np.append(-m, tolerance + mass)])
        return Statement.of_parts(name, nonnegative=(rows,))
