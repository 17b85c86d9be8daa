"""Torque constants of joints that report currents, fitted to a run without payload.

The current of a joint is the torque that the description's arm needs, over the constant K, and
friction and an offset of its own [A]:

    i = tau / K + f_c sign(dq) + f_v dq + i_0.
"""

from __future__ import annotations

import numpy as np

from ...core.arm.arm_model import ArmModel
from ...core.arrays import Array, BoolArray
from ...core.motion.limits import inverse_dynamics
from ...core.motion.trajectory import Motion
from ...core.samples.joint_samples import Samples

MOST = 2000  # samples that are enough
NEAR = 0.05  # [s] on either side, over which velocities change by the acceleration
TELLS = 5.0  # standard deviations that 1 / K is from zero, for a run to tell it within a fifth


def fitted_constants(model: ArmModel, samples: Samples) -> tuple[Array, Array, BoolArray]:
    """Return what an ampere makes at each joint, and which way it counts.

    A joint that the run does not tell, such as one with a vertical axis, is taken for one like the
    next further out, the last for one like that before it; friction tells its sign.

    Args:
        model: The arm.
        samples: Of a bare run, with currents for torques [A].

    Returns:
        constants: Shape (n,) [N m/A]; NaN where the run tells none.
        sign: Shape (n,).
        told: Whether the run tells them, shape (n,).
    """
    ends = samples.stamp[:, None] + [-NEAR, NEAR]
    change = [np.diff(np.interp(ends, samples.stamp, dq), axis=1)[:, 0] for dq in samples.dq.T]
    ddq = np.stack(change, axis=1) / (2 * NEAR)
    some = slice(None, None, max(len(samples) // MOST, 1))
    time, q, dq, tau = (x[some] for x in (samples.stamp, samples.q, samples.dq, samples.tau))
    torque = inverse_dynamics(model, Motion(time, q, dq, ddq[some]), np.zeros(10))
    slope, sign = np.full(model.n, np.nan), np.ones(model.n)
    for j in range(model.n):
        columns = np.column_stack([torque[:, j], np.sign(dq[:, j]), dq[:, j], np.ones(len(q))])
        current = tau[:, j]
        if len(current) <= 2 * columns.shape[1] or np.ptp(columns[:, 0]) == 0.0:
            continue
        fit = np.linalg.lstsq(columns, current, rcond=None)[0]
        noise = np.linalg.norm(current - columns @ fit) / np.sqrt(len(current))
        spread = noise * np.sqrt(np.linalg.pinv(columns.T @ columns)[0, 0])
        slope[j] = fit[0] if abs(fit[0]) > TELLS * spread else np.nan
        friction = fit[1] + fit[2] * np.abs(dq[:, j]).max()
        sign[j] = np.copysign(1.0, friction if np.isnan(slope[j]) else slope[j])
    constants, told = 1.0 / np.abs(slope), ~np.isnan(slope)
    for j, like in [(j, j + 1) for j in range(model.n - 2, -1, -1)] + [
        (j, j - 1) for j in range(1, model.n)
    ]:
        constants[j] = constants[like] if np.isnan(constants[j]) else constants[j]
    return constants, sign, told
