r"""Inertial parameters of one rigid body, and the ways to write them.

The order is the same everywhere in this package:

    phi = [m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz],   h = m c,   I about the FRAME ORIGIN.

Pinocchio orders the inertia lower-triangular, `[Ixx, Ixy, Iyy, Ixz, Iyz, Izz]`; the permutation
below is the only place where that is known. Sources: [WKS] Sec. II-A, [Traversaro2016].
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, one_number, real_numbers
from ..conic import triangle
from ..errors import InputError

LARGEST = 1e9  # of any inertial parameter, in SI units
LEAST_MASS, LENGTHS = 1e-3, (0.02, 1.0)  # [kg], [m] of what is a body's typical size
PARAMETERS = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
UNITS = ("kg", "kg m", "kg m", "kg m") + ("kg m2",) * 6

# phi[TO_PINOCCHIO] is in Pinocchio's order; the permutation swaps Ixz and Iyy: its own inverse.
TO_PINOCCHIO = np.array([0, 1, 2, 3, 4, 5, 7, 6, 8, 9])
FROM_PINOCCHIO = TO_PINOCCHIO

# I = sum_k phi[4 + k] * INERTIA_BASIS[k]
INERTIA_BASIS = np.array(
    [
        [[1, 0, 0], [0, 0, 0], [0, 0, 0]],
        [[0, 1, 0], [1, 0, 0], [0, 0, 0]],
        [[0, 0, 1], [0, 0, 0], [1, 0, 0]],
        [[0, 0, 0], [0, 1, 0], [0, 0, 0]],
        [[0, 0, 0], [0, 0, 1], [0, 1, 0]],
        [[0, 0, 0], [0, 0, 0], [0, 0, 1]],
    ],
    dtype=float,
)


def _pseudo_inertia_basis() -> Array:
    """Return the ten 4x4 matrices E_k with J(phi) = sum_k phi_k E_k, shape (10, 4, 4)."""
    basis = np.zeros((10, 4, 4))
    basis[0, 3, 3] = 1.0
    for axis in range(3):
        basis[1 + axis, axis, 3] = basis[1 + axis, 3, axis] = 1.0
    # Sigma = 1/2 tr(I) 1 - I  ([WKS] eq. 17)
    for k, matrix in enumerate(INERTIA_BASIS):
        basis[4 + k, :3, :3] = 0.5 * np.trace(matrix) * np.eye(3) - matrix
    return basis


PSEUDO_INERTIA_BASIS = _pseudo_inertia_basis()
PSEUDO_INERTIA_CONE = triangle(PSEUDO_INERTIA_BASIS).T  # J(phi) as a vector, (10, 10)


def skew(v: Array) -> Array:
    """Return the matrix [v]x with [v]x w = v x w, shape (3, 3)."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def skews(v: Array) -> Array:
    """Return [v]x of each vector, shape (..., 3, 3), of shape (..., 3)."""
    S = np.zeros((*v.shape, 3))
    S[..., 0, 1], S[..., 0, 2], S[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    return np.asarray(S - np.swapaxes(S, -1, -2))


def as_phi(phi: object) -> Array:
    """Return inertial parameters as an array.

    Args:
        phi: Ten numbers in the order above [kg, kg m, kg m2].

    Returns:
        phi: shape (10,).

    Raises:
        InputError: There are not ten finite numbers.
    """
    array = real_numbers(phi, "inertial parameters")
    if array.shape != (10,) or not (np.abs(array) <= LARGEST).all():
        raise InputError(
            f"Inertial parameters need ten finite numbers {list(PARAMETERS)}; found {phi!r}."
        )
    return array


def pseudo_inertia(phi: Array) -> Array:
    """Return J(phi) = [[Sigma, h], [h', m]], shape (4, 4); phi is consistent iff J > 0."""
    return np.tensordot(phi, PSEUDO_INERTIA_BASIS, axes=1)


def from_pseudo_inertia(J: Array) -> Array:
    """Return phi of a pseudo-inertia matrix J, shape (4, 4): I = tr(Sigma) 1 - Sigma."""
    inertia = np.trace(J[:3, :3]) * np.eye(3) - J[:3, :3]
    return np.concatenate([[J[3, 3]], J[:3, 3], inertia[np.triu_indices(3)]])


# The ten 4x4 matrices F_k with phi_k = sum F_k * J(phi), shape (10, 4, 4).
FROM_PSEUDO_INERTIA_BASIS = np.stack(
    [from_pseudo_inertia((E + E.T) / 2) for E in np.eye(16).reshape(16, 4, 4)], axis=1
).reshape(10, 4, 4)


def is_physical(phi: Array, tolerance: float = 0.0) -> bool:
    """Tell whether some mass distribution has these parameters: min eig J(phi) > tolerance."""
    return bool(np.linalg.eigvalsh(pseudo_inertia(phi))[0] > tolerance)


def typical_size(phi: Array, mass_max: float = np.inf) -> Array:
    """Return typical sizes of phi's entries as powers of one mass and one length, shape (10,).

    Args:
        phi: Of a body, or of what data make of one, shape (10,).
        mass_max: Largest mass that it may have [kg].
    """
    mass = float(np.clip(abs(phi[0]), LEAST_MASS, max(mass_max, LEAST_MASS)))
    spread = float(np.sum(np.abs(phi[[4, 7, 9]])) / mass)
    length = float(np.clip(np.sqrt(spread), *LENGTHS))
    return mass * np.array([1.0] + [length] * 3 + [length**2] * 6)


def inertia_matrix(phi: Array) -> Array:
    """Return the rotational inertia about the frame origin, shape (3, 3) [kg m2]."""
    return np.tensordot(phi[4:], INERTIA_BASIS, axes=1)


def from_mass_com_inertia(mass: float, com: object, inertia_at_com: object) -> Array:
    """Return phi of a body given as URDF and geometry_msgs/Inertia give it.

    Args:
        mass: Mass m [kg].
        com: Centre of mass c in the frame, shape (3,) [m].
        inertia_at_com: Rotational inertia about the centre of mass, in the frame's axes,
            shape (3, 3) [kg m2].

    Returns:
        phi: shape (10,), inertia about the frame origin (parallel-axis theorem).

    Raises:
        InputError: There are other numbers of them, or not finite ones.
    """
    m, c = one_number(mass, "mass"), real_numbers(com, "com")
    inertia = real_numbers(inertia_at_com, "inertia")
    if c.shape != (3,) or inertia.shape != (3, 3):
        raise InputError(
            f"com must be three numbers and inertia 3 x 3; found {c.shape} and {inertia.shape}."
        )
    for name, array in (("mass", m), ("com", c), ("inertia", inertia)):
        if not (np.abs(array) <= LARGEST).all():
            raise InputError(f"{name} must be finite, at most {LARGEST:g} in SI units.")
    C = skew(c)
    inertia = inertia + m * (C @ C.T)
    return np.concatenate([[m], m * c, inertia[np.triu_indices(3)]])


def mass_com_inertia(phi: Array) -> tuple[float, Array, Array]:
    """Return mass [kg], centre of mass (3,) [m] and inertia about it (3, 3) [kg m2].

    A body without mass has no centre of mass: NaN.
    """
    mass = float(phi[0])
    if mass <= 0.0:
        return mass, np.full(3, np.nan), np.full((3, 3), np.nan)
    com = phi[1:4] / mass
    C = skew(com)
    return mass, com, inertia_matrix(phi) - mass * (C @ C.T)


def change_of_frame(rotation: Array, translation: Array) -> Array:
    """Return the matrix T with phi_a = T phi_b for one body seen from two frames.

    Args:
        rotation: R_ab, the axes of b in a, shape (3, 3).
        translation: Origin of b in a, shape (3,) [m].

    Returns:
        T: shape (10, 10); J_a = X J_b X', X = [[R, p], [0, 1]].
    """
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = rotation, translation
    return congruence(X)


def congruence(X: Array) -> Array:
    """Return the matrix of phi -> phi' with J(phi') = X J(phi) X', X of shape (4, 4), (10, 10)."""
    return np.stack([from_pseudo_inertia(X @ E @ X.T) for E in PSEUDO_INERTIA_BASIS], axis=1)
