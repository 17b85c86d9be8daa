"""Least squares under physical consistency, J(phi) >= epsilon [WKS, Sec. IV-C]: the default."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..body.ellipsoid import row_of
from ..body.inertial import PSEUDO_INERTIA_CONE, is_physical
from ..body.shape import Shape
from ..conic import ConeProgram, triangle
from ..errors import SolverError
from ..knowledge.knowledge import NOTHING, Knowledge
from ..statistics.normal_form import NormalForm
from ..statistics.statistics import Statistics
from .estimator import Estimator
from .problem import EPSILON, ScaledProblem, denoised, off_the_edge, scaled_problem

PROGRAM = "LMI least-squares program"


class LinearMatrixInequality(Estimator):
    """Minimise |R phi - z|^2 subject to J(phi) >= epsilon and the bounds.

    The statistics are those weighted by each channel's noise, the nuisance parameters estimated
    along and the noise of the coefficients accounted for. Directions that the data do not see are
    drawn, very weakly, to a small ball, or to the homogeneous solid. With a shape the body lies in
    its ellipsoid, tr(J Q) >= 0, or in the union of its ellipsoids, J = sum J_i with
    tr(J_i Q_i) >= 0 [WKS, Sec. III-C], and its centre of mass in its box. What is stated of the
    payload is kept as it is.
    """

    name = "lmi"
    physical = True
    citation = "WKS"

    def estimate(self, statistics: Statistics, lower: Array, upper: Array) -> Array:
        """Return phi, shape (10,), with J(phi) > 0."""
        return constrained_least_squares(
            denoised(statistics), lower, upper, self.shape, self.stated
        )


def constrained_least_squares(
    form: NormalForm,
    lower: Array,
    upper: Array,
    shape: Shape | None = None,
    stated: Knowledge = NOTHING,
) -> Array:
    """Return the consistent phi within bounds that fits best, shape (10,).

    Raises:
        SolverError: The program did not end with an answer.
    """
    problem = scaled_problem(form, upper, shape)
    bounds = lower / problem.scale, upper / problem.scale
    x = np.linalg.solve(problem.R, problem.z)
    if not stated and _inside(x * problem.scale, x, lower, upper, shape):
        return x * problem.scale
    # Differences that noise makes are tiny beside z; the solver sees them in units of a fair cost.
    # Where bounds or shape contradict the data, no fair fit keeps them: then that of the guess.
    costs = problem.cost(problem.start()), problem.cost(problem.guess)
    try:
        return _solve(problem, costs[0], *bounds, shape, stated) * problem.scale
    except SolverError:
        return _solve(problem, max(costs), *bounds, shape, stated) * problem.scale


def _inside(phi: Array, x: Array, lower: Array, upper: Array, shape: Shape | None) -> bool:
    """Tell whether a fit keeps every constraint; of unions only one ellipsoid is asked for."""
    if not (is_physical(x, EPSILON) and bool((phi >= lower).all() and (phi <= upper).all())):
        return False
    if shape is None:
        return True
    return len(shape.ellipsoids) == 1 and bool((shape.rows() @ phi >= 0).all())


def _solve(
    problem: ScaledProblem,
    fair: float,
    lower: Array,
    upper: Array,
    shape: Shape | None,
    stated: Knowledge,
) -> Array:
    """Minimise |R x - z|^2 with J(x) >= epsilon, bounds and shape; a fair cost sets the unit.

    Unknowns are x, y = R x - z up to a factor, the parts x_i of x if the shape is a union, and the
    auxiliary variables of what is stated.
    """
    ellipsoids = () if shape is None or len(shape.ellipsoids) < 2 else shape.ellipsoids
    parts = [20 + 10 * k for k in range(len(ellipsoids))]
    last = 20 + 10 * len(parts)
    unit = np.sqrt(max(fair, 1e-14 * float(problem.z @ problem.z), 1e-300))
    one = np.eye(10)
    program = ConeProgram(PROGRAM, last + stated.q)
    program.add("zero", problem.z / unit, {0: problem.R / unit, 10: -one})
    program.add("nonnegative", upper, {0: one})
    program.add("nonnegative", -lower, {0: -one})
    program.add("semidefinite", -EPSILON * triangle(np.eye(4)), {0: -PSEUDO_INERTIA_CONE})
    if shape is not None:
        rows = _of_unit_size(shape.rows() * problem.scale)
        program.add("nonnegative", np.zeros(len(rows)), {0: -rows})
    if parts:
        program.add("zero", np.zeros(10), {0: one} | dict.fromkeys(parts, -one))
    for first, Q in zip(parts, ellipsoids, strict=True):
        row = _of_unit_size(row_of(Q)[None] * problem.scale)
        program.add("nonnegative", np.zeros(1), {first: -row})
        program.add("semidefinite", np.zeros(10), {first: -PSEUDO_INERTIA_CONE})
    _add_stated(program, stated, problem.scale, last)
    x = program.least_squares(slice(10, 20))[:10]
    return off_the_edge(x, 0.5 * EPSILON)


def _of_unit_size(rows: Array) -> Array:
    """Return rows divided by their norms."""
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def _add_stated(program: ConeProgram, stated: Knowledge, scale: Array, first: int) -> None:
    """Add what is stated, each cone in units of its own; its variables begin at a column."""
    stacked = stated.stacked
    for kind, rows in stacked.cones:
        F, H, g = stacked.F[rows] * scale, stacked.H[rows], stacked.g[rows]
        size = np.abs(np.column_stack([F, H, g])).max(axis=1)  # x is of order one
        unit = size if kind in ("zero", "nonnegative") else np.full(len(size), size.max())
        unit = np.where(unit > 0.0, unit, 1.0)
        program.add(kind, g / unit, {0: -F / unit[:, None], first: -H / unit[:, None]})
    if stated.q:
        box = np.vstack([np.eye(stated.q), -np.eye(stated.q)])
        program.add("nonnegative", np.ones(len(box)), {first: box})
