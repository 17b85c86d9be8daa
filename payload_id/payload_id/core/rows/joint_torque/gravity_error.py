"""How an error of gravity's direction or size reaches the coefficients of the rows.

The gravity part of a coefficient is K(J_j, (g, 0)): J_v . g for the mass and g x J_w for the first
moment. An error of at most e in each component of g is one of at most sqrt(3) e in any direction.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array


def gravity_error(axis: Array, weight: Array, error: float) -> Array:
    """Return the error bound of the coefficients of one window, shape (n + 1, n, 10).

    Args:
        axis: Joint axes in the frames of the bodies, shape (N, n + 1, n, 6), linear part first.
        weight: Weights of the samples in an integral, shape (N,) [s].
        error: Largest error of each component of gravity [m/s2].
    """
    bound = np.zeros((*axis.shape[1:3], 10))
    if error == 0.0:
        return bound
    largest = np.sqrt(3.0) * error
    bound[..., 0] = largest * np.tensordot(weight, np.linalg.norm(axis[..., :3], axis=-1), axes=1)
    turning = largest * np.tensordot(weight, np.linalg.norm(axis[..., 3:], axis=-1), axes=1)
    bound[..., 1:4] = turning[..., None]
    return bound
