r"""How large an external force or torque is at least, where a contact is certain.

From |lambda e| >= delta, e = int J'(q) f dt, f a force at a point p of the payload: about the
payload frame it has the torque p x f, so that with |p| <= R

    delta <= int |J_v lambda|' |f| + |J_w lambda| R |f| dt <= T max_t g(t) mean|f|,
    g = |J_v lambda| + R |J_w lambda|.

Between the samples, and with positions that are off by their error, g is larger by no more than its
slope allows: dJ_j/dq_k = J_j x J_k or 0 in the payload frame.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arm.kinetics import body_motion
from ..arrays import Array
from ..rows.joint_torque.kinematic_error import SECOND_ORDER
from ..rows.joint_torque.momentum import MomentumRows
from ..samples.joint_samples import Samples
from .certificate import ContactProof


def least_torque(proof: ContactProof, duration: float) -> float:
    """Return what the largest of all mean external torques is at least [N m or N]."""
    return proof.excess / (duration * float(np.abs(proof.multiplier).sum()))


def least_force(rows: MomentumRows, samples: Samples, proofs: Sequence[ContactProof]) -> float:
    """Return what the mean size of one force on the payload is at least [N]; 0 without a proof.

    Args:
        rows: Made the rows of the window.
        samples: Of the window.
        proofs: That there is something external.
    """
    if not proofs:
        return 0.0
    axis = body_motion(rows.model, samples.q, samples.dq).axis[:, -1]  # J, (N, n, 6)
    duration = float(samples.stamp[-1] - samples.stamp[0])
    return max(_least(rows, samples, axis, proof) for proof in proofs) / duration


def _least(rows: MomentumRows, samples: Samples, axis: Array, proof: ContactProof) -> float:
    """Return that of one proof, times the window's length [N s]."""
    reach, weight = rows.prior.com_max, proof.multiplier
    turned = np.einsum("tjk,j->tk", axis, weight)
    lever = np.linalg.norm(turned[:, :3], axis=1) + reach * np.linalg.norm(turned[:, 3:], axis=1)
    largest = float(np.max(lever)) + _between(rows, samples, axis, weight)
    return proof.excess / largest if largest > 0.0 else np.inf


def _between(rows: MomentumRows, samples: Samples, axis: Array, weight: Array) -> float:
    """Return by how much g may be larger than at the samples."""
    n, unsure = rows.model.n, rows.uncertainty
    off = unsure.per_joint("position_error", n) + unsure.per_joint("joint_zero", n)
    turning = np.array(rows.model.continuous)
    q = np.where(turning, np.unwrap(samples.q, axis=0), samples.q)
    off = off + np.abs(np.diff(q, axis=0)).max(axis=0) / 2
    linear = np.linalg.norm(axis[..., :3], axis=-1).max(axis=0)
    angular = np.linalg.norm(axis[..., 3:], axis=-1).max(axis=0)
    size = np.abs(weight)
    slope = (size @ angular) * linear + (size @ linear) * angular
    slope += rows.prior.com_max * (size @ angular) * angular
    return SECOND_ORDER * float(slope @ off)
