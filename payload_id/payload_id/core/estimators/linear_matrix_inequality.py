"""Least squares under physical consistency, J(phi) >= epsilon [WKS, eq. 16]: the default."""

from __future__ import annotations

import clarabel
import numpy as np
from scipy import sparse

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


def _solve(R: Array, z: Array, lower: Array, upper: Array) -> Array:
    """Minimise |R x - z|^2 with J(x) >= epsilon and bounds; unknowns are x and y = R x - z."""
    R, z = _square(R, z)
    equal = sparse.csc_matrix(np.hstack([R, -np.eye(10)]))
    none = sparse.csc_matrix((10, 10))
    identity = sparse.identity(10, format="csc")
    bounds = sparse.bmat([[identity, none], [-identity, none]])
    consistency = sparse.csc_matrix(np.hstack([-_CONE, np.zeros((10, 10))]))
    solver = clarabel.DefaultSolver(
        sparse.block_diag([none, identity], format="csc"),
        np.zeros(20),
        sparse.vstack([equal, bounds, consistency], format="csc"),
        np.concatenate([z, upper, -lower, -EPSILON * _triangle(np.eye(4))]),
        [clarabel.ZeroConeT(10), clarabel.NonnegativeConeT(20), clarabel.PSDTriangleConeT(4)],
        _settings(),
    )
    solution = solver.solve()
    if solution.status not in (clarabel.SolverStatus.Solved, clarabel.SolverStatus.AlmostSolved):
        raise SolverError("LMI least-squares program", str(solution.status))
    return np.array(solution.x[:10])


def _square(R: Array, z: Array) -> tuple[Array, Array]:
    """Return an equivalent problem with a square R of norm one."""
    Q, square = np.linalg.qr(R)
    size = max(float(np.linalg.norm(square, 2)), 1e-300)
    return square / size, Q.T @ z / size


def _triangle(matrix: Array) -> Array:
    """Return a symmetric matrix as the solver's cone has it: upper triangle by columns, scaled."""
    row, column = np.tril_indices(4)[::-1]
    return np.asarray(matrix[row, column] * np.where(row == column, 1.0, np.sqrt(2.0)))


_CONE = np.stack([_triangle(E) for E in PSEUDO_INERTIA_BASIS], axis=1)  # (10, 10)


def _settings() -> clarabel.DefaultSettings:
    """Return the solver's settings."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    return settings
