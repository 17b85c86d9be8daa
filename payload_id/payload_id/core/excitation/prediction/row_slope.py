"""How a number that depends on a candidate's rows changes with its motion.

With G = d f / d (a row's coefficients), f changes with a state as the torque of an arm whose bodies
have the parameters G does (`torque_slope`). What a row's bound and gain column owe to the torque is
one more such term, with the parameters of the arm itself.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ...motion.trajectory import Motion
from ...rows.joint_torque.nuisance import largest_gain
from .candidate_rows import CandidateRows, RowPredictor, slow_speed, unknown_direction
from .dynamics import arm_torque, kinematics, payload_regressor
from .torque_slope import TorqueSlope


def motion_slope(
    predictor: RowPredictor, slope: TorqueSlope, motion: Motion, by: CandidateRows
) -> Array:
    """Return the derivatives of f by q, dq, ddq at each instant, shape (N, 3, n).

    Args:
        predictor: Made the rows with one point a window.
        slope: Of the same arm.
        motion: The motion of one candidate at these N instants.
        by: Derivatives of f by the rows' A, B and d, one candidate.
    """
    n, N = predictor.model.n, len(motion.time)
    A, B, d = (predictor.window * part[0].reshape(N, n, -1) for part in (by.A, by.B, by.d))
    payload = A.copy()
    links, torque, direct = np.zeros((N, n, n, 10)), np.zeros((N, n)), np.zeros((N, 3, n))
    if B.shape[-1]:
        nuisance, unsure = predictor.row_source.nuisance, predictor.row_source.uncertainty
        tool = np.flatnonzero(unsure.tool)
        payload[..., tool] += (
            B[..., nuisance.p : nuisance.p + len(tool)] * np.asarray(unsure.tool)[tool]
        )
        every = np.zeros((N, n, 15 * n))
        half = nuisance.half_width[nuisance.uncertain]
        every[..., nuisance.uncertain] = B[..., : nuisance.p] * half
        links = every[..., : 10 * n].reshape(N, n, n, 10)
        groups = every[..., 10 * n :].reshape(N, n, 5, n)[:, range(n), :, range(n)]  # (n, N, 5)
        sign, viscous, rotor, _, gain = np.moveaxis(groups, 0, 1).transpose(2, 0, 1)
        slow = slow_speed(unsure)
        direct[:, 1] = viscous + np.where(np.abs(motion.dq) < slow, sign / slow, 0.0)
        direct[:, 2] = rotor
        torque = torque - gain
    if d.any():
        state = kinematics(predictor.model, motion.q, motion.dq, motion.ddq)
        now = arm_torque(state, predictor.model.link_phi)
        now = now + payload_regressor(state) @ predictor.payload
        unsure = predictor.row_source.uncertainty
        relative = unsure.per_joint("torque_relative", n)
        relative = relative * largest_gain(unsure.per_joint("torque_gain", n))
        torque = torque + d[..., 0] * relative * np.sign(now)
        unknown = unknown_direction(unsure, motion.dq) > 0.0
        fall = unsure.per_joint("friction_coulomb", n) / (2.0 * slow_speed(unsure))
        direct[:, 1] -= d[..., 0] * np.where(unknown, fall * np.sign(motion.dq), 0.0)
    arm = np.vstack([predictor.model.link_phi, predictor.payload])
    bodies = np.concatenate([links, payload[:, :, None]], axis=2) + torque[..., None, None] * arm
    at, joint = (part.ravel() for part in np.indices((N, n)))
    found = slope(motion, at, joint, bodies.reshape(N * n, n + 1, 10))
    return np.asarray(found.reshape(N, n, 3, n).sum(axis=1) + direct)
