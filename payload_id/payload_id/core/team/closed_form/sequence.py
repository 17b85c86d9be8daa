"""A team's payload step by step [ZLEFL, Sec. III-C, D]: mass and centre at rest, then the inertia.

Each step is linear least squares with what the steps before found; forces and moments count as they
are, no interval and no physical consistency enters. For comparison with the paper.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array, BoolArray
from ...body.inertial import INERTIA_BASIS, from_mass_com_inertia

LEAST = 2  # stretches at rest, and in motion


def in_sequence(A: Array, b: Array, still: BoolArray) -> Array:
    """Return phi, shape (10,); NaN where there are too few windows.

    Args:
        A: Coefficients of phi in force, then moment, of each window, shape (W, 6, 10).
        b: Force, then moment, on the payload, shape (W, 6) [N, N m].
        still: In which windows it is held at rest, shape (W,).
    """
    if min(np.count_nonzero(still), np.count_nonzero(~still)) < LEAST:
        return np.full(10, np.nan)
    weight = A[still, :3, 0].ravel()
    mass = float(weight @ b[still, :3].ravel() / (weight @ weight))  # eq. (13)
    at_rest = A[still, 3:, 1:4].reshape(-1, 3), b[still, 3:].ravel()
    com = np.linalg.lstsq(*at_rest, rcond=None)[0] / mass  # eq. (16)
    moment = b[~still, 3:] - np.cross(com, b[~still, :3])  # eq. (18), about the centre of mass
    turning = A[~still, 3:, 4:].reshape(-1, 6), moment.ravel()
    inertia = np.tensordot(np.linalg.lstsq(*turning, rcond=None)[0], INERTIA_BASIS, axes=1)
    values, axes = np.linalg.eigh(inertia)  # eq. (32), projected as its footnote says
    return from_mass_com_inertia(mass, com, (axes * np.maximum(values, 0.0)) @ axes.T)
