"""Point estimates: one battery for all, and each against an independent calculation."""

import cvxpy as cp
import numpy as np
import pytest

from arms import arm, draw_payload, of_point_masses, record, rows_of
from estimator_battery import (
    LOWER,
    NEEDS_SHAPE,
    TYPICAL,
    UPPER,
    USUAL,
    WIDE,
    check_estimator,
    prepared,
    statistics_of,
)
from payload_id.core.body.ellipsoid import row_of
from payload_id.core.body.inertial import PSEUDO_INERTIA_BASIS, is_physical
from payload_id.core.body.shape import Shape
from payload_id.core.estimators import ESTIMATORS
from payload_id.core.estimators.linear_matrix_inequality import constrained_least_squares
from payload_id.core.estimators.point_masses import masses_at, phi_of_points
from payload_id.core.estimators.total_least_squares import total_fit
from payload_id.core.statistics.normal_form import NormalForm
from payload_id.core.statistics.variance_components import UNIFORM_VARIANCE
from problems import differences, random_form

PHYSICAL = [name for name in ESTIMATORS if prepared(name).physical and name not in NEEDS_SHAPE]


@pytest.mark.slow
def test_every_estimator():
    for name in ESTIMATORS:
        check_estimator(prepared(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", PHYSICAL)
def test_every_estimator_that_can_have_a_shape(name):
    check_estimator(prepared(name, with_shape=True))


def noisy_rows(name, seed, kind):
    phi = draw_payload(np.random.default_rng(seed), kind)
    run = record(arm(name), seed, phi=phi, seconds=2.0).measured(USUAL, "uniform", seed)
    return rows_of(run.model, USUAL, run.samples), phi


def J(x):
    """Return the pseudo-inertia of a cone solver's variable."""
    return sum(x[k] * PSEUDO_INERTIA_BASIS[k] for k in range(10))


@pytest.mark.parametrize(
    ("name", "kind"),
    [("gen3", "cloud"), ("panda", "rod"), ("ur10", "point"), ("branched", "plate")],
)
def test_lmi_is_a_cone_solvers_on_the_raw_rows(name, kind):
    rows, _ = noisy_rows(name, 2, kind)
    form, d = statistics_of(rows).marginal(), rows.bound(TYPICAL)
    found = constrained_least_squares(form, LOWER, UPPER)
    A, B, b = rows.A / d[:, None], rows.B / d[:, None], rows.b / d
    wide = np.hstack([A, B])
    squares = np.sum((b - wide @ np.linalg.lstsq(wide, b, rcond=None)[0]) ** 2)
    variance = squares / (len(rows) - wide.shape[1])
    pull = np.sqrt(np.clip(variance, 1e-8, UNIFORM_VARIANCE) / UNIFORM_VARIANCE)
    y, u, scale = cp.Variable(10), cp.Variable(B.shape[1]), np.array([1.0] + [0.1] * 3 + [0.01] * 6)
    phi, size = cp.multiply(scale, y), np.linalg.norm(A * scale, 2)
    cost = cp.sum_squares((A @ phi + B @ u - b) / size) + cp.sum_squares(pull * u / size)
    rules = [J(phi) >> 0, phi >= LOWER, phi <= UPPER, cp.abs(u) <= 1]
    cp.Problem(cp.Minimize(cost), rules).solve(solver=cp.SCS, eps=1e-9, max_iters=100_000)
    np.testing.assert_allclose(found, phi.value, atol=2e-3 * max(found[0], 0.1))
    losses = [np.sum((form.R @ x - form.z) ** 2) for x in (found, phi.value)]
    assert losses[0] <= losses[1] + 0.01  # squares of rows in units of their bounds
    assert is_physical(found)


BARBELL = [
    np.array(np.meshgrid([x - 0.03, x + 0.03], [-0.03, 0.03], [-0.03, 0.03])).reshape(3, -1).T
    for x in (-0.2, 0.2)
]
HULL = Shape.from_hull(np.vstack(BARBELL))
UNION = Shape.of_parts(BARBELL, HULL.solid, HULL.bodies, np.vstack(BARBELL))


def test_shape_constraints_are_those_of_a_cone_solver():
    phi = of_point_masses(np.array([1.0, 0.4]), np.array([[-0.2, 0.0, 0.0], [0.2, 0.01, 0.0]]))
    form, _ = random_form(3, rows=14, noise=0.5, phi=phi)
    found = constrained_least_squares(form, LOWER, UPPER, UNION)
    x, parts = cp.Variable(10), [cp.Variable(10) for _ in UNION.ellipsoids]
    rules = [J(x) >> 0, x >= LOWER, x <= UPPER, UNION.rows() @ x >= 0, x == sum(parts)]
    for Q, part in zip(UNION.ellipsoids, parts, strict=True):
        rules += [J(part) >> 0, row_of(Q) @ part >= 0]
    cost = cp.sum_squares(form.R @ x - form.z)
    cp.Problem(cp.Minimize(cost), rules).solve(solver=cp.SCS, eps=1e-7, max_iters=200_000)
    assert np.sum((form.R @ found - form.z) ** 2) <= cost.value * (1 + 1e-3) + 1e-3
    assert (UNION.rows() @ found >= -1e-7).all()
    assert is_physical(found)


def test_union_of_ellipsoids_is_tighter_than_one():
    middle = of_point_masses(np.ones(1), np.zeros((1, 3)))  # between the weights: nothing is there
    form = NormalForm(1e3 * np.eye(10), 1e3 * middle, 0.0, 100)
    fits = [constrained_least_squares(form, LOWER, UPPER, shape) for shape in (HULL, UNION)]
    distances = [np.linalg.norm(fit - middle) for fit in fits]
    assert distances[0] < 1e-3 < distances[1]


def test_point_masses_are_those_of_a_quadratic_program():
    for seed in range(3):
        rng = np.random.default_rng(seed)
        P, masses = phi_of_points(rng.uniform(-0.1, 0.1, (56, 3))), rng.dirichlet(0.1 * np.ones(56))
        form, _ = random_form(seed, noise=1e-3, phi=P @ masses)
        found, m = masses_at(form, P, 1 / 56), cp.Variable(56)
        cost = cp.sum_squares(form.R @ P @ m - form.z) + cp.sum_squares(56 * m - 1)
        cp.Problem(cp.Minimize(cost), [m >= 1e-4 / 56]).solve(solver=cp.CLARABEL)
        value = np.sum((form.R @ P @ found - form.z) ** 2) + np.sum((56 * found - 1) ** 2)
        assert value <= cost.value * (1 + 1e-6)
        assert (found > 0).all()
        np.testing.assert_allclose(found, m.value, atol=1e-5)
    silent = NormalForm(np.zeros((10, 10)), np.zeros(10), 0.0, 0)
    np.testing.assert_allclose(masses_at(silent, phi_of_points(WIDE.points), 0.01), 0.01)


@pytest.mark.parametrize("exact", [0, 3])
def test_total_least_squares_is_the_smallest_singular_vector(exact):
    rng, uncertain = np.random.default_rng(exact), np.arange(11) >= exact
    A = rng.normal(size=(50, 10))
    b = A @ rng.normal(size=10) + 0.1 * rng.normal(size=50)
    A = A + 0.1 * uncertain[:10] * rng.normal(size=(50, 10))
    factor = np.linalg.qr(np.column_stack([A, b]), mode="r")
    form = NormalForm(factor[:10, :10], factor[:10, 10], abs(factor[10, 10]), 50)
    found = total_fit(form, uncertain.astype(float))

    # The smallest change [dA db] of the columns with errors that makes (A + dA) x = b + db exact:
    # |A x - b|^2 / (1 + |x of those columns|^2) is least.
    def cost(x):
        return np.sum((A @ x - b) ** 2) / (1.0 + np.sum(x[exact:] ** 2))

    gradient = differences(lambda x: np.array(cost(x)), found)
    np.testing.assert_allclose(gradient, 0.0, atol=1e-7)
    assert cost(found) < cost(np.linalg.lstsq(A, b, rcond=None)[0])
    if exact == 0:
        v = np.linalg.svd(np.column_stack([A, b]))[2][-1]
        np.testing.assert_allclose(found, -v[:10] / v[10], atol=1e-9)
