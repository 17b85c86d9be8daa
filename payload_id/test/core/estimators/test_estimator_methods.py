"""Each estimator against what its paper says: derivatives, agreement, shape, priors."""

import cvxpy as cp
import numpy as np
import pytest

from arms import ARMS, arm, draw_payload, of_point_masses, record, rows_of
from estimator_battery import LOWER, UPPER, USUAL, WIDE, statistics_of
from payload_id.core.body.ellipsoid import row_of
from payload_id.core.body.inertial import (
    PSEUDO_INERTIA_BASIS,
    change_of_frame,
    from_pseudo_inertia,
    is_physical,
    pseudo_inertia,
)
from payload_id.core.body.shape import Shape
from payload_id.core.errors import InputError
from payload_id.core.estimators import estimator_named
from payload_id.core.estimators.entropic import (
    divergence,
    divergence_derivatives,
    with_entropic_prior,
)
from payload_id.core.estimators.linear_matrix_inequality import constrained_least_squares
from payload_id.core.estimators.log_cholesky import cost_derivatives, derivatives, eta_of, phi_of
from payload_id.core.estimators.manifold import Body
from payload_id.core.estimators.point_masses import masses_at, phi_of_points
from payload_id.core.estimators.problem import denoised, scaled_problem
from payload_id.core.estimators.total_least_squares import total_fit
from payload_id.core.statistics.normal_form import NormalForm

STEP = 1e-5


def differences(function, x):
    """Return the derivative of a function at x by central differences, in the last axis."""
    steps = STEP * np.eye(len(x))
    return np.stack([(function(x + s) - function(x - s)) / (2 * STEP) for s in steps], axis=-1)


def random_body(seed):
    return draw_payload(np.random.default_rng(seed), size=0.5)


def noisy_problem(name, seed, kind="cloud"):
    phi = draw_payload(np.random.default_rng(seed), kind)
    run = record(arm(name), seed, phi=phi, seconds=2.0).measured(USUAL, "uniform", seed)
    return statistics_of(rows_of(run.model, USUAL, run.samples))


def random_form(seed, rows=40, noise=0.1, phi=None):
    """Return a problem in units of its noise, and the true phi."""
    rng = np.random.default_rng(seed)
    phi = random_body(seed) if phi is None else phi
    A = rng.normal(size=(rows, 10)) / noise
    factor = np.linalg.qr(np.column_stack([A, A @ phi + rng.normal(size=rows)]), mode="r")
    return NormalForm(factor[:10, :10], factor[:10, 10], abs(factor[10, 10]), rows), phi


@pytest.mark.parametrize("seed", range(5))
def test_log_cholesky_parameters_are_every_body_once(seed):
    phi = random_body(seed)
    np.testing.assert_allclose(phi_of(eta_of(phi)), phi, atol=1e-12)
    eta = np.random.default_rng(seed).normal(size=10)
    assert is_physical(phi_of(eta))
    np.testing.assert_allclose(eta_of(phi_of(eta)), eta, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_log_cholesky_gradient_and_hessian(seed):
    eta = 0.5 * np.random.default_rng(seed).normal(size=10)
    first, second = derivatives(eta)
    np.testing.assert_allclose(first, differences(phi_of, eta), atol=1e-7)
    by_differences = differences(lambda x: derivatives(x)[0], eta)
    np.testing.assert_allclose(second, by_differences, atol=1e-6)
    problem = scaled_problem(random_form(seed)[0], UPPER)
    gradient, hessian = cost_derivatives(problem, eta)
    cost = differences(lambda x: problem.cost(phi_of(x)), eta)
    np.testing.assert_allclose(gradient, cost, atol=1e-7)
    by_differences = differences(lambda x: cost_derivatives(problem, x)[0], eta)
    np.testing.assert_allclose(hessian, by_differences, atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_manifold_chart_derivatives_and_consistency(seed):
    body = Body.of(random_body(seed))
    np.testing.assert_allclose(body.phi(), random_body(seed), atol=1e-12)
    by_differences = differences(lambda step: body.moved(step).phi(), np.zeros(10))
    np.testing.assert_allclose(body.derivatives(), by_differences, atol=1e-8)
    moved = body.moved(np.random.default_rng(seed).normal(size=10))
    assert is_physical(moved.phi())
    np.testing.assert_allclose(moved.axes.T @ moved.axes, np.eye(3), atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["cloud", "plate", "rod", "point"])
@pytest.mark.parametrize("name", ARMS)
def test_consistent_methods_find_the_same_minimum(name, kind):
    statistics = noisy_problem(name, 6, kind)
    problem = scaled_problem(denoised(statistics), UPPER)
    costs = {
        method: problem.cost(
            estimator_named(method).estimate(statistics, LOWER, UPPER) / problem.scale
        )
        for method in ("lmi", "manifold", "log_cholesky")
    }
    least = min(costs.values())
    scale = float(problem.z @ problem.z)
    for cost in costs.values():
        assert cost <= 1.001 * least + 1e-9 * scale, costs


def test_manifold_may_be_ended_at_any_step():
    statistics = noisy_problem("gen3", 7, "plate")
    problem = scaled_problem(denoised(statistics), UPPER)
    costs = []
    for steps in (1, 3, 10, 100):
        estimator = estimator_named("manifold")
        object.__setattr__(estimator, "steps", steps)
        phi = estimator.estimate(statistics, LOWER, UPPER)
        assert is_physical(phi)
        costs.append(problem.cost(phi / problem.scale))
    assert costs[-1] <= costs[0] * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_divergence_and_its_derivatives(seed):
    y = random_body(seed) + from_pseudo_inertia(np.eye(4))
    gradient, hessian, convex = divergence_derivatives(y)
    cost = differences(lambda x: np.array(divergence(x)), y)
    np.testing.assert_allclose(gradient, cost, atol=1e-7)
    by_differences = differences(lambda x: divergence_derivatives(x)[0], y)
    np.testing.assert_allclose(hessian, by_differences, atol=1e-6)
    assert np.linalg.eigvalsh(convex)[0] > 0
    assert divergence(y) > 0
    assert divergence(3.0 * from_pseudo_inertia(np.eye(4))) == pytest.approx(0.0, abs=1e-12)


def test_entropic_prior_is_the_answer_without_data():
    form = NormalForm(np.zeros((10, 10)), np.zeros(10), 0.0, 0)
    body = random_body(1)
    np.testing.assert_allclose(with_entropic_prior(form, body, 0.05), body, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_entropic_prior_helps_a_body_like_it_and_yields_to_data_from_one_unlike(seed):
    alike, noise = random_body(seed), 30.0
    unlike = random_body(seed + 100) * alike[0] / random_body(seed + 100)[0]
    form, _ = random_form(seed, noise=noise, phi=alike)
    free = np.linalg.solve(form.R, form.z)
    helped = with_entropic_prior(form, alike, 0.05)
    assert np.linalg.norm(helped - alike) < 0.5 * np.linalg.norm(free - alike)
    form, _ = random_form(seed, noise=1e-3, phi=alike)
    assert np.linalg.norm(with_entropic_prior(form, unlike, 0.05) - alike) < 5e-3


@pytest.mark.parametrize("seed", range(3))
def test_entropic_does_not_depend_on_the_frame(seed):
    form, phi = random_form(seed, noise=1.0)
    body = random_body(seed + 50)
    rotation = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    T = change_of_frame(rotation * np.sign(np.linalg.det(rotation)), np.array([0.3, -0.2, 0.5]))
    moved = NormalForm(form.R @ np.linalg.inv(T), form.z, form.residual, form.rows)
    found = with_entropic_prior(moved, T @ body, 0.05)
    np.testing.assert_allclose(found, T @ with_entropic_prior(form, body, 0.05), atol=1e-5)


BARBELL = [
    np.array(np.meshgrid([x - 0.03, x + 0.03], [-0.03, 0.03], [-0.03, 0.03])).reshape(3, -1).T
    for x in (-0.2, 0.2)
]


def union_shape():
    corners = np.vstack(BARBELL)
    hull = Shape.from_hull(corners)
    return Shape.of_parts(BARBELL, hull.solid, hull.bodies, corners)


def test_shape_constraints_are_those_of_a_cone_solver():
    shape = union_shape()
    phi = of_point_masses(np.array([1.0, 0.4]), np.array([[-0.2, 0.0, 0.0], [0.2, 0.01, 0.0]]))
    form, _ = random_form(3, rows=14, noise=0.5, phi=phi)
    found = constrained_least_squares(form, LOWER, UPPER, shape)
    x, parts = cp.Variable(10), [cp.Variable(10) for _ in shape.ellipsoids]

    def J(y):
        return sum(y[k] * PSEUDO_INERTIA_BASIS[k] for k in range(10))

    rules = [J(x) >> 0, x >= LOWER, x <= UPPER, shape.rows() @ x >= 0, x == sum(parts)]
    rules += [J(part) >> 0 for part in parts]
    rules += [row_of(Q) @ part >= 0 for Q, part in zip(shape.ellipsoids, parts, strict=True)]
    cost = cp.sum_squares(form.R @ x - form.z)
    cp.Problem(cp.Minimize(cost), rules).solve(solver=cp.SCS, eps=1e-7, max_iters=200_000)
    assert np.sum((form.R @ found - form.z) ** 2) <= cost.value * (1 + 1e-3) + 1e-3
    assert (shape.rows() @ found >= -1e-7).all()
    assert is_physical(found)


@pytest.mark.parametrize("shape", [union_shape(), Shape.from_hull(np.vstack(BARBELL))])
def test_shape_never_hurts_a_body_inside(shape):
    gains = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        phi = of_point_masses(rng.dirichlet(np.ones(16)), np.vstack(BARBELL))
        form, _ = random_form(seed, rows=15, noise=3.0, phi=phi)
        errors = []
        for known in (None, shape):
            found = constrained_least_squares(form, LOWER, UPPER, known)
            assert is_physical(found)
            errors.append(np.linalg.norm(form.R @ (found - phi)))
        gains.append(errors[1] / errors[0])
    assert max(gains) < 1.1
    assert np.median(gains) < 0.97


@pytest.mark.parametrize("seed", range(5))
def test_point_masses_are_those_of_a_quadratic_program(seed):
    points = np.random.default_rng(seed).uniform(-0.1, 0.1, (56, 3))
    P = phi_of_points(points)
    masses = np.random.default_rng(seed).dirichlet(0.1 * np.ones(56))
    form, _ = random_form(seed, noise=1e-3, phi=P @ masses)
    found = masses_at(form, P, 1 / 56)
    m = cp.Variable(56)
    cost = cp.sum_squares(form.R @ P @ m - form.z) + cp.sum_squares(56 * m - 1)
    cp.Problem(cp.Minimize(cost), [m >= 1e-4 / 56]).solve(solver=cp.CLARABEL)
    value = np.sum((form.R @ P @ found - form.z) ** 2) + np.sum((56 * found - 1) ** 2)
    assert value <= cost.value * (1 + 1e-6)
    assert (found > 0).all()
    np.testing.assert_allclose(found, m.value, atol=1e-5)


def test_point_masses_are_homogeneous_where_data_are_silent():
    form = NormalForm(np.zeros((10, 10)), np.zeros(10), 0.0, 0)
    P = phi_of_points(WIDE.points)
    np.testing.assert_allclose(masses_at(form, P, 0.01), 0.01)


def test_point_masses_without_points_are_refused():
    with pytest.raises(InputError, match="needs the payload's shape"):
        estimator_named("point_masses")


@pytest.mark.parametrize("exact", [0, 3])
def test_total_least_squares_is_the_smallest_singular_vector(exact):
    rng = np.random.default_rng(exact)
    A = rng.normal(size=(50, 10))
    b = A @ rng.normal(size=10) + 0.1 * rng.normal(size=50)
    A = A + 0.1 * np.where(np.arange(10) < exact, 0.0, rng.normal(size=(50, 10)))
    factor = np.linalg.qr(np.column_stack([A, b]), mode="r")
    form = NormalForm(factor[:10, :10], factor[:10, 10], abs(factor[10, 10]), 50)
    errors = np.where(np.arange(11) < exact, 0.0, 1.0)
    found = total_fit(form, errors)

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


def test_union_of_ellipsoids_is_tighter_than_one():
    one, both = Shape.from_hull(np.vstack(BARBELL)), union_shape()
    middle = of_point_masses(np.ones(1), np.zeros((1, 3)))  # between the weights: nothing is there
    form = NormalForm(1e3 * np.eye(10), 1e3 * middle, 0.0, 100)
    fits = [constrained_least_squares(form, LOWER, UPPER, shape) for shape in (one, both)]
    distances = [np.linalg.norm(fit - middle) for fit in fits]
    assert distances[0] < 1e-3 < distances[1]


def test_consistency_of_j_is_what_is_meant():
    assert is_physical(WIDE.solid)
    assert np.linalg.eigvalsh(pseudo_inertia(WIDE.solid))[0] > 1e-3
