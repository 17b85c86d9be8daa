"""A cable, a hose or a constant contact pulls at the payload."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..hypothesis import Error, Hypothesis
from ..identified_mass import IdentifiedMass


class Cable(Hypothesis):
    """A constant force at the origin of the payload frame, along each axis of the base.

    It acts as gravity of 1 m/s2 does on 1 kg there.
    """

    name = "cable"
    assumption = "no cable, hose or contact that pulls"

    def errors(self, found: IdentifiedMass) -> Iterator[Error]:
        """See the base class."""
        bodies = np.zeros((found.source.model.n + 1, 10))
        bodies[-1, 0] = 1.0
        for axis, direction in zip("xyz", np.eye(3), strict=True):
            where = f"{axis} of the base at {found.source.model.payload_frame}"
            column = found.column_of_gravity(direction, bodies)
            yield Error(f"along {where}", f"against {where}", column, "N")
