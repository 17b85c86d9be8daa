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
from problems import form_of, random_turn

DEPARTURE, DEGREES, MASS = 0.05, 2.0, 0.6
LENGTHS = np.array([0.3, 0.05, 0.03])
CORNERS = np.array(np.meshgrid(*([-x / 2, x / 2] for x in LENGTHS))).reshape(3, -1).T
SHAPE = Shape.from_hull(CORNERS)
HOMOGENEOUS = replace(SHAPE, bodies=SHAPE.bodies[:0])
INSIDE = np.random.default_rng(5).uniform(-LENGTHS / 2, LENGTHS / 2, size=(20_000, 3))


def bar(density):
    """Return phi of the bar with a density that depends on the place."""
    x, weight = np.column_stack([INSIDE, np.ones(len(INSIDE))]), density(INSIDE)
    return MASS * from_pseudo_inertia((x.T * weight) @ x / weight.sum())


TWO = {  # materials
    "head": bar(lambda x: np.where(x[:, 0] > 0.1, 7.8, 0.7)),
    "grip": bar(lambda x: np.where(x[:, 0] > -0.05, 7.8, 1.2)),
    "halves": bar(lambda x: np.where(x[:, 0] > 0.0, 7.8, 2.7)),
}
BARS = TWO | {  # and of no cut into a few parts
    "one material": MASS * SHAPE.solid,
    "graded": bar(lambda x: np.exp(8.0 * x[:, 0])),
    "striped": bar(lambda x: 1.0 + 6.0 * (np.sin(200.0 * x[:, 0]) > 0)),
    "cased": bar(lambda x: np.where(np.abs(x[:, 1]) > 0.02, 7.8, 0.7)),
    "hollow": bar(lambda x: np.where((np.abs(x) < 0.45 * LENGTHS).all(axis=1), 0.0, 1.0)),
}
EVERY_BAR = pytest.mark.parametrize("name", BARS)


def wrench_form(phi, seed, noise=1.0):
    """Return rows that see mass and centre of mass well, and the inertia poorly, as slow motion."""
    rng = np.random.default_rng(seed)
    sigma = np.array([2e-3, *[2e-4] * 3, *[1.5e-3] * 6]) * noise
    A = rng.normal(size=(40, 10)) / sigma / np.sqrt(40.0)
    return form_of(A, A @ phi + rng.normal(size=40))


def suggested(form, shape, mass=MASS):
    return BodyMixture.of(shape, DEPARTURE, DEGREES).suggested(form, mass)


def estimate(form, shape):
    """Return what `entropic` estimates from a normal form."""
    mass = float(np.linalg.solve(form.R, form.z)[0])
    return with_entropic_prior(form, mass * suggested(form, shape, mass), DEPARTURE)


def mean_error(true, noise, solve):
    forms = [wrench_form(true, seed, noise) for seed in range(6)]
    return np.mean([errors(solve(form), true, LENGTHS).inertia for form in forms])


def test_departures_are_those_of_the_entropic_distance():
    """For J = X (1 + S) X' the distance is |S|^2 / 2 to second order, but for the size."""
    gram = np.einsum("jab,kba->jk", ORTHONORMAL_BASIS, ORTHONORMAL_BASIS)
    np.testing.assert_allclose(gram, np.eye(10), atol=1e-15)
    D, X = departures(SHAPE.bodies[3:5])[0], np.linalg.cholesky(pseudo_inertia(SHAPE.bodies[3]))
    for u in 1e-3 * np.random.default_rng(0).normal(size=(5, 10)):
        S = np.tensordot(u, ORTHONORMAL_BASIS, axes=1)
        np.testing.assert_allclose(pseudo_inertia(D @ u), X @ S @ X.T, atol=1e-12)
        free = u @ u - np.trace(S) ** 2 / 4.0  # a multiple of the body is at no distance
        assert divergence(from_pseudo_inertia(np.eye(4) + S)) == pytest.approx(free / 2, rel=0.02)


def test_weights_are_gaussian_evidence():
    """Against the density of z, whose covariance is 1 + R A A' R'."""
    form, few = wrench_form(BARS["head"], 0, noise=30.0), replace(SHAPE, bodies=SHAPE.bodies[:7])
    bodies = np.vstack([np.tile(few.solid, (COPIES, 1)), few.bodies])
    prior = [ONE_MATERIAL / COPIES] * COPIES + [(1 - ONE_MATERIAL) / 7] * 7
    place = [(k + 0.5) * GOLDEN % 1.0 for k in [*range(COPIES), *range(7)]]
    logarithms = []
    for body, p, D in zip(bodies, place, departures(bodies), strict=True):
        variance = DEPARTURE**2 * DEGREES / gammaincinv(DEGREES, p)
        A = MASS * np.column_stack([np.sqrt(variance) * D, body])
        covariance = np.eye(10) + form.R @ A @ A.T @ form.R.T
        left = form.z - MASS * form.R @ body
        square = left @ np.linalg.solve(covariance, left)
        logarithms.append(-0.5 * square - 0.5 * np.linalg.slogdet(covariance)[1])
    weight = prior * np.exp(np.array(logarithms) - max(logarithms))
    expected = weight @ bodies / weight.sum()
    np.testing.assert_allclose(suggested(form, few), expected, rtol=1e-6, atol=1e-9)


def test_without_data_it_is_the_priors_mean_and_without_bodies_homogeneous():
    silent = NormalForm(np.zeros((10, 10)), np.zeros(10), 0.0, 0)
    mean = ONE_MATERIAL * SHAPE.solid + (1 - ONE_MATERIAL) * SHAPE.bodies.mean(axis=0)
    np.testing.assert_allclose(suggested(silent, SHAPE, 1.0), mean, atol=1e-12)
    found = suggested(wrench_form(BARS["head"], 0), HOMOGENEOUS)
    np.testing.assert_allclose(found, SHAPE.solid, rtol=1e-12)


@EVERY_BAR
def test_two_materials_are_found_better_and_what_no_cut_describes_about_as_well(name):
    for noise, part in ((1.0, 1.0), (0.1, 0.5)):
        found, plain = (
            mean_error(BARS[name], noise, lambda form, shape=shape: estimate(form, shape))
            for shape in (SHAPE, HOMOGENEOUS)
        )
        assert found < (part if name in TWO else 1.2) * plain


@EVERY_BAR
def test_error_falls_with_data_whatever_the_body_and_estimates_are_consistent(name):
    """Where data are many, they win: a free fit's error is of the order of the noise."""
    true, found = BARS[name], []
    for noise in (1.0, 1e-2, 1e-4):
        found.append(mean_error(true, noise, lambda form: estimate(form, SHAPE)))
        free = mean_error(true, noise, lambda form: np.linalg.solve(form.R, form.z))
        assert found[-1] < 1.1 * free
    assert (np.diff(found) < 0).all()
    for noise in (1e-9, 1.0, 1e3, 1e7):
        form = wrench_form(true, 0, noise)
        body = suggested(form, SHAPE)
        assert body[0] == pytest.approx(1.0)
        assert is_physical(body) and is_physical(estimate(form, SHAPE))


def test_suggested_body_depends_neither_on_the_frame_nor_on_the_unit_of_length():
    rotation, shift, form = random_turn(2), np.array([0.2, -0.1, 0.3]), wrench_form(BARS["head"], 1)
    scale = np.array([1.0, *[2.0] * 3, *[4.0] * 6])
    larger = replace(SHAPE, solid=scale * SHAPE.solid, bodies=SHAPE.bodies * scale)
    for T, shape in (
        (change_of_frame(rotation, shift), SHAPE.transformed(rotation, shift)),
        (np.diag(scale), larger),
    ):
        moved = NormalForm(form.R @ np.linalg.inv(T), form.z, form.residual, form.rows)
        expected = T @ suggested(form, SHAPE)
        np.testing.assert_allclose(suggested(moved, shape), expected, atol=1e-6)
