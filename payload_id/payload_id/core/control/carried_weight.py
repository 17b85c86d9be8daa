"""The torques with which joints carry a payload's weight: a feed-forward that never jumps."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pinocchio as pin

from ..arm.arm_model import ArmModel
from ..arrays import Array

LARGEST_STEP = 0.02  # of a joint's largest torque, per sample: 0.2 s to all of it at 250 Hz


def weight_torque(model: ArmModel, q: Array, phi: Array, data: pin.Data | None = None) -> Array:
    """Return the torques that hold a payload at rest, shape (n,) [N m or N].

    Args:
        model: The arm.
        q: Joint positions, shape (n,) [rad or m].
        phi: The payload's inertial parameters, shape (10,).
        data: Where Pinocchio computes; making it takes most of the time.
    """
    arm = model.pinocchio
    data = data or arm.createData()
    frame = arm.getFrameId(model.payload_frame)
    pin.computeJointJacobians(arm, data, model.pinocchio_q(q))
    gravity = pin.updateFramePlacement(arm, data, frame).rotation.T @ model.gravity
    J = pin.getFrameJacobian(arm, data, frame, pin.LOCAL)
    torque = np.empty(model.n)
    wrench = np.concatenate([phi[0] * gravity, pin.skew(phi[1:4]) @ gravity])
    torque[list(model.order)] = -J.T @ wrench
    return torque


@dataclass
class CarriedWeight:
    """Follows the weight of what is in the hand, by limited steps.

    Attributes:
        model: The arm.
        largest: Torque limit of each joint, shape (n,) [N m or N]; infinite for none.
        torque: What was returned last, shape (n,).
    """

    model: ArmModel
    largest: Array
    torque: Array | float = 0.0
    _data: pin.Data = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Make room to compute in."""
        self._data = self.model.pinocchio.createData()

    def at(self, q: Array, phi: Array) -> Array:
        """Return the torques for the newest positions, shape (n,); see `weight_torque`."""
        step = LARGEST_STEP * self.largest
        wanted = weight_torque(self.model, q, phi, self._data)
        change = np.minimum(np.maximum(wanted - self.torque, -step), step)
        self.torque = self.torque + change
        return np.asarray(self.torque)
