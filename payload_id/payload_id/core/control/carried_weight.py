"""The torques with which joints carry a payload's weight: a feed-forward that never jumps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arm.arm_model import ArmModel
from ..arm.kinetics import body_motion, force_integral
from ..arrays import Array

LARGEST_STEP = 0.02  # of a joint's largest torque, per sample: 0.2 s to all of it at 250 Hz


def weight_torque(model: ArmModel, q: Array, phi: Array) -> Array:
    """Return the torques that hold a payload at rest, shape (n,) [N m or N].

    Args:
        model: The arm.
        q: Joint positions, shape (n,) [rad or m].
        phi: The payload's inertial parameters, shape (10,).
    """
    motion = body_motion(model, q[None], np.zeros((1, model.n)))
    return np.asarray(-force_integral(motion, np.ones(1))[-1] @ phi)


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

    def at(self, q: Array, phi: Array) -> Array:
        """Return the torques for the newest positions, shape (n,); see `weight_torque`."""
        step = LARGEST_STEP * self.largest
        wanted = weight_torque(self.model, q, phi)
        self.torque = self.torque + np.clip(wanted - self.torque, -step, step)
        return np.asarray(self.torque)
