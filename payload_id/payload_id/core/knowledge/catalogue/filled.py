r"""A known region is filled with matter whose density lies between two bounds.

Where the density is between rho_min and rho_max everywhere in a region with homogeneous solid Phi
(of density 1), phi - rho_min Phi and rho_max Phi - phi are bodies, too, with no mass outside the
region:

    J(phi - rho_min Phi) >= 0,   J(rho_max Phi - phi) >= 0,   and the region's rows for both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Array
from ...body.inertial import from_mass_com_inertia, inertia_matrix
from ...errors import InputError
from .known import Known
from .region import Region


@dataclass(frozen=True)
class MadeOf(Known):
    """rho_min <= density <= rho_max inside a region, and nothing outside of it.

    With a tolerance of the region, rho_min fills the smaller one for certain, rho_max at most the
    larger.

    Attributes:
        region: What the payload fills; with density_min of 0 it need not fill it.
        density_max: Density of the heaviest material [kg/m3].
        density_min: Density of the lightest one [kg/m3]; 0 where the body may be hollow.
        size_tolerance: By how much each face of the region may be off, errors of its pose included
            [m].
    """

    region: Region
    density_max: float
    density_min: float = 0.0
    size_tolerance: float = 0.0

    kind = "made_of"

    def constraints(self, phi: Any) -> list[Any]:
        """Return constraints on phi; see `Known`."""
        low, high = self.density_min, self.density_max
        if high == 0.0:
            raise InputError("density_max must be above 0 kg/m3: nothing weighs nothing.")
        if not low <= high:
            raise InputError(
                f"density_min must not be above density_max; found {low:g} and {high:g} kg/m3."
            )
        outer = self.region.grown(self.size_tolerance)
        least = np.zeros(10)
        if low:
            least = low * self.region.grown(-self.size_tolerance).homogeneous()
        return outer.contains(phi - least) + outer.contains(high * outer.homogeneous() - phi)


@dataclass(frozen=True)
class FilledContainer(Known):
    """An empty container plus anything inside its cavity up to some density.

    phi = phi_empty + phi_contents: everything from empty to full. Where a liquid has settled its
    level is known for each amount; that set is not convex, and lies inside this one. Contents need
    not be a liquid: any unknown thing in a known region on a known carrier will do.

    Attributes:
        mass: Of the empty container [kg].
        centre: Its centre of mass, three numbers [m].
        inertia: About that, in the payload frame's axes: Ixx, Ixy, Ixz, Iyy, Iyz, Izz [kg m2].
        cavity: Where contents can be.
        density_max: Largest density of the contents [kg/m3].
        mass_tolerance: By how much `mass` may be off [kg].
        centre_tolerance: By how much each coordinate of `centre` may be off [m].
        inertia_tolerance: By how much each element of `inertia` may be off [kg m2].
        size_tolerance: By how much each face of the cavity may be farther out [m].
    """

    mass: float
    centre: tuple[float, float, float]
    inertia: tuple[float, float, float, float, float, float]
    cavity: Region
    density_max: float
    mass_tolerance: float = 0.0
    centre_tolerance: float = 0.0
    inertia_tolerance: float = 0.0
    size_tolerance: float = 0.0

    kind = "filled_container"

    def constraints(self, phi: Any) -> list[Any]:
        """Return constraints on phi; see `Known`."""
        import cvxpy

        outer = self.cavity.grown(self.size_tolerance)
        empty, reach = self._empty()
        contents = phi - empty
        if reach.any():
            off = np.diag(reach)[:, reach > 0.0]
            contents = contents - off @ cvxpy.Variable(off.shape[1], bounds=[-1.0, 1.0])
        full = self.density_max * outer.homogeneous()
        return outer.contains(contents) + outer.contains(full - contents)

    def _empty(self) -> tuple[Array, Array]:
        """Return phi of the empty container, and by how much each element may be off, (10,)."""
        m, dm, dc, c = self.mass, self.mass_tolerance, self.centre_tolerance, np.array(self.centre)
        far = np.abs(c) + dc
        # m c and m c_i c_j as functions of m and c, each at most by this much off
        first = dm * far + m * dc
        second = dm * np.outer(far, far) + m * (np.outer(far, far) - np.outer(np.abs(c), np.abs(c)))
        spread = np.diag(second)
        about_origin = np.where(np.eye(3), spread.sum() - spread, second)[np.triu_indices(3)]
        reach = np.concatenate([[dm], first, self.inertia_tolerance + about_origin])
        inertia = inertia_matrix(np.concatenate([np.zeros(4), self.inertia]))
        return from_mass_com_inertia(m, c, inertia), reach
