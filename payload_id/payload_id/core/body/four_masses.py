"""A body as four point masses inside a volume [WKS, Theorem 4]: what its parameters may look like.

J = sum of v v' over four v = sqrt(m_k) (x_k, 1); x_k is in the ellipsoid iff v' Q v >= 0. A turn of
two of the v into each other leaves J as it is; turned such that every v' Q v is the fourth part
of tr(J Q), all are inside if that is not negative [Sturm2003].
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from .inertial import mass_com_inertia, pseudo_inertia

COUNT = 4
ALIKE = 1e-9  # of the largest |v' Q v|: differences from the mean below are rounding


def four_masses(phi: Array, Q: Array | None = None) -> tuple[Array, Array]:
    """Return masses (4,) [kg] and their places (4, 3) [m], which together have the parameters phi.

    Args:
        phi: With J(phi) > 0, shape (10,).
        Q: Ellipsoid with tr(J Q) >= 0, in which they are to be, shape (4, 4); None: the smallest
            sphere about the centre of mass that has room for them, on which they lie.
    """
    Q = gyration_sphere(phi) if Q is None else Q
    v = np.linalg.cholesky(pseudo_inertia(phi)).T
    for _ in range(COUNT - 1):
        value = np.einsum("ki,ij,kj->k", v, Q, v)
        off = value - value.mean()
        i, j = int(off.argmin()), int(off.argmax())
        if off[j] - off[i] <= ALIKE * np.abs(value).max():
            break
        cross = float(v[i] @ Q @ v[j])  # (v_i + t v_j)' Q (...) = mean (1 + t^2) has a root t > 0
        t = (-cross + np.sqrt(cross**2 - off[i] * off[j])) / off[j]
        v[[i, j]] = np.array([[1.0, t], [-t, 1.0]]) @ v[[i, j]] / np.sqrt(1.0 + t * t)
    return v[:, 3] ** 2, v[:, :3] / v[:, 3:]


def gyration_sphere(phi: Array) -> Array:
    """Return Q of the sphere about the centre of mass for which tr(J Q) = 0, shape (4, 4)."""
    m, c, inertia = mass_com_inertia(phi)
    Q = -np.eye(4)
    Q[:3, 3] = Q[3, :3] = c
    Q[3, 3] = 0.5 * np.trace(inertia) / m - c @ c
    return Q
