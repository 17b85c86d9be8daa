"""The torque sensors have no offsets beyond what is stated."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .assumption import Error
from .ground import Ground


class TorqueOffset:
    """A constant beside one joint's reading: a column of the rows' weights."""

    name = "torque offsets as stated"
    unit = "N m"
    largest = 100.0

    def errors(self, ground: Ground) -> Iterator[Error]:
        """See the protocol."""
        rows = ground.rows.take(np.arange(ground.tare, len(ground.rows)))
        for j, name in enumerate(ground.source.model.joints):
            own = np.where(rows.joint == j, rows.weight, 0.0)
            unit = "N m" if ground.source.model.axis_angular[j].any() else "N"
            yield Error(f"of offset at {name}", f"of offset at {name}", ground.column(own), unit)
