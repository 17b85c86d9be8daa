"""Torque constants of joints that report currents, fitted to a run without payload.

The current of a joint is the torque that the description's arm needs, over the constant K, and
friction and an offset of its own [A]:

    i = tau / K + f_c sign(dq) + f_v dq + i_0.
"""

from __future__ import annotations

import numpy as np

from ...core.arm.arm_model import ArmModel
from ...core.arrays import Array
from ...core.motion.limits import inverse_dynamics
from ...core.motion.trajectory import Motion
from ...core.samples.differentiation import velocities
from ...core.samples.joint_samples import Samples

# Errors that are stated, as fractions [-]: of a constant that a run tells (links may be off, and
# friction may grow with the load), and of one that is taken over from another joint.
FITTED, TAKEN_OVER = 0.2, 0.5


def fitted_constants(model: ArmModel, samples: Samples) -> tuple[Array, Array]:
    """Return what an ampere makes at each joint, and how far that may be off.

    A joint that the run does not tell, such as one with a vertical axis, is taken for one like the
    next further out, the last for one like that before it; friction tells its sign.

    Args:
        model: The arm.
        samples: Of a bare run, with currents for torques [A].

    Returns:
        constants: Below zero where currents count against the joint, shape (n,) [N m/A]; NaN where
            the run tells none.
        errors: As fractions, shape (n,) [-].
    """
    ddq = np.nan_to_num(velocities(samples.stamp, samples.dq))
    motion = Motion(samples.stamp, samples.q, samples.dq, ddq)
    torque = inverse_dynamics(model, motion, np.zeros(10))
    each = [_fitted(*rows) for rows in zip(torque.T, samples.dq.T, samples.tau.T, strict=True)]
    size, sign = (np.array(x) for x in zip(*each, strict=True))
    errors = np.where(np.isnan(size), TAKEN_OVER, FITTED)
    for j in range(model.n - 2, -1, -1):
        size[j] = size[j + 1] if np.isnan(size[j]) else size[j]
    for j in range(1, model.n):
        size[j] = size[j - 1] if np.isnan(size[j]) else size[j]
    return sign * size, errors


def _fitted(torque: Array, dq: Array, current: Array) -> tuple[float, float]:
    """Return the magnitude of one joint's K, NaN where the run does not tell it, and its sign."""
    columns = np.column_stack([torque, np.sign(dq), dq, np.ones(len(dq))])
    fit = np.linalg.lstsq(columns, current, rcond=None)[0]
    inverse, coulomb, viscous = fit[:3]
    noise = np.linalg.norm(current - columns @ fit) / np.sqrt(len(dq))
    deviation = noise * np.sqrt(np.linalg.pinv(columns.T @ columns)[0, 0])
    if deviation < FITTED * abs(inverse):
        return 1.0 / abs(inverse), np.copysign(1.0, inverse)
    return np.nan, np.copysign(1.0, coulomb + viscous * np.abs(dq).max())
