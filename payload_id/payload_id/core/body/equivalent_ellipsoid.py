"""The homogeneous ellipsoid that has a body's mass and principal moments: for pictures."""

from __future__ import annotations

import numpy as np

from ..arrays import Array


def equivalent_ellipsoid(mass: float, moments: Array) -> Array:
    """Return the semi-axes of the homogeneous ellipsoid of that mass and those moments.

    I_k = m (a_i^2 + a_j^2) / 5, so that  a_k^2 = 5 (I_i + I_j - I_k) / (2 m).

    Args:
        mass: m [kg].
        moments: Principal moments about the centre of mass, shape (3,) [kg m2].

    Returns:
        a: shape (3,) [m], 0 where the moments leave no extent, NaN without mass.
    """
    if not mass > 0.0:
        return np.full(3, np.nan)
    square = 5.0 * (np.sum(moments) - 2.0 * np.asarray(moments)) / (2.0 * mass)
    return np.asarray(np.sqrt(np.maximum(square, 0.0)))
