r"""The mass distribution is symmetric about an axis, or to a plane, within tolerances.

With x measured from the stated point and <.> the integral over the mass, what a symmetry makes zero
are elements of the pseudo-inertia, <f g> = f'J g for functions f(x) = n.(x - point) and 1:

    axis a, u and v across it:   <u> = <v> = 0,  <u a> = <v a> = 0,  <u v> = 0,  <u u> = <v v>
    plane with normal n:         <n> = 0,        <n u> = <n v> = 0

An axis counts as one of symmetry if turning the body about it by some angle of 120 degrees or less
(that divides the full turn) changes nothing: a hexagonal bar, not a rectangular one.

With tolerances the true axis (or plane) passes the point at a distance of at most o, is turned from
the stated one by at most t, but for a mass of at most mu, and none of the mass is farther than D
from the point. A rigid motion that brings the true axis to the stated one moves every place x of
the body to some y, |y - x| <= r = o + t (D + o), and makes the body exactly symmetric. Measured
from the point, |x| <= D and |y| <= D + r, so that

    moments of first order differ by at most  m r,
    those of second order, of two functions of unit slope, by  m r (|x| + |y|) <= m r (2 D + r);

what is not symmetric adds at most mu D and mu D^2 (mu D^2 / 2 for functions at right angles).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import null_space

from ...arrays import Array
from ...errors import InputError
from ...stated import stated
from ..convex import pseudo_inertia_of, within
from .known import Known, direction


@dataclass(frozen=True, kw_only=True)
class Tolerances:
    """How far a body may be from being symmetric.

    Attributes:
        offset: Largest distance of the true axis or plane from the point [m].
        tilt: Largest angle between the true axis or plane and the stated one [rad].
        asymmetric_mass: Mass of what is not symmetric, such as a handle or a label [kg].
        extent: Largest distance of any mass from the point [m]; needed with tolerances.
    """

    offset: float = 0.0
    tilt: float = stated(highest=0.5)
    asymmetric_mass: float = 0.0
    extent: float | None = None


@dataclass(frozen=True)
class SymmetricAboutAxis(Tolerances, Known):
    """The centre of mass is on the axis, which is a principal one; those across are alike.

    Attributes:
        point: On the axis, three numbers [m].
        direction: Of the axis, three numbers of any length.
    """

    point: tuple[float, float, float]
    direction: tuple[float, float, float]

    kind = "symmetric_about_axis"

    def constraints(self, phi: Any) -> list[Any]:
        """Return constraints on phi; see `Known`."""
        M = _moments(phi, self.point, direction("direction", self.direction))
        oval = [2.0 * M[0, 1], M[0, 0] - M[1, 1]]
        return _nearly_zero(self, M, [M[0, 3], M[1, 3]], {0.5: [M[0, 2], M[1, 2]], 1.0: oval})


@dataclass(frozen=True)
class MirrorPlane(Tolerances, Known):
    """The centre of mass is in the plane, whose normal is a principal axis.

    Attributes:
        point: In the plane, three numbers [m].
        normal: Of the plane, three numbers of any length.
    """

    point: tuple[float, float, float]
    normal: tuple[float, float, float]

    kind = "mirror_plane"

    def constraints(self, phi: Any) -> list[Any]:
        """Return constraints on phi; see `Known`."""
        M = _moments(phi, self.point, direction("normal", self.normal))
        return _nearly_zero(self, M, [M[2, 3]], {0.5: [M[0, 2], M[1, 2]]})


def _moments(phi: Any, point: tuple[float, ...], axis: Array) -> Any:
    """Return <f g> of u, v, the axis and 1 in this order, an expression of shape (4, 4)."""
    units = np.vstack([null_space(axis[None]).T, axis])
    functions = np.vstack([np.column_stack([units, -units @ point]), np.eye(4)[3]])
    return functions @ pseudo_inertia_of(phi) @ functions.T


def _nearly_zero(
    known: Tolerances, M: Any, first: list[Any], second: dict[float, list[Any]]
) -> list[Any]:
    """Return that moments are zero within the tolerances, and that no mass is farther than D.

    Args:
        known: The tolerances.
        M: As `_moments` returns it.
        first: Moments of first order.
        second: Moments of second order, by the largest |f g| of their functions in D^2.
    """
    rest, D = known.asymmetric_mass, known.extent or 0.0
    if known.extent == 0.0:
        raise InputError("extent must be a length above 0 m; found 0.")
    if (known.offset or known.tilt or rest) and not D:
        raise InputError(
            "a symmetry with tolerances needs 'extent', the largest distance of any of the "
            "payload's mass from 'point' [m]."
        )
    m, r = M[3, 3], known.offset + known.tilt * (D + known.offset)
    found = [within(first, r * m + rest * D, r + rest)]
    for part, moments in second.items():
        bound = r * (2.0 * D + r) * m + part * rest * D * D
        found.append(within(moments, bound, r + rest))
    return found + ([M[0, 0] + M[1, 1] + M[2, 2] <= D * D * m] if D else [])
