"""Least squares under physical consistency, J(phi) >= epsilon [WKS, eq. 16]: the default."""

from __future__ import annotations

from functools import lru_cache

import cvxpy as cp
import numpy as np

from ..errors import SolverError
from ..inertial import PSEUDO_INERTIA_BASIS, Array, from_mass_com_inertia, is_physical
from ..statistics import NormalForm, Statistics

EPSILON = 1e-7  # smallest eigenvalue of the scaled J that counts as consistent
PULL = 1e-7  # weight of the ball, relative to the data's largest singular value
BALL_MASS = 1e-3  # [kg] least mass of the ball
BALL_RADIUS = 0.03  # [m]


class LinearMatrixInequality:
    """Minimise |R phi - z|^2 subject to J(phi) >= epsilon and the bounds.

    The statistics are the weighted ones with the nuisance parameters estimated along. Directions
    that the data do not see are drawn, very weakly, to a small ball.
    """

    name = "lmi"
    physical = True
    citation = "WKS"

    def estimate(self, statistics: Statistics, lower: Array, upper: Array) -> Array:
        """Return phi, shape (10,), with J(phi) > 0."""
        return constrained_least_squares(statistics.marginal(), lower, upper)


def constrained_least_squares(form: NormalForm, lower: Array, upper: Array) -> Array:
    """Return the consistent phi within bounds that fits best, shape (10,).

    Raises:
        SolverError: The program did not end with an answer.
    """
    free = np.linalg.lstsq(form.R, form.z, rcond=1e-12)[0]
    scale = _scale(free, upper)
    R, z = _drawn_to_ball(form.R * scale, form.z, _ball(free, upper) / scale)
    x = np.linalg.lstsq(R, z, rcond=None)[0]
    if not _inside(x, EPSILON, lower / scale, upper / scale):
        x = _solve(R, z, lower / scale, upper / scale)
    return x * scale


def _drawn_to_ball(R: Array, z: Array, ball: Array) -> tuple[Array, Array]:
    """Add rows that draw scaled parameters to a ball's, with hardly any weight."""
    size = np.linalg.norm(R, 2)
    weight = PULL * size if size > 0 else 1.0
    return np.vstack([R, weight * np.eye(10)]), np.concatenate([z, weight * ball])


def _ball(phi: Array, upper: Array) -> Array:
    """Return a ball with about the mass and centre of phi: the guess where data say nothing."""
    mass = float(np.clip(phi[0], BALL_MASS, max(upper[0], BALL_MASS)))
    reach = float(np.clip(upper[1] / max(upper[0], BALL_MASS), 0.0, 1.0))
    com = np.clip(phi[1:4] / mass, -reach, reach)
    return from_mass_com_inertia(mass, com, 0.4 * mass * BALL_RADIUS**2 * np.eye(3))


def _scale(phi: Array, upper: Array) -> Array:
    """Return typical sizes of phi's entries as powers of one mass and one length, shape (10,)."""
    mass = float(np.clip(abs(phi[0]), 1e-3, max(upper[0], 1e-3)))
    spread = float(np.sum(np.abs(phi[[4, 7, 9]])) / mass)
    length = float(np.clip(np.sqrt(spread), 0.02, 1.0))
    return mass * np.array([1.0] + [length] * 3 + [length**2] * 6)


def _inside(x: Array, margin: float, lower: Array, upper: Array) -> bool:
    """Tell whether scaled parameters keep every constraint."""
    return is_physical(x, margin) and bool((x >= lower).all() and (x <= upper).all())


@lru_cache(maxsize=1)
def _program() -> tuple[cp.Problem, cp.Variable, dict[str, cp.Parameter]]:
    """Return the program, compiled once, its variable and its parameters."""
    x = cp.Variable(10)
    data = {
        "R": cp.Parameter((10, 10)),
        "z": cp.Parameter(10),
        "lower": cp.Parameter(10),
        "upper": cp.Parameter(10),
    }
    J = sum(x[k] * PSEUDO_INERTIA_BASIS[k] for k in range(10))
    constraints = [J >> EPSILON * np.eye(4), x >= data["lower"], x <= data["upper"]]
    problem = cp.Problem(cp.Minimize(cp.sum_squares(data["R"] @ x - data["z"])), constraints)
    return problem, x, data


def _solve(R: Array, z: Array, lower: Array, upper: Array) -> Array:
    """Solve the scaled program."""
    problem, x, data = _program()
    Q, square = np.linalg.qr(R)
    size = max(float(np.linalg.norm(square, 2)), 1e-300)
    data["R"].value, data["z"].value = square / size, Q.T @ z / size
    data["lower"].value, data["upper"].value = np.maximum(lower, -1e6), np.minimum(upper, 1e6)
    try:
        problem.solve(solver=cp.CLARABEL)
    except cp.error.SolverError as error:
        raise SolverError("LMI least-squares program", str(error)) from error
    if x.value is None:
        raise SolverError("LMI least-squares program", str(problem.status))
    return np.asarray(x.value, dtype=float)
