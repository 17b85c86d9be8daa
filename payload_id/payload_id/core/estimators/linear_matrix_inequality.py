"""Least squares under physical consistency, J(phi) >= epsilon [WKS, Sec. IV-C]: the default."""

from __future__ import annotations

from collections.abc import Sequence

import clarabel
import numpy as np
from scipy import sparse

from ..arrays import Array
from ..body.ellipsoid import row_of
from ..body.inertial import PSEUDO_INERTIA_BASIS, is_physical
from ..body.shape import Shape
from ..conic import SOLVED, cone_of, solve_cones, triangle
from ..errors import SolverError
from ..knowledge.knowledge import NOTHING, Knowledge
from ..statistics.normal_form import NormalForm
from ..statistics.statistics import Statistics
from .estimator import ShapeAware
from .problem import ScaledProblem, denoised, scaled_problem
from .scaling import EPSILON, off_the_edge

PROGRAM = "LMI least-squares program"


class LinearMatrixInequality(ShapeAware):
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
    parts = 0 if shape is None or len(shape.ellipsoids) < 2 else len(shape.ellipsoids)
    width = 20 + 10 * parts + stated.q
    unit = np.sqrt(max(fair, 1e-14 * float(problem.z @ problem.z), 1e-300))
    equal = [_columns({0: problem.R / unit, 10: -np.eye(10)}, width)]
    right = [problem.z / unit]
    if parts:
        sums = {0: np.eye(10)} | {20 + 10 * k: -np.eye(10) for k in range(parts)}
        equal.append(_columns(sums, width))
        right.append(np.zeros(10))
    linear = [_columns({0: np.eye(10)}, width), _columns({0: -np.eye(10)}, width)]
    right += [upper, -lower]
    if shape is not None:
        rows = _shape_rows(shape, problem.scale, parts)
        linear += [_columns(row, width) for row in rows]
        right += [np.zeros(len(next(iter(row.values())))) for row in rows]
    cones = [_columns({0: -_CONE}, width)]
    cones += [_columns({20 + 10 * k: -_CONE}, width) for k in range(parts)]
    right += [-EPSILON * triangle(np.eye(4))] + [np.zeros(10)] * parts
    kinds = [
        clarabel.ZeroConeT(sum(len(block) for block in equal)),
        clarabel.NonnegativeConeT(sum(len(block) for block in linear)),
        *[clarabel.PSDTriangleConeT(4)] * len(cones),
    ]
    G, g, own = _stated_cones(stated, problem.scale, width)
    matrix = np.vstack([*equal, *linear, *cones, G])
    x = _minimise(matrix, np.concatenate([*right, g]), [*kinds, *own])
    return off_the_edge(x, 0.5 * EPSILON)


def _shape_rows(shape: Shape, scale: Array, parts: int) -> Sequence[dict[int, Array]]:
    """Return the rows that the shape adds, by the first column of what they multiply."""
    rows: list[dict[int, Array]] = [{0: -_of_unit_size(shape.rows() * scale)}]
    for k in range(parts):
        rows.append({20 + 10 * k: -_of_unit_size(row_of(shape.ellipsoids[k])[None] * scale)})
    return rows


def _of_unit_size(rows: Array) -> Array:
    """Return rows divided by their norms."""
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def _columns(blocks: dict[int, Array], width: int) -> Array:
    """Return a matrix with blocks at the given first columns and zero elsewhere."""
    matrix = np.zeros((len(next(iter(blocks.values()))), width))
    for first, block in blocks.items():
        matrix[:, first : first + block.shape[1]] = block
    return matrix


def _minimise(matrix: Array, right: Array, kinds: list[object]) -> Array:
    """Minimise |y|^2 over the unknowns whose columns 10 to 20 are y; return x."""
    weight = np.zeros(matrix.shape[1])
    weight[10:20] = 1.0
    P = sparse.diags(weight, format="csc")
    solution = solve_cones(PROGRAM, P, np.zeros(len(weight)), matrix, right, kinds)
    if solution.status not in SOLVED:
        raise SolverError(PROGRAM, str(solution.status))
    return np.array(solution.x[:10])


def _stated_cones(stated: Knowledge, scale: Array, width: int) -> tuple[Array, Array, list[object]]:
    """Return G, g and the cones of g - G x for what is stated; each cone in units of its own."""
    stacked, kinds = stated.stacked, []
    G, g = np.zeros((len(stacked.g), width)), stacked.g.copy()
    G[:, :10], G[:, width - stated.q :] = -stacked.F * scale, -stacked.H
    for kind, rows in stacked.cones:
        size = np.maximum(np.abs(G[rows]).max(axis=1), np.abs(g[rows]))  # x is of order one
        unit = size if kind in ("zero", "nonnegative") else np.full(len(size), size.max())
        unit = np.where(unit > 0.0, unit, 1.0)
        G[rows], g[rows] = G[rows] / unit[:, None], g[rows] / unit
        kinds.append(cone_of(kind, rows.stop - rows.start))
    return G, g, kinds


_CONE = np.stack([triangle(E) for E in PSEUDO_INERTIA_BASIS], axis=1)  # (10, 10)
