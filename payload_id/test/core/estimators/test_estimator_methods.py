"""Coordinates and distances that estimators use: derivatives, shape, priors."""

import numpy as np
import pytest

from estimator_battery import UPPER
from payload_id.core.body.inertial import from_pseudo_inertia, is_physical
from payload_id.core.estimators.entropic import (
    divergence,
    divergence_derivatives,
    with_entropic_prior,
)
from payload_id.core.estimators.log_cholesky import cost_derivatives, derivatives, eta_of, phi_of
from payload_id.core.estimators.manifold import Body
from payload_id.core.estimators.problem import scaled_problem
from payload_id.core.statistics.normal_form import NormalForm
from problems import differences, random_body, random_form

SEEDS = pytest.mark.parametrize("seed", range(5))


@SEEDS
def test_log_cholesky_parameters_are_every_body_once_with_their_derivatives(seed):
    phi, eta = random_body(seed), 0.5 * np.random.default_rng(seed).normal(size=10)
    np.testing.assert_allclose(phi_of(eta_of(phi)), phi, atol=1e-12)
    np.testing.assert_allclose(eta_of(phi_of(eta)), eta, atol=1e-9)
    assert is_physical(phi_of(eta))
    problem = scaled_problem(random_form(seed)[0], UPPER)
    for found, function in (
        (derivatives(eta)[0], phi_of),
        (derivatives(eta)[1], lambda x: derivatives(x)[0]),
        (cost_derivatives(problem, eta)[0], lambda x: problem.cost(phi_of(x))),
        (cost_derivatives(problem, eta)[1], lambda x: cost_derivatives(problem, x)[0]),
    ):
        np.testing.assert_allclose(found, differences(function, eta), atol=1e-6)


@SEEDS
def test_manifold_chart_derivatives_and_consistency(seed):
    body = Body.of(random_body(seed))
    np.testing.assert_allclose(body.phi(), random_body(seed), atol=1e-12)
    for step in (np.zeros(10), np.random.default_rng(seed).normal(size=10)):
        slope = differences(lambda step: body.moved(step).phi(), step)
        np.testing.assert_allclose(body.slope(step), slope, atol=1e-6)
    moved = body.moved(step)
    assert is_physical(moved.phi())
    np.testing.assert_allclose(moved.axes.T @ moved.axes, np.eye(3), atol=1e-12)


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
