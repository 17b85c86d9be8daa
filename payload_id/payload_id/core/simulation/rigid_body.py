"""Torques that links and payload ask for along a motion: Pinocchio's recursive Newton-Euler."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ..arm.arm_model import ArmModel
from ..arrays import Array
from ..body.inertial import TO_PINOCCHIO, change_of_frame


def with_bodies(model: ArmModel, link_phi: Array, payload: Array) -> pin.Model:
    """Return the arm as a Pinocchio model with other links and a payload.

    Args:
        model: The arm.
        link_phi: Inertial parameters of its bodies, shape (n, 10).
        payload: Those of the payload about the payload frame, shape (10,).
    """
    other = model.pinocchio.copy()
    place = change_of_frame(model.payload_rotation, model.payload_translation)
    bodies = np.array(link_phi, dtype=float)
    bodies[model.payload_joint] += place @ payload
    for joint_id, index in enumerate(model.order, start=1):
        phi = bodies[index][TO_PINOCCHIO]
        other.inertias[joint_id] = pin.Inertia.FromDynamicParameters(phi)
    return other


def inverse_dynamics(model: ArmModel, bodies: pin.Model, q: Array, dq: Array, ddq: Array) -> Array:
    """Return joint torques along a motion, shape (N, n) [N m or N].

    Args:
        model: The arm, whose joints give the order of the columns.
        bodies: The same arm in Pinocchio's form, see `with_bodies`.
        q: Positions, shape (N, n) [rad or m].
        dq: Velocities, same shape.
        ddq: Accelerations, same shape.
    """
    order, data = list(model.order), bodies.createData()
    configurations = _configurations(model, q)
    velocities = np.ascontiguousarray(dq[:, order])
    accelerations = np.ascontiguousarray(ddq[:, order])
    tau = np.empty_like(velocities)
    for k, (row, v, a) in enumerate(zip(configurations, velocities, accelerations, strict=True)):
        tau[k] = pin.rnea(bodies, data, row, v, a)
    return tau[:, np.argsort(order)]


def _configurations(model: ArmModel, q: Array) -> Array:
    """Return Pinocchio's configuration vectors for positions q, shape (N, nq)."""
    out = np.empty((len(q), model.pinocchio.nq))
    for joint_id, index in enumerate(model.order, start=1):
        joint = model.pinocchio.joints[joint_id]
        if joint.nq == 2:
            out[:, joint.idx_q] = np.cos(q[:, index])
            out[:, joint.idx_q + 1] = np.sin(q[:, index])
        else:
            out[:, joint.idx_q] = q[:, index]
    return out
