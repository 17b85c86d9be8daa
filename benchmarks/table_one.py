"""Table I of [ZZV]: end effector (last link, gripper) and dumbbell of a Gen3 as one body."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from payload_id import Uncertainty
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.arrays import Array
from payload_id.core.safety.torque.parameter_box import ParameterBox

# About the frame of the last joint, in the order of phi.
LOWER = (1.2, -0.4, -0.4, -1.0, -0.2, -0.2, -0.2, -0.2, -0.2, -0.2)
UPPER = (5.2, 0.4, 0.4, -0.1, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2)


def table_one(
    model: ArmModel, uncertainty: Uncertainty, rotor_inertia: tuple[Array, Array] | None = None
) -> ParameterBox:
    """Return the box of a Gen3; the table counts the link, and the payload beyond is nothing."""
    none = np.zeros(10)
    box = ParameterBox.around(model, (none, none), uncertainty, rotor_inertia)
    lower, upper = box.links_lower.copy(), box.links_upper.copy()
    lower[model.payload_joint], upper[model.payload_joint] = LOWER, UPPER
    return replace(
        box, links_lower=lower, links_upper=upper, payload_lower=none, payload_upper=none
    )
