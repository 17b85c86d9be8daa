r"""Grasp kinematics of a pair of robots in closed form [ZLEFL, Sec. III-B].

On one rigid body V_i = [Ad_Tij] V_j, which is

    omega_i = R_ij omega_j,    R_ij v_j = v_i + omega_i x p_ij,

so that the rotation follows from angular velocities alone, and then the position is linear.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array


@dataclass(frozen=True)
class Kabsch:
    """The rotation that takes one set of vectors to another best.

    Attributes:
        rotation: R with a = R b, det R = 1, shape (3, 3).
        values: Singular values of sum a b', descending, shape (3,).
        mirrored: Whether an improper one (det = -1) fits better: one frame is left-handed.
        residual: Root mean square of a - R b.
        mirror_residual: The same with the best improper one.
    """

    rotation: Array
    values: Array
    mirrored: bool
    residual: float
    mirror_residual: float


def kabsch_umeyama(a: Array, b: Array, weight: Array | None = None) -> Kabsch:
    """Return the rotation R that minimises sum weight |a - R b|^2 [ZLEFL, eq. 3-5; Umeyama1991].

    Args:
        a: Vectors, shape (n, 3).
        b: The same vectors in the other frame, shape (n, 3).
        weight: Shape (n,); ones if not given.
    """
    w = np.ones(len(a)) if weight is None else weight
    U, values, Vt = np.linalg.svd((a * w[:, None]).T @ b)
    sign = 1.0 if np.linalg.det(U @ Vt) > 0 else -1.0
    proper = (U * [1.0, 1.0, sign]) @ Vt
    improper = (U * [1.0, 1.0, -sign]) @ Vt
    total = max(float(w.sum()), 1e-300)

    def rms(R: Array) -> float:
        return float(np.sqrt(w @ ((a - b @ R.T) ** 2).sum(axis=1) / total))

    return Kabsch(proper, values, sign < 0, rms(proper), rms(improper))


def grasp_position(
    omega: Array, v: Array, v_other: Array, rotation: Array, weight: Array | None = None
) -> Array:
    """Return p_ij that minimises sum weight |v_i + omega_i x p - R_ij v_j|^2 [ZLEFL, eq. 6-8].

    Args:
        omega: omega_i, shape (n, 3) [rad/s].
        v: v_i, shape (n, 3) [m/s].
        v_other: v_j in {j}, shape (n, 3) [m/s].
        rotation: R_ij, shape (3, 3).
        weight: Shape (n,); ones if not given.
    """
    w = np.ones(len(omega)) if weight is None else weight
    left = v_other @ rotation.T - v  # = omega x p
    # sum [omega]'[omega] p = sum [omega]' left, with [omega]' x = -omega x x
    square = np.einsum("n,ni,ni->", w, omega, omega) * np.eye(3)
    square -= np.einsum("n,ni,nj->ij", w, omega, omega)
    right = -(w @ np.cross(omega, left))
    return np.asarray(np.linalg.lstsq(square, right, rcond=1e-12)[0])
