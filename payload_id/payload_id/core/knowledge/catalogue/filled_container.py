r"""A container of known mass and inertia holds contents that are not known.

phi = phi_empty + phi_contents. Whatever is in the cavity, and however it lies, its density is
between 0 and rho_max, so that (as for `made_of`) with Phi the cavity's homogeneous solid

    J(phi_contents) >= 0,   J(rho_max Phi - phi_contents) >= 0,   and the cavity's rows for both.

That is everything from empty to full. Where a liquid has settled its level is known for each
amount; that set is not convex, and lies inside this one. Tolerances of the empty container are
auxiliary variables. Contents need not be a liquid: any unknown thing in a known region on a known
carrier will do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...body.inertial import from_mass_com_inertia
from ..statement import Statement
from .known import amount, vector
from .parts import Part, part_inside
from .region import Region, region_of


@dataclass(frozen=True)
class FilledContainer:
    """An empty container plus anything inside its cavity up to some density.

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

    def statement(self, name: str) -> Statement:
        """Return it as constraints on phi; see the protocol."""
        high = amount(name, "density_max", self.density_max, "kg/m3")
        cavity = region_of(name, "cavity", self.cavity)
        outer = cavity.grown(amount(name, "size_tolerance", self.size_tolerance, "m"))
        empty, reach = self._empty(name)
        loose = np.flatnonzero(reach)
        S = np.eye(10)[:, loose]  # phi_empty = empty + S z
        contents = part_inside(outer, Part(np.eye(10), -empty, -S))
        room = part_inside(outer, Part(-np.eye(10), high * outer.homogeneous() + empty, S))
        return Statement.of_parts(
            name,
            nonnegative=(contents.rows, room.rows),
            semidefinite=(contents.matrices, room.matrices),
            reach=reach[loose],
        )

    def _empty(self, name: str) -> tuple[Array, Array]:
        """Return phi of the empty container, and by how much each element may be off, (10,)."""
        m, dm = amount(name, "mass", self.mass), amount(name, "mass_tolerance", self.mass_tolerance)
        c, I = vector(name, "centre", self.centre), vector(name, "inertia", self.inertia, 6)
        dc = amount(name, "centre_tolerance", self.centre_tolerance)
        dI = amount(name, "inertia_tolerance", self.inertia_tolerance)
        inertia = np.zeros((3, 3))
        inertia[np.triu_indices(3)] = I
        inertia += np.triu(inertia, 1).T
        far = np.abs(c) + dc
        # m c and m c_i c_j as functions of m and c, each at most by this much off
        first = dm * far + m * dc
        second = dm * np.outer(far, far) + m * (np.outer(far, far) - np.outer(np.abs(c), np.abs(c)))
        about_origin = np.trace(second) * np.eye(3) - np.diag(np.diag(second))
        about_origin += second - np.diag(np.diag(second))
        reach = np.concatenate([[dm], first, dI + about_origin[np.triu_indices(3)]])
        return from_mass_com_inertia(m, c, inertia), reach
