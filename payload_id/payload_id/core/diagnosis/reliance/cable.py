"""Nothing pulls at the payload: no cable, hose or contact that is constant."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .assumption import Error
from .ground import Ground
from .pull import pulls


class Cable:
    """A constant force at the origin of the payload frame, along each axis of the base.

    It acts as gravity of 1 m/s2 does on 1 kg there.
    """

    name = "no cable, hose or contact that pulls"
    unit = "N"
    largest = 1000.0

    def errors(self, ground: Ground) -> Iterator[Error]:
        """See the protocol."""
        point = np.eye(10)[0]
        for axis, direction in zip("xyz", np.eye(3), strict=True):
            own = [pulls(ground.source.model, w, direction)[-1] @ point for w in ground.windows]
            where = f"{axis} of the base at {ground.source.model.payload_frame}"
            column = ground.column(np.concatenate(own))
            yield Error(f"along {where}", f"against {where}", column)
