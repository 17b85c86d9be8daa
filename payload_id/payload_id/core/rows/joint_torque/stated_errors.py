"""The constant errors that an uncertainty states."""

from __future__ import annotations

import numpy as np

from ...arm.arm_model import ArmModel
from ...arrays import Array
from ...errors import InputError
from .constant_errors.base_tilt import BaseTilt
from .constant_errors.constant_error import ConstantError
from .constant_errors.friction_asymmetry import FrictionAsymmetry
from .constant_errors.friction_load import FrictionLoad
from .constant_errors.friction_stribeck import FrictionStribeck
from .constant_errors.joint_zero import JointZero
from .constant_errors.torque_delay import TorqueDelay
from .constant_errors.torque_ripple import TorqueRipple
from .torque_bound import largest_gain
from .uncertainty import Uncertainty


def constant_errors(model: ArmModel, stated: Uncertainty) -> tuple[ConstantError, ...]:
    """Return those that are stated, in the order of their columns."""
    n, joints = model.n, model.joints

    def each(name: str) -> Array:
        return stated.per_joint(name, n)

    position, speed = each("position_error"), each("velocity_error")
    largest = largest_gain(each("torque_gain"))
    slow = stated.stiction_velocity + speed
    dry = each("friction_coulomb") + each("friction_stribeck")
    load = each("friction_load")
    asymmetry = each("friction_coulomb_asymmetry") / 2, each("friction_viscous_asymmetry") / 2
    ripple, drift = each("torque_ripple"), each("torque_drift")
    every: tuple[ConstantError, ...] = (
        BaseTilt(stated.gravity_error, each("joint_zero") + position),
        JointZero(each("joint_zero"), joints),
        TorqueDelay(
            size=each("torque_delay"),
            gain=largest - 1.0,
            friction=dry,
            load=load / (1.0 - load),
            slow=slow,
            joints=joints,
        ),
        FrictionAsymmetry(*asymmetry, speed, joints),
        FrictionLoad(
            size=load,
            gain=largest - 1.0,
            friction=dry,
            viscous=each("friction_viscous") + asymmetry[1],
            rotor=each("rotor_inertia"),
            other=largest * each("torque_offset") + asymmetry[0] + ripple + largest * drift / 2,
            delay=each("torque_delay"),
            slow=slow,
            speed_error=speed,
            joints=joints,
        ),
        FrictionStribeck(
            size=each("friction_stribeck"),
            speed=_with(model, stated, "friction_stribeck", "stribeck_velocity"),
            slow=slow,
            speed_error=speed,
            joints=joints,
        ),
        TorqueRipple(ripple, wave_number(model, stated), position, joints),
    )
    return tuple(error for error in every if error.names)


def wave_number(model: ArmModel, stated: Uncertainty) -> Array:
    """Return the phase of each joint's ripple over its position, shape (n,) [rad/rad or rad/m].

    Raises:
        InputError: A joint has no cycles, or turns without limits through a part of a cycle.
    """
    cycles = _with(model, stated, "torque_ripple", "ripple_cycles")
    for j in np.flatnonzero(stated.per_joint("torque_ripple", model.n)):
        if model.continuous[j] and cycles[j] != round(cycles[j]):
            raise InputError(
                f"Uncertainty 'ripple_cycles' of {model.joints[j]} must be a whole number, since "
                f"its positions start anew after each turn; found {cycles[j]:g}. Leave its ripple "
                "to 'torque_absolute'."
            )
    turning = model.revolute
    return np.where(turning, cycles, 2.0 * np.pi * cycles)


def _with(model: ArmModel, stated: Uncertainty, size: str, scale: str) -> Array:
    """Return the scale of an error, shape (n,).

    Raises:
        InputError: A joint has the error without its scale.
    """
    found = stated.per_joint(scale, model.n)
    missing = (stated.per_joint(size, model.n) > 0.0) & (found == 0.0)
    if missing.any():
        joint = model.joints[int(np.argmax(missing))]
        raise InputError(
            f"Uncertainty '{size}' is stated for {joint} without '{scale}'. State both."
        )
    return found
