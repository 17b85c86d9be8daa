r"""Grasp kinematics of a pair of robots in closed form [ZLEFL, Sec. III-B].

On one rigid body V_i = [Ad_Tij] V_j, which is

    omega_i = R_ij omega_j,    R_ij v_j = v_i + omega_i x p_ij,

so that the rotation follows from angular velocities alone, and then the position is linear.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from .blocks import Blocks

CANDIDATES = 11  # clock offsets that are tried


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


@dataclass(frozen=True)
class PairFit:
    """Grasp frame of one robot in that of another, from blocks of twists.

    Attributes:
        rotation: R_ij, shape (3, 3).
        position: p_ij, shape (3,) [m].
        clock: Offset of j's clock beyond what was taken out of its blocks [s].
        correlation: Of the angular velocities, turned into one frame [-].
        kabsch: How the rotation was found.
    """

    rotation: Array
    position: Array
    clock: float
    correlation: float
    kabsch: Kabsch


def pair_fit(blocks: Blocks, i: int, j: int, clock: float, level: bool) -> PairFit | None:
    """Return the frame of robot j in that of robot i; None with fewer than three common blocks.

    Args:
        blocks: Means of pose and twist.
        i: Number of one robot.
        j: Number of the other.
        clock: Largest offset of j's clock that is looked for [s]; 0 for none.
        level: Whether the frames {i0}, {j0} are level, so that the vertical is a common vector.
    """
    both = blocks.present[i] & blocks.present[j]
    if np.count_nonzero(both) < 3:
        return None
    one, two, rate = blocks.twist[i][both], blocks.twist[j][both], blocks.rate[j][both]
    size = float(np.sqrt((one[:, :3] ** 2).sum(axis=1).mean()))
    up_i = size * blocks.rotation[i][both][:, 2] if level else np.zeros((0, 3))
    up_j = size * blocks.rotation[j][both][:, 2] if level else np.zeros((0, 3))
    found = []
    for late in np.linspace(-clock, clock, CANDIDATES) if clock else (0.0,):
        b = two[:, :3] + late * rate[:, :3]
        fit = kabsch_umeyama(np.vstack([one[:, :3], up_i]), np.vstack([b, up_j]))
        left = float(((one[:, :3] - b @ fit.rotation.T) ** 2).sum())
        found.append((left, late, fit))
    _, late, fit = min(found, key=lambda entry: entry[0])
    moved = two + late * rate
    turned = moved[:, :3] @ fit.rotation.T
    norms = float(np.linalg.norm(one[:, :3]) * np.linalg.norm(turned))
    correlation = float((one[:, :3] * turned).sum()) / norms if norms > 0 else 0.0
    position = grasp_position(one[:, :3], one[:, 3:], moved[:, 3:], fit.rotation)
    return PairFit(fit.rotation, position, float(late), correlation, fit)
