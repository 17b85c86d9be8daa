r"""Grasp kinematics of a pair of robots in closed form [ZLEFL, Sec. III-B].

On one rigid body V_i = [Ad_Tij] V_j, which is

    omega_i = R_ij omega_j,    R_ij v_j = v_i + omega_i x p_ij,

so that the rotation follows from angular velocities alone, and then the position is linear.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array


def kabsch_umeyama(a: Array, b: Array) -> tuple[Array, float]:
    """Return R that minimises sum |a - R b|^2 [ZLEFL, eq. 3-5; Umeyama1991], and what it leaves.

    Args:
        a: Vectors, shape (n, 3).
        b: The same vectors in the other frame, shape (n, 3).

    Returns:
        rotation: det R = 1, shape (3, 3).
        residual: Root mean square of a - R b.
    """
    U, _, Vt = np.linalg.svd(a.T @ b)
    R = (U * [1.0, 1.0, np.sign(np.linalg.det(U @ Vt))]) @ Vt
    return R, float(np.sqrt(((a - b @ R.T) ** 2).sum() / max(len(a), 1)))


def grasp_position(omega: Array, v: Array, v_other: Array, rotation: Array) -> Array:
    """Return p_ij that minimises sum |v_i + omega_i x p - R_ij v_j|^2 [ZLEFL, eq. 6-8].

    Args:
        omega: omega_i, shape (n, 3) [rad/s].
        v: v_i, shape (n, 3) [m/s].
        v_other: v_j in {j}, shape (n, 3) [m/s].
        rotation: R_ij, shape (3, 3).
    """
    left = v_other @ rotation.T - v  # = omega x p
    # sum [omega]'[omega] p = sum [omega]' left, with [omega]' x = -omega x x
    square = (omega**2).sum() * np.eye(3) - omega.T @ omega
    right = -np.cross(omega, left).sum(axis=0)
    return np.asarray(np.linalg.lstsq(square, right, rcond=1e-12)[0])
