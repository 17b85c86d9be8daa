"""Which ends of intervals are attained: by a payload and errors that keep every stated bound.

An interval that leaves out such a payload does not hold all that the data allow. Another solver
than the hull's looks for them, a little inside all bounds; then each row, box and inequality is
checked by itself.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import cvxpy as cp
import numpy as np

from payload_id.core.arrays import Array
from payload_id.core.body.inertial import PSEUDO_INERTIA_BASIS, pseudo_inertia
from payload_id.core.bounds import Interval
from payload_id.core.identification.problem import Problem

INSIDE = 1e-7  # part of each bound that is kept free: more than the solver's tolerance
NOTHING = np.full(10, np.nan)


def attained(problem: Problem, hull: Interval) -> Interval:
    """Return the least and largest parameters of payloads that explain the rows, NaN if unknown."""
    farthest = program(problem, hull)
    ends = np.full((2, 10), np.nan)
    for k in range(10):
        for row, sign in enumerate((-1.0, 1.0)):
            phi, u = farthest(sign * np.eye(10)[k])
            if explains(problem, phi, u):
                ends[row, k] = phi[k]
    return Interval(*ends)


def program(problem: Problem, hull: Interval) -> Callable[[Array], tuple[Array, Array]]:
    """Return what finds the payload and nuisance parameters that lie farthest in a direction.

    A row's bound d + A_error |phi| is not concave; with the signs of the hull's middle or end for
    those of phi it is linear and never larger.
    """
    rows, prior = problem.rows, problem.prior
    scale = np.maximum(hull.half_width, 1e-12)
    middle = (hull.lower + hull.upper) / 2
    y, u = cp.Variable(10), cp.Variable(rows.B.shape[1])
    cost, signs = cp.Parameter(10), cp.Parameter(10)
    phi = middle + cp.multiply(scale, y)
    d = rows.bound(hull.magnitude)[:, None]
    bound = rows.d / d[:, 0] + (rows.A_error / d) @ cp.multiply(signs, phi)
    left = (rows.A / d) @ phi + (rows.B / d) @ u - rows.b / d[:, 0]
    unit = np.diag(1.0 / np.sqrt(np.maximum(np.diag(pseudo_inertia(hull.upper)), 1e-12)))
    J = sum(phi[k] * (unit @ PSEUDO_INERTIA_BASIS[k] @ unit) for k in range(10))
    constraints = [
        cp.abs(left) <= (1.0 - INSIDE) * bound,
        cp.abs(u) <= 1.0 - INSIDE,
        y >= (prior.lower - middle) / scale,
        y <= (prior.upper - middle) / scale,
        problem.shape @ phi >= INSIDE * np.abs(problem.shape) @ hull.magnitude,
        J >> INSIDE * np.eye(4),
    ]
    task = cp.Problem(cp.Maximize(cost @ y), constraints)

    def farthest(direction: Array) -> tuple[Array, Array]:
        cost.value = direction
        at = middle + direction * scale
        signs.value = np.where(at < 0.0, -1.0, 1.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is inaccurate is found by `explains`
            try:
                task.solve(solver=cp.CLARABEL)
            except cp.SolverError:
                return NOTHING, NOTHING
        if y.value is None:
            return NOTHING, NOTHING
        return middle + scale * y.value, u.value

    return farthest


def explains(problem: Problem, phi: Array, u: Array) -> bool:
    """Tell whether a payload and nuisance parameters keep everything that was stated."""
    if not np.isfinite(phi).all():
        return False
    rows, prior = problem.rows, problem.prior
    return bool(
        (np.abs(rows.A @ phi + rows.B @ u - rows.b) <= rows.bound(np.abs(phi))).all()
        and (np.abs(u) <= 1.0).all()
        and prior.contains(phi)
        and (problem.shape @ phi >= 0.0).all()
        and np.linalg.eigvalsh(pseudo_inertia(phi))[0] >= 0.0
    )
