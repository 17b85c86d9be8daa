"""The constant errors that an uncertainty states."""

from __future__ import annotations

from ...arm.arm_model import ArmModel
from .constant_errors.base_tilt import BaseTilt
from .constant_errors.constant_error import ConstantError
from .constant_errors.joint_zero import JointZero
from .constant_errors.torque_delay import TorqueDelay
from .nuisance import largest_gain
from .uncertainty import Uncertainty


def constant_errors(model: ArmModel, stated: Uncertainty) -> tuple[ConstantError, ...]:
    """Return those that are stated, in the order of their columns."""
    n, zero = model.n, stated.per_joint("joint_zero", model.n)
    every: tuple[ConstantError, ...] = (
        BaseTilt(stated.gravity_error, zero + stated.per_joint("position_error", n)),
        JointZero(zero, model.joints),
        TorqueDelay(
            size=stated.per_joint("torque_delay", n),
            gain=largest_gain(stated.per_joint("torque_gain", n)) - 1.0,
            friction=stated.per_joint("friction_coulomb", n),
            slow=stated.stiction_velocity + stated.per_joint("velocity_error", n),
            joints=model.joints,
        ),
    )
    return tuple(error for error in every if error.names)
