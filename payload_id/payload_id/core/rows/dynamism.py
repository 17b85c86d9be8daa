"""How much rows of little motion count the gravity-only model: weights of [NGK], eq. (4), (9)."""

from __future__ import annotations

import numpy as np

from ..arrays import Array

# Motion that counts as one unit of dynamism, eq. (4) of [NGK] with its constants.
UNIT = (1.0, 1.0, 0.5)  # n1 [m/s2], n2 [rad/s2], n3 [rad/s]


def dynamism(acceleration: Array, alpha: Array, omega: Array) -> Array:
    """Return nu, eq. (4), of motions (..., 3) [m/s2, rad/s2, rad/s], shape (...) [-]."""
    parts = zip((acceleration, alpha, omega), UNIT, strict=True)
    return np.asarray(sum(((part / unit) ** 2).sum(axis=-1) for part, unit in parts))


def full_share(nu: Array, scale: float) -> Array:
    """Return w of eq. (9): the share of the full model, at the scale c1; 1 if that is 0."""
    return np.tanh(3.0 * nu / scale) if scale > 0.0 else np.ones(np.shape(nu))
