"""The torque sensors show torques true to scale, beyond what is stated of their gains."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .assumption import Error
from .ground import Ground


class TorqueGain:
    """The true torque is a reading times 1 + s: of all joints alike, or of one."""

    name = "torque gains as stated"
    unit = "%"
    largest = 50.0

    def errors(self, ground: Ground) -> Iterator[Error]:
        """See the protocol."""
        rows, joints = ground.rows, ground.source.model.joints
        reading = -0.01 * rows.reading[ground.tare :]
        if not reading.any():
            return
        common = "torque than shown, at all joints"
        yield Error(f"more {common}", f"less {common}", ground.column(reading))
        for j, name in enumerate(joints):
            own = np.where(rows.joint[ground.tare :] == j, reading, 0.0)
            where = f"torque than shown at {name}"
            yield Error(f"more {where}", f"less {where}", ground.column(own))
