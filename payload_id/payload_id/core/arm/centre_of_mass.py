"""Where the centre of mass can be, and which way gravity pulls on it: for displays."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ..arrays import Array
from .arm_model import ArmModel
from .frames import frame_id


def com_interval(lower: Array, upper: Array) -> tuple[Array, Array] | None:
    """Return bounds on the centre of mass c = h / m for phi between `lower` and `upper`.

    Args:
        lower: Lower ends of the intervals of phi, shape (10,).
        upper: Upper ends, shape (10,).

    Returns:
        bounds: Lower and upper bounds of c, each of shape (3,) [m]; None where the mass may be
            zero or an interval has no end: then c can be anywhere.
    """
    if not (lower[0] > 0.0 and np.isfinite([lower[:4], upper[:4]]).all()):
        return None
    corners = np.outer([1.0 / lower[0], 1.0 / upper[0]], np.concatenate([lower[1:4], upper[1:4]]))
    ends = corners.reshape(4, 3)
    return ends.min(axis=0), ends.max(axis=0)


def gravity_in_payload_frame(model: ArmModel, q: Array) -> Array:
    """Return gravity in the axes of the payload frame at joint positions q, shape (3,) [m/s2]."""
    arm = model.pinocchio
    data = arm.createData()
    pin.forwardKinematics(arm, data, model.pinocchio_q(q))
    placement = pin.updateFramePlacement(arm, data, frame_id(arm, model.payload_frame))
    return np.asarray(placement.rotation.T @ model.gravity)
