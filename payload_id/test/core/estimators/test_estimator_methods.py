"""Coordinates and distances that estimators use: derivatives, shape, priors."""

import numpy as np
import pytest

from estimator_battery import UPPER
from payload_id.core.body.inertial import (
    FROM_PSEUDO_INERTIA_BASIS,
    from_pseudo_inertia,
    is_physical,
)
from payload_id.core.estimators.consistent_search import (
    cost_derivatives,
    derivatives,
    minimum,
    phi_at,
)
from payload_id.core.estimators.entropic import (
    divergence,
    divergence_derivatives,
    with_entropic_prior,
)
from payload_id.core.estimators.log_cholesky import LogCholeskyParameters
from payload_id.core.estimators.manifold import Body
from payload_id.core.estimators.problem import scaled_problem
from payload_id.core.statistics.normal_form import NormalForm
from problems import differences, random_body, random_form

SEEDS = pytest.mark.parametrize("seed", range(5))


@SEEDS
@pytest.mark.parametrize("chart", [LogCholeskyParameters, Body])
def test_charts_are_every_body_with_their_derivatives(chart, seed):
    body = chart.of(random_body(seed))
    np.testing.assert_allclose(phi_at(body), random_body(seed), atol=1e-12)
    moved = body.moved(0.5 * np.random.default_rng(seed).normal(size=10))
    assert is_physical(phi_at(moved))
    np.testing.assert_allclose(phi_at(chart.of(phi_at(moved))), phi_at(moved), atol=1e-9)
    problem = scaled_problem(random_form(seed)[0], UPPER)
    for found, function in (
        (derivatives(moved), lambda step: phi_at(moved.moved(step))),
        (cost_derivatives(problem, moved), lambda step: problem.cost(phi_at(moved.moved(step)))),
    ):
        np.testing.assert_allclose(found[0], differences(function, np.zeros(10)), atol=1e-6)
        np.testing.assert_allclose(found[1], second_differences(function), rtol=1e-5, atol=1e-4)


def second_differences(function, h=1e-3):
    """Return the second derivatives of a function at zero, in the last two axes."""
    steps = 0.5 * h * np.eye(10)
    along = [[function(a + b) - function(a - b) for b in steps] for a in steps]
    back = [[function(b - a) - function(-a - b) for b in steps] for a in steps]
    return np.moveaxis(np.array(along) - np.array(back), (0, 1), (-2, -1)) / h**2


@SEEDS
def test_manifold_reaches_the_optimum_at_the_edge_and_may_be_ended_before_it(seed):
    rng = np.random.default_rng(seed)
    R = rng.normal(size=(10, 10)) * 10.0 ** rng.uniform(-2.5, 0.0, 10)
    form = NormalForm(R, R @ random_body(seed) + rng.normal(size=10), 0.0, 10)
    problem = scaled_problem(form, UPPER)
    assert not is_physical(np.linalg.solve(problem.R, problem.z))
    costs = [problem.cost(minimum(problem, Body.of, steps)) for steps in (1, 4, 200)]
    assert costs[0] >= costs[1] >= costs[2]
    left = problem.R.T @ (problem.R @ minimum(problem, Body.of, 200) - problem.z)
    G = np.tensordot(left, FROM_PSEUDO_INERTIA_BASIS, axes=1)  # KKT: none on the way to a body
    assert np.linalg.eigvalsh(G)[0] >= -1e-6 * np.abs(G).max()


@SEEDS
def test_divergence_and_its_derivatives(seed):
    unit = from_pseudo_inertia(np.eye(4))
    y = random_body(seed) + unit
    gradient, root, t = divergence_derivatives(y)
    convex = root.T @ root
    cost = differences(lambda x: np.array(divergence(x)), y)
    np.testing.assert_allclose(gradient, cost, atol=1e-7)
    by_differences = differences(lambda x: divergence_derivatives(x)[0], y)
    np.testing.assert_allclose(convex - np.outer(t, t), by_differences, atol=1e-6)
    assert np.linalg.eigvalsh(convex)[0] > 0
    assert divergence(y) > 0
    assert divergence(3.0 * unit) == pytest.approx(0.0, abs=1e-12)


@SEEDS
def test_entropic_prior_is_the_answer_without_data_and_yields_to_them(seed):
    alike, unlike = random_body(seed), random_body(seed + 100)
    unlike = unlike * alike[0] / unlike[0]
    silent = NormalForm(np.zeros((10, 10)), np.zeros(10), 0.0, 0)
    np.testing.assert_allclose(with_entropic_prior(silent, alike, 0.05), alike, rtol=1e-6)
    form, _ = random_form(seed, noise=30.0, phi=alike)
    free, helped = np.linalg.solve(form.R, form.z), with_entropic_prior(form, alike, 0.05)
    assert np.linalg.norm(helped - alike) < 0.5 * np.linalg.norm(free - alike)
    form, _ = random_form(seed, noise=1e-3, phi=alike)
    assert np.linalg.norm(with_entropic_prior(form, unlike, 0.05) - alike) < 5e-3
