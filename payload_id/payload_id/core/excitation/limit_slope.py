"""How the parts of limits that one candidate takes change with its parameters.

The largest torque over a box at an instant is the torque of an arm whose bodies are at a corner of
the box; the corner stays the same for small changes, so that `torque_slope` gives the derivative.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..inertial import Array
from .dynamics import arm_torque, kinematics, regressor
from .limits import finite_middle
from .trajectory import Motion

if TYPE_CHECKING:
    from .screening import Task


def torque_slope(task: Task, motion: Motion, basis: Array) -> Array:
    """Return the derivatives of parts of torque limits, shape (N, n, P).

    Args:
        task: The task.
        motion: One candidate at N instants.
        basis: Derivatives of q, dq, ddq by the parameters, shape (3, P, N, n).
    """
    n, box = task.predictor.model.n, task.box
    at, joint = (part.ravel() for part in np.indices((len(motion.time), n)))
    state = kinematics(task.predictor.model, motion.q, motion.dq, motion.ddq)
    middle, half = box.bodies
    wide = [task.predictor.model.payload_joint, n]
    W = regressor(state, wide)
    rotor, rotor_half = box.interval("rotor_inertia")
    torque = arm_torque(state, middle[:-1]) + W[:, 1] @ middle[-1] + rotor * motion.ddq
    sign = np.sign(torque)[at, joint]
    bodies = sign[:, None, None] * middle
    bodies[:, wide] += np.sign(W[at, :, joint]) * half[wide]
    slope = task.torque_slope(motion, at, joint, bodies)
    which, dq, ddq = np.arange(len(at)), motion.dq[at, joint], motion.ddq[at, joint]
    slope[which, 1, joint] += box.viscous_upper[joint] * np.sign(dq)
    slope[which, 2, joint] += sign * rotor[joint] + rotor_half[joint] * np.sign(ddq)
    by_state = slope.reshape(len(motion.time), n, 3, n)
    found = np.einsum("Nkdj,dPNj->NkP", by_state, basis)
    return np.asarray(found / task.limits.torque[:, None])


def kinematic_slope(task: Task, motion: Motion, basis: Array) -> Array:
    """Return the derivatives of parts of kinematic limits, shape (3, n, P).

    Args:
        task: The task.
        motion: One candidate at N instants.
        basis: Derivatives of q, dq, ddq by the parameters, shape (3, P, N, n).
    """
    limits, joint = task.limits, np.arange(task.predictor.model.n)
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
