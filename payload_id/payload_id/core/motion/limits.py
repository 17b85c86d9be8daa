"""Limits of a motion, and how much of them a motion takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin

from ..arm.arm_model import ArmModel
from ..arrays import Array
from ..body.inertial import TO_PINOCCHIO, change_of_frame
from ..errors import InputError
from .trajectory import Motion


@dataclass(frozen=True)
class MotionLimits:
    """What a motion may not exceed, for each of n joints.

    Attributes:
        position_lower: Shape (n,) [rad or m], -inf for none.
        position_upper: Shape (n,) [rad or m], inf for none.
        velocity: Shape (n,) [rad/s or m/s].
        acceleration: Shape (n,) [rad/s2 or m/s2].
        torque: Shape (n,) [N m or N].
    """

    position_lower: Array
    position_upper: Array
    velocity: Array
    acceleration: Array
    torque: Array

    def usage(self, motion: Motion) -> Array:
        """Return the largest part of each kinematic limit that motions take; above 1 breaks it.

        Args:
            motion: q, dq and ddq of shape (..., N, n).

        Returns:
            Position, velocity and acceleration of each joint, shape (..., 3, n).
        """
        middle = finite_middle(self.position_lower, self.position_upper)
        parts = (
            (motion.q - middle) / (self.position_upper - middle),
            motion.dq / self.velocity,
            motion.ddq / self.acceleration,
        )
        return np.stack([np.abs(part).max(axis=-2) for part in parts], axis=-2)

    def within(self, lower: Array, upper: Array) -> MotionLimits:
        """Return the limits with positions within bounds, too, shape (n,) each [rad or m]."""
        low, high = np.maximum(self.position_lower, lower), np.minimum(self.position_upper, upper)
        return replace(self, position_lower=low, position_upper=high)

    def shifted(self, lower: float | Array, upper: float | Array) -> MotionLimits:
        """Return the limits with ends of positions that are larger by so much [rad or m]."""
        low, high = self.position_lower + lower, self.position_upper + upper
        return replace(self, position_lower=low, position_upper=high)


def finite_middle(lower: Array, upper: Array) -> Array:
    """Return the middle of each range, zero where there is no limit."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isfinite(upper - lower), (lower + upper) / 2, 0.0)


def inverse_dynamics(model: ArmModel, motion: Motion, payload: Array) -> Array:
    """Return the torques that a motion needs with a payload, shape (N, n) [N m or N].

    Args:
        model: The arm.
        motion: The motion.
        payload: phi in the payload frame, shape (10,).
    """
    loaded = with_payload(model, payload)
    data = loaded.createData()
    order = np.asarray(model.order)
    torque = np.empty_like(motion.q)
    for i, (q, dq, ddq) in enumerate(zip(motion.q, motion.dq, motion.ddq, strict=True)):
        torque[i, order] = pin.rnea(loaded, data, model.pinocchio_q(q), dq[order], ddq[order])
    return torque


def with_payload(model: ArmModel, payload: Array) -> pin.Model:
    """Return the arm's Pinocchio model with a payload attached."""
    loaded = model.pinocchio.copy()
    joint = model.order.index(model.payload_joint) + 1
    moved = change_of_frame(model.payload_rotation, model.payload_translation) @ payload
    total = loaded.inertias[joint].toDynamicParameters() + moved[TO_PINOCCHIO]
    if total[0] > 0.0:  # of no mass Pinocchio makes no number
        loaded.inertias[joint] = pin.Inertia.FromDynamicParameters(total)
    return loaded


def largest_torque(model: ArmModel, motion: Motion, payloads: Sequence[Array]) -> Array:
    """Return the torque of largest magnitude over several payloads, shape (N, n)."""
    if not payloads:
        raise InputError("Name at least one payload to compute torques for.")
    torques = np.array([inverse_dynamics(model, motion, payload) for payload in payloads])
    return np.asarray(np.abs(torques).max(axis=0))
