"""Which inertial parameters a link can have, as constraints of a conic program [WKS].

Links' parameters enter scaled by one mass and one length, x = phi / scale, so that one epsilon
serves links of all sizes.
"""

from __future__ import annotations

from enum import Enum

import numpy as np

from ..arrays import Array
from ..body.inertial import INERTIA_BASIS, PSEUDO_INERTIA_BASIS, pseudo_inertia, skew

EPSILON = 1e-6  # smallest eigenvalue of the scaled matrix that counts as consistent
LEAST_LENGTH = 0.01  # [m]


class Consistency(str, Enum):
    """What is required of every link's parameters; each contains the next one's set."""

    NONE = "unconstrained"
    SEMI = "semi-consistent"  # m > 0 and I > 0 about the centre of mass [WKS, Theorem 1]
    FULL = "consistent"  # J > 0 [WKS, Theorem 3]
    ELLIPSOID = "ellipsoid"  # ... and tr(J Q) >= 0 [WKS, Theorem 4]


def _spatial_inertia_basis() -> Array:
    """Return the ten 6x6 matrices of the spatial inertia [[I, [h]], [[h]', m 1]], (10, 6, 6)."""
    basis = np.zeros((10, 6, 6))
    basis[0, 3:, 3:] = np.eye(3)
    for axis in range(3):
        cross = skew(np.eye(3)[axis])
        basis[1 + axis, :3, 3:], basis[1 + axis, 3:, :3] = cross, cross.T
    basis[4:, :3, :3] = INERTIA_BASIS
    return basis


SPATIAL_INERTIA_BASIS = _spatial_inertia_basis()
_BASES = {
    Consistency.SEMI: SPATIAL_INERTIA_BASIS,
    Consistency.FULL: PSEUDO_INERTIA_BASIS,
    Consistency.ELLIPSOID: PSEUDO_INERTIA_BASIS,
}


def typical_scale(phi: Array) -> Array:
    """Return typical sizes of a link's parameters: powers of its mass and length, (10,)."""
    mass = abs(float(phi[0]))
    J = pseudo_inertia(phi)
    length = np.sqrt(max(float(np.trace(J[:3, :3])), 0.0) / mass) if mass > 0 else 0.0
    length = max(length, LEAST_LENGTH)
    return (mass or 1.0) * np.array([1.0] + [length] * 3 + [length**2] * 6)


def cone_rows(consistency: Consistency, scale: Array) -> tuple[Array, Array, int]:
    """Return G, g and the order k of {x: G x + g in the cone of k x k matrices}, x = phi / scale.

    Args:
        consistency: Not `NONE`.
        scale: As `typical_scale` gives it.
    """
    basis = _BASES[consistency]
    k = basis.shape[1]
    # A congruence by diag(1/length or 1) / sqrt(mass) makes the entries comparable.
    length = scale[1] / scale[0]
    spatial = [1.0 / length] * 3 + [1.0] * (k - 3)
    unit = np.array(spatial) / np.sqrt(scale[0])
    matrices = basis * scale[:, None, None] * np.outer(unit, unit)
    G = np.stack([triangle(matrix) for matrix in matrices], axis=1)
    return G, -EPSILON * triangle(np.eye(k)), k


def triangle(matrix: Array) -> Array:
    """Return a symmetric matrix as Clarabel has it: upper triangle by columns, scaled."""
    row, column = np.tril_indices(len(matrix))[::-1]
    return np.asarray(matrix[row, column] * np.where(row == column, 1.0, np.sqrt(2.0)))
