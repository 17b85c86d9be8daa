"""Physical consistency as linear inequalities: J(phi) >= 0 iff v' J(phi) v >= 0 for every v.

Each direction v gives one valid inequality; adding those that the present optimum breaks most (the
eigenvectors of J to negative eigenvalues) closes in on the cone from outside (Kelley 1960), so
that a bound found with any number of them is a valid one.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..body.inertial import PSEUDO_INERTIA_BASIS, pseudo_inertia

# A J whose smallest eigenvalue is this part of its trace below zero counts as consistent.
EIGENVALUE_TOLERANCE = 1e-7
COORDINATES = np.eye(4)  # the diagonal of J is not negative


def coefficients(directions: Array) -> Array:
    """Return the rows c with v' J(phi) v = c phi, for directions v (K, 4): shape (K, 10)."""
    return np.einsum("nij,ki,kj->kn", PSEUDO_INERTIA_BASIS, directions, directions)


def broken(phi: Array, length: float) -> Array:
    """Return directions v with v' J(phi) v < 0, shape (K, 4); none if J is consistent.

    Args:
        phi: Parameters, shape (10,).
        length: Typical size of the payload [m]; it makes J's entries comparable.
    """
    unit = np.array([1.0 / length] * 3 + [1.0])
    J = unit[:, None] * pseudo_inertia(phi) * unit
    values, vectors = np.linalg.eigh(J)
    size = max(float(np.abs(values).sum()), 1e-12)
    if values[0] >= -EIGENVALUE_TOLERANCE * size:
        return np.zeros((0, 4))
    return (vectors[:, values < 0] * unit[:, None]).T
