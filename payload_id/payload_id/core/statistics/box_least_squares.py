"""Least squares over a box, for the few hundred unknowns that nuisance parameters are."""

from __future__ import annotations

import numpy as np
import scipy

from ..arrays import Array, BoolArray

STEPS = 60
SMALL = 1e-12  # relative decrease of the cost that ends the search


def box_least_squares(R: Array, z: Array, lower: Array, upper: Array) -> tuple[Array, BoolArray]:
    """Return the u of least |R u - z|^2 with lower <= u <= upper, and where it is at an end.

    Newton's method projected onto the box [Bertsekas1982]: at an end stay those unknowns that the
    gradient holds there; the others take the least-squares step, projected, shortened until the
    cost falls. The minimum is unique, and reached after finitely many changes of the ends.

    Args:
        R: Square, of full rank, shape (p, p).
        z: Shape (p,).
        lower: Shape (p,).
        upper: Shape (p,).
    """
    free = scipy.linalg.solve_triangular(R, z, check_finite=False)
    if ((lower <= free) & (free <= upper)).all():
        return free, np.zeros(len(z), dtype=bool)
    u = np.clip(free, lower, upper)
    left = z - R @ u
    value = float(left @ left)
    held = _held(u, R.T @ left, lower, upper)
    for _ in range(STEPS):
        step = np.zeros(len(u))
        step[~held] = np.linalg.lstsq(R[:, ~held], left, rcond=None)[0] if (~held).any() else 0.0
        length = 1.0
        while True:
            new = np.clip(u + length * step, lower, upper)
            rest = z - R @ new
            if float(rest @ rest) < value or length < 1e-8:
                break
            length /= 2.0
        gain = value - float(rest @ rest)
        if gain <= 0.0:
            break
        u, left, value = new, rest, float(rest @ rest)
        before, held = held, _held(u, R.T @ left, lower, upper)
        if gain <= SMALL * value and (before == held).all():
            break
    return u, held


def _held(u: Array, pull: Array, lower: Array, upper: Array) -> BoolArray:
    """Return which unknowns are at an end towards which the cost falls."""
    return np.asarray(((u <= lower) & (pull <= 0.0)) | ((u >= upper) & (pull >= 0.0)))
