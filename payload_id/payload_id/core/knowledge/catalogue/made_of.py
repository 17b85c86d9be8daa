r"""The payload fills a known region with materials whose densities lie between two bounds.

Where the density is between rho_min and rho_max everywhere in a region with homogeneous solid Phi
(of density 1), phi - rho_min Phi and rho_max Phi - phi are bodies, too, with no mass outside the
region:

    J(phi - rho_min Phi) >= 0,   J(rho_max Phi - phi) >= 0,   and the region's rows for both.

With a tolerance of the region, rho_min fills the smaller one for certain, rho_max at most the
larger.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import InputError
from ..statement import Statement
from .known import amount
from .parts import Part, part_inside
from .region import Region, region_of


@dataclass(frozen=True)
class MadeOf:
    """rho_min <= density <= rho_max inside a region, and nothing outside of it.

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

    def statement(self, name: str) -> Statement:
        """Return it as constraints on phi; see the protocol."""
        low = amount(name, "density_min", self.density_min, "kg/m3")
        high = amount(name, "density_max", self.density_max, "kg/m3")
        tolerance = amount(name, "size_tolerance", self.size_tolerance, "m")
        if high == 0.0:
            raise InputError(
                f"'{name}': density_max must be above 0 kg/m3: nothing weighs nothing."
            )
        if not low <= high:
            raise InputError(
                f"'{name}': density_min must not be above density_max; found {low:g} and {high:g} "
                "kg/m3."
            )
        region = region_of(name, "region", self.region)
        outer = region.grown(tolerance)
        least = low * region.grown(-tolerance).homogeneous() if low else np.zeros(10)
        lower = part_inside(outer, Part(np.eye(10), -least))
        upper = part_inside(outer, Part(-np.eye(10), high * outer.homogeneous()))
        return Statement.of_parts(
            name,
            nonnegative=(lower.rows, upper.rows),
            semidefinite=(lower.matrices, upper.matrices),
        )
