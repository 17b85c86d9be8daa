"""Bodies of several materials: what the data suggest, and what `entropic` makes of it."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import gammaincinv

from payload_id.core.body.inertial import (
    change_of_frame,
    from_pseudo_inertia,
    is_physical,
    pseudo_inertia,
)
from payload_id.core.body.metrics import errors
from payload_id.core.body.shape import Shape
from payload_id.core.estimators.body_mixture import (
    COPIES,
    GOLDEN,
    ONE_MATERIAL,
    ORTHONORMAL_BASIS,
    BodyMixture,
    departures,
)
from payload_id.core.estimators.entropic import divergence, with_entropic_prior
from payload_id.core.statistics.normal_form import NormalForm

DEPARTURE, DEGREES = 0.05, 2.0
LENGTHS = np.array([0.3, 0.05, 0.03])
CORNERS = np.array(np.meshgrid(*([-x / 2, x / 2] for x in LENGTHS))).reshape(3, -1).T
SHAPE = Shape.from_hull(CORNERS)
HOMOGENEOUS = replace(SHAPE, bodies=SHAPE.bodies[:0])
INSIDE = np.random.default_rng(5).uniform(-LENGTHS / 2, LENGTHS / 2, size=(20_000, 3))


def bar(density, mass=0.6):
    """Return phi of the bar with a density that depends on the place."""
    x = np.column_stack([INSIDE, np.ones(len(INSIDE))])
    weight = density(INSIDE)
    return mass * from_pseudo_inertia((x.T * weight) @ x / weight.sum())


BARS = {  # of two materials
    "head": bar(lambda x: np.where(x[:, 0] > 0.1, 7.8, 0.7)),
    "grip": bar(lambda x: np.where(x[:, 0] > -0.05, 7.8, 1.2)),
    "halves": bar(lambda x: np.where(x[:, 0] > 0.0, 7.8, 2.7)),
}
UNFORESEEN = {  # of no cut into a few parts
    "graded": bar(lambda x: np.exp(8.0 * x[:, 0])),
    "striped": bar(lambda x: 1.0 + 6.0 * (np.sin(200.0 * x[:, 0]) > 0)),
    "cased": bar(lambda x: np.where(np.abs(x[:, 1]) > 0.02, 7.8, 0.7)),
    "hollow": bar(lambda x: np.where((np.abs(x) < 0.45 * LENGTHS).all(axis=1), 0.0, 1.0)),
}


def wrench_form(phi, seed, noise=1.0):
    """Return rows that see mass and centre of mass well, and the inertia poorly, as slow motion."""
    rng = np.random.default_rng(seed)
    sigma = np.array([2e-3, *[2e-4] * 3, *[1.5e-3] * 6]) * noise
    A = rng.normal(size=(40, 10)) / sigma / np.sqrt(40.0)
    factor = np.linalg.qr(np.column_stack([A, A @ phi + rng.normal(size=40)]), mode="r")
    return NormalForm(factor[:10, :10], factor[:10, 10], abs(factor[10, 10]), 40)


def suggested_body(form, shape, mass):
    return BodyMixture.of(shape, DEPARTURE, DEGREES).suggested(form, mass)


def estimate(form, shape):
    """Return what `entropic` estimates from a normal form."""
    mass = float(np.linalg.solve(form.R, form.z)[0])
    body = mass * suggested_body(form, shape, mass)
    return with_entropic_prior(form, body, DEPARTURE)


def error(phi, true):
    return errors(phi, true, LENGTHS).inertia


def mean_error(true, shape, noise=1.0, seeds=6):
    return np.mean(
        [error(estimate(wrench_form(true, s, noise), shape), true) for s in range(seeds)]
    )


def test_departures_are_those_of_the_entropic_distance():
    """For J = X (1 + S) X' the distance is |S|^2 / 2 to second order, but for the size."""
    rng = np.random.default_rng(0)
    gram = np.einsum("jab,kba->jk", ORTHONORMAL_BASIS, ORTHONORMAL_BASIS)
    np.testing.assert_allclose(gram, np.eye(10), atol=1e-15)
    body = SHAPE.bodies[3]
    D = departures(SHAPE.bodies[3:5])[0]
    X = np.linalg.cholesky(pseudo_inertia(body))
    for _ in range(5):
        u = 1e-3 * rng.normal(size=10)
        S = np.tensordot(u, ORTHONORMAL_BASIS, axes=1)
        np.testing.assert_allclose(pseudo_inertia(D @ u), X @ S @ X.T, atol=1e-12)
        free = u @ u - np.trace(S) ** 2 / 4.0  # a multiple of the body is at no distance
        assert divergence(from_pseudo_inertia(np.eye(4) + S)) == pytest.approx(free / 2, rel=0.02)


def test_weights_are_gaussian_evidence():
    """Against the density of z, whose covariance is 1 + R A A' R'."""
    form, mass = wrench_form(BARS["head"], 0, noise=30.0), 0.6
    few = replace(SHAPE, bodies=SHAPE.bodies[:7])
    bodies = np.vstack([np.tile(few.solid, (COPIES, 1)), few.bodies])
    prior = [ONE_MATERIAL / COPIES] * COPIES + [(1 - ONE_MATERIAL) / 7] * 7
    place = [(k + 0.5) * GOLDEN % 1.0 for k in [*range(COPIES), *range(7)]]
    logarithms = []
    for body, p, D in zip(bodies, place, departures(bodies), strict=True):
        variance = DEPARTURE**2 * DEGREES / gammaincinv(DEGREES, p)
        A = mass * np.column_stack([np.sqrt(variance) * D, body])
        covariance = np.eye(10) + form.R @ A @ A.T @ form.R.T
        left = form.z - mass * form.R @ body
        logarithms.append(
            -0.5 * left @ np.linalg.solve(covariance, left) - 0.5 * np.linalg.slogdet(covariance)[1]
        )
    weight = prior * np.exp(np.array(logarithms) - max(logarithms))
    expected = weight @ bodies / weight.sum()
    found = suggested_body(form, few, mass)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


def test_without_data_it_is_the_priors_mean():
    silent = NormalForm(np.zeros((10, 10)), np.zeros(10), 0.0, 0)
    found = suggested_body(silent, SHAPE, 1.0)
    mean = ONE_MATERIAL * SHAPE.solid + (1 - ONE_MATERIAL) * SHAPE.bodies.mean(axis=0)
    np.testing.assert_allclose(found, mean, atol=1e-12)


def test_a_shape_without_bodies_is_homogeneous():
    form = wrench_form(BARS["head"], 0)
    found = suggested_body(form, HOMOGENEOUS, 0.6)
    np.testing.assert_allclose(found, SHAPE.solid, rtol=1e-12)


@pytest.mark.parametrize("name", BARS)
def test_two_materials_are_found_better(name):
    true = BARS[name]
    assert mean_error(true, SHAPE) < mean_error(true, HOMOGENEOUS)
    assert mean_error(true, SHAPE, 0.1) < 0.5 * mean_error(true, HOMOGENEOUS, 0.1)


@pytest.mark.parametrize("noise", [1.0, 0.1])
def test_one_material_is_found_about_as_well(noise):
    one = 0.6 * SHAPE.solid
    assert mean_error(one, SHAPE, noise) < 1.2 * mean_error(one, HOMOGENEOUS, noise)


@pytest.mark.parametrize("noise", [1.0, 0.1])
@pytest.mark.parametrize("name", UNFORESEEN)
def test_what_no_cut_describes_is_found_about_as_well(name, noise):
    true = UNFORESEEN[name]
    assert mean_error(true, SHAPE, noise) < 1.2 * mean_error(true, HOMOGENEOUS, noise)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*BARS, *UNFORESEEN])
def test_error_falls_with_data_whatever_the_body(name):
    """Where data are many, they win: a free fit's error is of the order of the noise."""
    true = {**BARS, **UNFORESEEN}[name]
    noises = np.array([1.0, 1e-2, 1e-3, 1e-4])
    found = np.array([mean_error(true, SHAPE, noise) for noise in noises])
    free = [
        np.mean([error(np.linalg.solve(form.R, form.z), true) for form in forms])
        for forms in ([wrench_form(true, seed, noise) for seed in range(6)] for noise in noises)
    ]
    assert (found < 1.1 * np.array(free)).all()
    assert (np.diff(found) < 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("noise", [1e-9, 1e-4, 1.0, 1e3, 1e7])
@pytest.mark.parametrize("name", ["head", "hollow"])
def test_estimates_are_consistent_at_any_noise(name, noise):
    true = {**BARS, **UNFORESEEN}[name]
    for seed in range(3):
        form = wrench_form(true, seed, noise)
        body = suggested_body(form, SHAPE, 0.6)
        assert body[0] == pytest.approx(1.0)
        assert is_physical(body)
        assert is_physical(estimate(form, SHAPE))


def test_suggested_body_does_not_depend_on_the_frame():
    rotation = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]
    rotation *= np.sign(np.linalg.det(rotation))
    shift = np.array([0.2, -0.1, 0.3])
    T = change_of_frame(rotation, shift)
    form = wrench_form(BARS["head"], 1)
    moved = NormalForm(form.R @ np.linalg.inv(T), form.z, form.residual, form.rows)
    found = suggested_body(moved, SHAPE.transformed(rotation, shift), 0.6)
    expected = T @ suggested_body(form, SHAPE, 0.6)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_suggested_body_does_not_depend_on_the_unit_of_length():
    scale = np.array([1.0, *[2.0] * 3, *[4.0] * 6])
    form = wrench_form(BARS["grip"], 1)
    scaled = NormalForm(form.R / scale, form.z, form.residual, form.rows)
    larger = replace(SHAPE, solid=scale * SHAPE.solid, bodies=SHAPE.bodies * scale)
    found = suggested_body(scaled, larger, 0.6)
    expected = scale * suggested_body(form, SHAPE, 0.6)
    np.testing.assert_allclose(found, expected, atol=1e-6)
