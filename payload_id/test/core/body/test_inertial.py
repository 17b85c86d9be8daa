"""Inertial parameters and the ways to write them."""

import numpy as np
import pinocchio as pin
import pytest

from arms import PAYLOADS, draw_payload, of_point_masses
from payload_id.core.body.inertial import (
    PARAMETERS,
    TO_PINOCCHIO,
    UNITS,
    as_phi,
    change_of_frame,
    from_mass_com_inertia,
    from_pseudo_inertia,
    inertia_matrix,
    is_physical,
    mass_com_inertia,
    pseudo_inertia,
    skew,
)
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.errors import InputError

SEEDS = pytest.mark.parametrize("seed", range(5))


def random_transform(rng):
    rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return rotation * np.linalg.det(rotation), rng.normal(size=3)


@SEEDS
def test_point_masses_add_up(seed):
    rng = np.random.default_rng(seed)
    masses, points = rng.uniform(0.1, 2, 6), rng.normal(size=(6, 3))
    phi = of_point_masses(masses, points)
    assert phi[0] == pytest.approx(masses.sum())
    np.testing.assert_allclose(phi[1:4], masses @ points)
    inertia = sum(m * skew(p) @ skew(p).T for m, p in zip(masses, points, strict=True))
    np.testing.assert_allclose(inertia_matrix(phi), inertia)
    second = sum(m * np.outer(p, p) for m, p in zip(masses, points, strict=True))
    np.testing.assert_allclose(pseudo_inertia(phi)[:3, :3], second)


@SEEDS
def test_every_form_can_be_read_back(seed):
    phi = draw_payload(np.random.default_rng(seed))
    np.testing.assert_allclose(from_pseudo_inertia(pseudo_inertia(phi)), phi, atol=1e-14)
    np.testing.assert_allclose(from_mass_com_inertia(*mass_com_inertia(phi)), phi, atol=1e-14)
    there = pin.Inertia.FromDynamicParameters(phi[TO_PINOCCHIO])
    np.testing.assert_allclose(there.toDynamicParameters()[TO_PINOCCHIO], phi, atol=1e-14)
    mass, com, inertia = mass_com_inertia(phi)
    assert there.mass == pytest.approx(mass)
    np.testing.assert_allclose(there.lever, com, atol=1e-14)
    np.testing.assert_allclose(there.inertia, inertia, atol=1e-14)


@SEEDS
def test_change_of_frame_is_pinocchios(seed):
    rng = np.random.default_rng(seed)
    phi, (rotation, translation) = draw_payload(rng), random_transform(rng)
    seen = pin.SE3(rotation, translation).act(pin.Inertia.FromDynamicParameters(phi[TO_PINOCCHIO]))
    T = change_of_frame(rotation, translation)
    np.testing.assert_allclose(T @ phi, seen.toDynamicParameters()[TO_PINOCCHIO], atol=1e-12)
    back = change_of_frame(rotation.T, -rotation.T @ translation)
    np.testing.assert_allclose(back @ T, np.eye(10), atol=1e-12)


@SEEDS
def test_changes_of_frame_compose(seed):
    rng = np.random.default_rng(seed)
    (R1, p1), (R2, p2) = random_transform(rng), random_transform(rng)
    both = change_of_frame(R1 @ R2, p1 + R1 @ p2)
    np.testing.assert_allclose(change_of_frame(R1, p1) @ change_of_frame(R2, p2), both, atol=1e-12)


@SEEDS
@pytest.mark.parametrize("kind", PAYLOADS)
def test_bodies_that_exist_are_consistent(seed, kind):
    phi = draw_payload(np.random.default_rng(seed), kind)
    smallest = np.linalg.eigvalsh(pseudo_inertia(phi))[0]
    assert is_physical(phi, -1e-12)
    assert is_physical(phi, 1e-12) == (kind == "cloud")
    assert smallest == pytest.approx(0.0, abs=1e-12) or kind == "cloud"


@SEEDS
def test_consistency_is_that_of_some_mass_distribution(seed):
    # J > 0 iff no half-space quadratic form of the mass is negative: compare with sampled bodies.
    rng = np.random.default_rng(seed)
    for _ in range(50):
        phi = draw_payload(rng) + 0.3 * rng.normal(size=10) * np.abs(draw_payload(rng))
        J = pseudo_inertia(phi)
        values, vectors = np.linalg.eigh(J)
        if is_physical(phi):
            # Four point masses in the directions of the eigenvectors are such a body.
            points = vectors * np.sqrt(values)
            np.testing.assert_allclose(from_pseudo_inertia(points @ points.T), phi, atol=1e-12)
        else:
            worst = vectors[:, 0]
            assert worst @ J @ worst <= 0.0


def test_triangle_inequality_matters():
    long = from_mass_com_inertia(1.0, np.zeros(3), np.diag([0.01, 0.01, 0.03]))
    assert not is_physical(long)
    assert is_physical(from_mass_com_inertia(1.0, np.zeros(3), np.diag([0.01, 0.01, 0.019])))


def test_no_mass_has_no_centre():
    mass, com, inertia = mass_com_inertia(np.zeros(10))
    assert mass == 0.0
    assert np.isnan(com).all()
    assert np.isnan(inertia).all()


def test_names_and_units_go_together():
    assert len(PARAMETERS) == len(UNITS) == 10


@pytest.mark.parametrize("wrong", [np.zeros(9), np.full(10, np.nan), [[1.0] * 10]])
def test_anything_but_ten_numbers_is_refused(wrong):
    with pytest.raises(InputError, match="ten finite numbers"):
        as_phi(wrong)


@pytest.mark.parametrize("seed", range(20))
def test_prior_holds_every_payload_within_its_ball(seed):
    rng = np.random.default_rng(seed)
    prior = PayloadPrior(mass_max=2.0, com_max=0.5)
    lower, upper = prior.box()
    directions = rng.normal(size=(5, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    points = directions * (0.5 * rng.choice([1.0, rng.uniform()], 5))[:, None]
    phi = of_point_masses(rng.dirichlet(np.ones(5)) * 2.0, points)
    assert (phi >= lower - 1e-12).all()
    assert (phi <= upper + 1e-12).all()
    assert (prior.shape() @ phi >= -1e-12).all()


def test_prior_is_reached():
    lower, upper = PayloadPrior(mass_max=2.0, com_max=0.5).box()
    corners = 0.5 * np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1]])
    corners /= np.linalg.norm(corners, axis=1)[:, None] / 0.5
    extreme = [of_point_masses(np.array([2.0]), corner[None]) for corner in (*corners, *-corners)]
    np.testing.assert_allclose(np.max(extreme, axis=0)[[0, 1, 4]], upper[[0, 1, 4]])
    np.testing.assert_allclose(np.min(extreme, axis=0)[[1, 5]], lower[[1, 5]])
