r"""The torque regressor in the middle of many slices, and its derivatives, exactly.

In the frame of body l, with J_k the axis of joint k as a spatial vector (linear, angular) about the
body's origin, V velocity, A acceleration less gravity, x the spatial cross product and sums over
the joints that carry the body, base to tip:

    dJ_j/dq_k = J_j x J_k for j < k, else 0,
    V = sum J_k dq_k,    Y_k = dV/dq_k = (sum_{j<k} J_j dq_j) x J_k,
    A = sum (J_k ddq_k + Y_k dq_k) - g,
    dA/dq_k = A_{<k} x J_k + Y_k x V_{>=k},   dA/d(dq_k) = Y_k + J_k x V_{>k},   dA/d(ddq_k) = J_k,

A_{<k}, V_{>=k}, V_{>k} the parts of these sums over such joints, gravity in A_{<k}. The torque of
joint j due to the body is J_j' K F phi, F = (a, alpha, omega omega') the features of the
Newton-Euler equations (rows/wrench/newton_euler.py), a = A_linear + omega x v.

With the reference velocity dq_a beside dq, in M ddq_a + C(q, dq) dq_a + g with the Christoffel
symbols for C, every product of two velocities is the symmetric one of dq and dq_a, so that where
they are equal the derivative with respect to either is half of that with respect to both. Pinocchio
has regressors and derivatives of torques, state by state, but no derivatives of regressors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arm.arm_model import ArmModel
from ...arm.kinetics import body_motion, cross
from ...arrays import Array
from ...rows.wrench.feature_error import COLUMN, ROW
from ...rows.wrench.newton_euler import FEATURES_TO_REGRESSOR

# Y(F) as a (12, 60) matrix: F @ _K is Y of shape (6, 10), flattened; torque rows are forces last.
_K = np.ascontiguousarray(FEATURES_TO_REGRESSOR.transpose(2, 0, 1).reshape(12, 60))


@dataclass(frozen=True, eq=False)
class BodyTerms:
    """Regressors of B = n + 1 bodies (the payload last) and n joints at K states.

    Directions are the n positions, the n velocities (dq and dq_a together) and the n
    accelerations, D = 3 n.

    Attributes:
        axis: J_k in the frame of each body, 0 where joint k does not carry it, (K, B, n, 6).
        value: W, shape (K, B, n, 10): torque of joint j due to body l is value[:, l, j] @ phi_l.
        slope: Derivatives of W, shape (K, B, n, D, 10).
    """

    axis: Array
    value: Array
    slope: Array


def base_to_tip(model: ArmModel) -> list[int]:
    """Return the joints in an order in which every joint comes after those that carry it."""
    depth = model.supports()[:-1].sum(axis=1)
    return [int(j) for j in np.argsort(depth, kind="stable")]


def motion_cross(a: Array, b: Array) -> Array:
    """Return the spatial cross product a x b of motion vectors (linear, angular)."""
    linear = cross(a[..., 3:], b[..., :3]) + cross(a[..., :3], b[..., 3:])
    return np.concatenate([linear, cross(a[..., 3:], b[..., 3:])], axis=-1)


def body_terms(model: ArmModel, order: list[int], q: Array, dq: Array, ddq: Array) -> BodyTerms:
    """Return the regressors and their derivatives.

    Args:
        model: The arm.
        order: `base_to_tip(model)`; joints of the result, and of q, dq and ddq, are in this order.
        q: Positions, shape (K, n) [rad or m].
        dq: Velocities, shape (K, n).
        ddq: Accelerations, shape (K, n).
    """
    back = np.argsort(order)
    motion = body_motion(model, q[:, back], np.zeros_like(q))
    J = motion.axis[:, :, order]
    v, a = dq[:, None, :, None], ddq[:, None, :, None]
    moving = J * v
    V_to = np.cumsum(moving, axis=2)  # up to and with joint k
    V = V_to[:, :, -1:]
    Y = motion_cross(V_to - moving, J)
    rate = J * a + Y * v
    A_to = np.cumsum(rate, axis=2)
    A_to[..., :3] -= motion.gravity[:, :, None]
    A = A_to[:, :, -1:]
    dA = np.concatenate(
        [
            motion_cross(A_to - rate, J) + motion_cross(Y, V - V_to + moving),
            Y + motion_cross(J, V - V_to),
            J,
        ],
        axis=2,
    )
    dV = np.concatenate([Y, J, np.zeros_like(J)], axis=2)
    value_features = _features(A, V)
    Y0 = (value_features @ _K).reshape(*value_features.shape[:2], 6, 10)
    slope_features = _feature_slopes(dA, V, dV)
    return BodyTerms(J, J @ Y0, _slopes(J, Y0, slope_features))


def _features(A: Array, V: Array) -> Array:
    """Return F, shape (K, B, 12), of A and V, shape (K, B, 1, 6)."""
    v, w = V[..., 0, :3], V[..., 0, 3:]
    linear = A[..., 0, :3] + cross(w, v)
    return np.concatenate([linear, A[..., 0, 3:], w[..., ROW] * w[..., COLUMN]], axis=-1)


def _feature_slopes(dA: Array, V: Array, dV: Array) -> Array:
    """Return dF, shape (K, B, D, 12)."""
    v, w, dv, dw = V[..., :3], V[..., 3:], dV[..., :3], dV[..., 3:]
    linear = dA[..., :3] + cross(dw, v) + cross(w, dv)
    product = dw[..., ROW] * w[..., COLUMN] + w[..., ROW] * dw[..., COLUMN]
    return np.concatenate([linear, dA[..., 3:], product], axis=-1)


def _slopes(J: Array, Y0: Array, dF: Array) -> Array:
    """Return J_j' dY_k + (dJ_j/dq_k)' Y0, shape (K, B, n, D, 10)."""
    K, B, n, _ = J.shape
    D = dF.shape[2]
    dY = (dF @ _K).reshape(K, B, D, 6, 10).transpose(0, 1, 3, 2, 4).reshape(K, B, 6, D * 10)
    slope = (J @ dY).reshape(K, B, n, D, 10)
    first, second = np.triu_indices(n, 1)  # j < k
    turned = motion_cross(J[:, :, first], J[:, :, second])
    slope[:, :, first, second] += turned @ Y0
    return slope


@dataclass(frozen=True, eq=False)
class InertiaSlopes:
    """dM_jk/dq_m at K states, joints base to tip.

    Attributes:
        middle: For theta_0, shape (K, n, n, n).
        half: Largest change of any theta in the box, shape (K, n, n, n).
    """

    middle: Array
    half: Array

    @property
    def christoffel(self) -> InertiaSlopes:
        """C_jkl = (dM_jk/dq_l + dM_jl/dq_k - dM_kl/dq_j) / 2, and a bound on its change."""
        A, a = self.middle, self.half
        swap, turn = (0, 1, 3, 2), (0, 3, 1, 2)  # entry (j, k, l) of the result is (k, l, j) of A
        return InertiaSlopes(
            (A + A.transpose(swap) - A.transpose(turn)) / 2,
            (a + a.transpose(swap) + a.transpose(turn)) / 2,
        )


def inertia_slopes(axis: Array, middle: Array, half: Array) -> InertiaSlopes:
    """Return the derivatives of the mass matrix M_jk = sum_l J_j' I_l J_k.

    Args:
        axis: Axes in the frames of the bodies, shape (K, B, n, 6).
        middle: theta_0 of the bodies, shape (B, 10).
        half: Half-widths, shape (B, 10).
    """
    K, B, n, _ = axis.shape
    columns = (axis @ _K[:6]).reshape(K, B, n, 6, 10).transpose(0, 1, 3, 2, 4)
    first, last = np.triu_indices(n, 1)  # j < m
    turned = motion_cross(axis[:, :, first], axis[:, :, last])  # dJ_j/dq_m
    parts = (turned @ columns.reshape(K, B, 6, n * 10)).reshape(K, B, len(first), n, 10)
    found = []
    for weight, part in ((middle, parts), (half, np.abs(parts))):
        moved = np.zeros((K, n, n, n))  # (dJ_j/dq_m)' I J_k as entry (j, k, m)
        sums = np.einsum("kbpnx,bx->kpn", part, weight, optimize=True)
        moved[:, first, :, last] = sums.transpose(1, 0, 2)
        found.append(moved + moved.transpose(0, 2, 1, 3))
    return InertiaSlopes(*found)


def inertia_spread(axis: Array, half: Array) -> Array:
    """Return the largest change of M_jk over the box, shape (K, n, n); see `inertia_slopes`."""
    K, B, n, _ = axis.shape
    columns = (axis @ _K[:6]).reshape(K, B, n, 6, 10).transpose(0, 1, 3, 2, 4)
    parts = (axis @ columns.reshape(K, B, 6, n * 10)).reshape(K, B, n, n, 10)
    return np.asarray(np.einsum("kbjmx,bx->kjm", np.abs(parts), half, optimize=True))
