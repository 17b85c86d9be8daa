r"""What a symmetry leaves of moments where it holds with tolerances only.

The body is symmetric about an axis (or plane) that passes the stated point at a distance of at most
o and is turned from the stated one by at most t, but for a mass of at most mu, and none of its mass
is farther than D from the point. A rigid motion that brings the true axis to the stated one moves
every place x of the body to some y, |y - x| <= r = o + t (D + o), and makes the body exactly
symmetric. Measured from the point, |x| <= D and |y| <= D + r, so that

    moments of first order differ by at most  m r,
    those of second order, of two functions of unit slope, by  m r (|x| + |y|) <= m r (2 D + r);

what is not symmetric adds at most mu D and mu D^2 (mu D^2 / 2 for functions at right angles).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...errors import InputError
from .known import amount
from .moments import ONE, constant, product


@dataclass(frozen=True)
class Slack:
    """How far moments that a symmetry makes zero may be from it.

    Attributes:
        shift: r [m].
        rest: mu [kg].
        extent: D [m]; infinite where it was not stated, and then r = mu = 0.
    """

    shift: float
    rest: float
    extent: float

    @classmethod
    def of(cls, name: str, offset: float, tilt: float, rest: float, extent: float | None) -> Slack:
        """Check tolerances.

        Raises:
            InputError: There is a tolerance, and no extent; or a number cannot be used.
        """
        offset, tilt = amount(name, "offset", offset, "m"), amount(name, "tilt", tilt, "rad")
        rest = amount(name, "asymmetric_mass", rest, "kg")
        if extent is None:
            if offset or tilt or rest:
                raise InputError(
                    f"'{name}': a symmetry with tolerances needs 'extent', the largest distance of "
                    "any of the payload's mass from 'point' [m]."
                )
            return cls(0.0, 0.0, np.inf)
        extent = amount(name, "extent", extent, "m")
        if extent == 0.0:
            raise InputError(f"'{name}': extent must be a length above 0 m; found 0.")
        return cls(offset + tilt * (extent + offset), rest, extent)

    @property
    def exact(self) -> bool:
        """Whether the symmetry has no tolerance."""
        return self.shift == 0.0 and self.rest == 0.0

    def first_order(self) -> Array:
        """Return the bound on moments of first order as a row [c f], c phi + f, shape (11,)."""
        return np.append(self.shift * product(ONE, ONE), self.rest * self.extent)

    def second_order(self, part: float) -> Array:
        """Return the bound on moments of second order likewise.

        Args:
            part: Largest |a b| of the functions in the moment, in D^2.
        """
        slope = self.shift * (2.0 * self.extent + self.shift)
        return np.append(slope * product(ONE, ONE), part * self.rest * self.extent * self.extent)

    def ball(self, functions: Array) -> tuple[Array, ...]:
        """Return the row that no mass is farther than D, given x, y, z as functions (3, 4)."""
        if not np.isfinite(self.extent):
            return ()
        spread = sum(product(a, a) for a in functions)
        return (constant(self.extent * self.extent * product(ONE, ONE) - spread),)


def cone(bound: Array, moments: Array) -> Array:
    """Return the cone bound >= |moments| of rows [c f] and rows c."""
    return np.vstack([bound, constant(moments)])
