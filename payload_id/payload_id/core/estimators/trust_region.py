"""Newton's method with a trust region, for small smooth problems: every iterate is kept feasible.

The caller says how a step is taken (a retraction), so that unknowns may live on a manifold;
SciPy's trust regions only add it to a vector.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from ..arrays import Array

Point = TypeVar("Point")
STEPS = 100
TOLERANCE = 1e-15  # relative decrease of the cost that ends the search
ROUNDING = 1e-28  # of the scale: costs below are zero


def minimise(
    start: Point,
    cost: Callable[[Point], float],
    model: Callable[[Point], tuple[Array, Array]],
    retract: Callable[[Point, Array], Point],
    scale: float,
    steps: int = STEPS,
) -> Point:
    """Return a point of least cost that a descent from a start leads to.

    Args:
        start: Where to begin.
        cost: What to minimise.
        model: Gradient (n,) and Hessian (n, n), or an approximation of it, in local coordinates.
        retract: The point that local coordinates (n,) lead to.
        scale: Size of the cost where nothing fits, against which rounding counts.
        steps: Most steps; the search may be ended at any of them.
    """
    point, value, radius = start, cost(start), 1.0
    for _ in range(steps):
        gradient, hessian = model(point)
        step, predicted = trust_region_step(gradient, hessian, radius)
        if predicted <= max(TOLERANCE * value, ROUNDING * scale):
            break
        candidate = retract(point, step)
        new = cost(candidate)
        ratio = (value - new) / predicted
        length = float(np.linalg.norm(step))
        if ratio < 0.25:
            radius = 0.25 * length
        elif ratio > 0.75 and length > 0.9 * radius:
            radius = min(2.0 * radius, 8.0)
        if ratio > 1e-4:
            point, value = candidate, new
        elif radius < 1e-12:
            break
    return point


def trust_region_step(gradient: Array, hessian: Array, radius: float) -> tuple[Array, float]:
    """Return the step of at most a radius that lowers the quadratic model most, and by how much.

    The multiplier of the radius is found by bisection over the Hessian's eigenvalues; the hard case
    is left to rounding, which breaks it.
    """
    values, axes = np.linalg.eigh(hessian)
    g = axes.T @ gradient

    def at(shift: float) -> Array:
        return -g / np.maximum(values + shift, 1e-300)

    low = max(0.0, -values[0] + 1e-14 * max(abs(values[0]), abs(values[-1])))
    s = at(low)
    if values[0] <= 0.0 or np.linalg.norm(s) > radius:
        high = low + float(np.linalg.norm(g)) / radius + 1e-300
        for _ in range(60):
            middle = 0.5 * (low + high)
            s = at(middle)
            low, high = (middle, high) if np.linalg.norm(s) > radius else (low, middle)
        s = at(high)
    return axes @ s, float(-(g @ s) - 0.5 * (values * s) @ s)
