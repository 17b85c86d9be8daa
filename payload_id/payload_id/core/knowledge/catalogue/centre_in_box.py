"""The centre of mass lies in a box."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import InputError
from ..statement import Statement
from .known import vector
from .moments import ONE, along, constant, product


@dataclass(frozen=True)
class CentreInBox:
    """lower <= c <= upper, that is m lower <= h <= m upper.

    Attributes:
        lower: Corner of the box, three numbers [m].
        upper: The opposite corner, three numbers [m].
    """

    lower: tuple[float, float, float]
    upper: tuple[float, float, float]

    kind = "centre_in_box"

    def statement(self, name: str) -> Statement:
        """Return it as constraints on phi; see the protocol."""
        lower, upper = vector(name, "lower", self.lower), vector(name, "upper", self.upper)
        if (lower > upper).any():
            raise InputError(
                f"'{name}': lower must not be above upper; found {lower.tolist()} and "
                f"{upper.tolist()}."
            )
        rows = [product(along(axis, lower), ONE) for axis in np.eye(3)]
        rows += [product(along(-axis, upper), ONE) for axis in np.eye(3)]
        return Statement.of_parts(name, nonnegative=(constant(np.stack(rows)),))
