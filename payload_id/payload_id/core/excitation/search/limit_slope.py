"""How the parts of limits that one candidate takes change with its parameters.

The largest torque over a box at an instant is the torque of an arm whose bodies are at a corner of
the box; the corner stays the same for small changes, so that `torque_slope` gives the derivative.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ...motion.limits import MotionLimits, finite_middle
from ...motion.trajectory import Motion
from ...safety.torque.parameter_box import ParameterBox
from ..prediction.dynamics import arm_torque, kinematics, regressor
from ..prediction.torque_slope import TorqueSlope


def torque_slope(
    slope: TorqueSlope, box: ParameterBox, limits: MotionLimits, motion: Motion, basis: Array
) -> Array:
    """Return the derivatives of parts of torque limits, shape (N, n, P).

    Args:
        slope: Differentiates torques of the arm.
        box: Bounds of payload, links and joints.
        limits: Of the motion.
        motion: One candidate at N instants.
        basis: Derivatives of q, dq, ddq by the parameters, shape (3, P, N, n).
    """
    model, n = slope.model, slope.model.n
    at, joint = (part.ravel() for part in np.indices((len(motion.time), n)))
    state = kinematics(model, motion.q, motion.dq, motion.ddq)
    middle, half = box.bodies
    wide = [model.payload_joint, n]
    W = regressor(state, wide)
    rotor, rotor_half = box.interval("rotor_inertia")
    torque = arm_torque(state, middle[:-1]) + W[:, 1] @ middle[-1] + rotor * motion.ddq
    sign = np.sign(torque)[at, joint]
    bodies = sign[:, None, None] * middle
    bodies[:, wide] += np.sign(W[at, :, joint]) * half[wide]
    by_state = slope(motion, at, joint, bodies)
    which, dq, ddq = np.arange(len(at)), motion.dq[at, joint], motion.ddq[at, joint]
    by_state[which, 1, joint] += box.viscous_upper[joint] * np.sign(dq)
    by_state[which, 2, joint] += sign * rotor[joint] + rotor_half[joint] * np.sign(ddq)
    by_state = by_state.reshape(len(motion.time), n, 3, n)
    found = np.einsum("Nkdj,dPNj->NkP", by_state, basis)
    return np.asarray(found / limits.torque[:, None])


def kinematic_slope(limits: MotionLimits, motion: Motion, basis: Array) -> Array:
    """Return the derivatives of parts of kinematic limits, shape (3, n, P).

    Args:
        limits: Of the motion.
        motion: One candidate at N instants.
        basis: Derivatives of q, dq, ddq by the parameters, shape (3, P, N, n).
    """
    joint = np.arange(motion.q.shape[-1])
    middle = finite_middle(limits.position_lower, limits.position_upper)
    parts = (
        ((motion.q - middle), limits.position_upper - middle),
        (motion.dq, limits.velocity),
        (motion.ddq, limits.acceleration),
    )
    found = []
    for whole, (value, limit) in zip(basis, parts, strict=True):
        worst = np.abs(value).argmax(axis=0)
        found.append((np.sign(value[worst, joint]) / limit * whole[:, worst, joint]).T)
    return np.array(found)
