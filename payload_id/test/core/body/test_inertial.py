"""Inertial parameters and the ways to write them."""

import numpy as np
import pinocchio as pin
import pytest

from arms import PAYLOADS, draw_payload, of_point_masses
from payload_id.core.body.four_masses import four_masses
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
from problems import random_turn

SEEDS = pytest.mark.parametrize("seed", range(5))


@SEEDS
def test_four_masses_have_the_parameters_of_a_body_and_are_in_the_ellipsoid_that_holds_it(seed):
    rng = np.random.default_rng(seed)
    inside = rng.normal(size=(12, 3))
    inside *= rng.uniform(0.0, 1.0, (12, 1)) / np.linalg.norm(inside, axis=1, keepdims=True)
    map_, centre = rng.normal(size=(3, 3)) * 0.1, rng.normal(size=3) * 0.2
    phi = of_point_masses(rng.uniform(0.0, 1.0, 12), inside @ map_.T + centre)
    root = np.column_stack([np.linalg.inv(map_), -np.linalg.solve(map_, centre)])
    Q = np.diag([0.0, 0.0, 0.0, 1.0]) - root.T @ root
    for volume, off in ((Q, 1e-9), (None, np.inf)):
        masses, places = four_masses(phi, volume)
        np.testing.assert_allclose(of_point_masses(masses, places), phi, atol=1e-9)
        assert (masses > 0.0).all()
        assert (np.linalg.norm(np.linalg.solve(map_, (places - centre).T), axis=0) <= 1 + off).all()
    far = np.linalg.norm(places - mass_com_inertia(phi)[1], axis=1)
    np.testing.assert_allclose(far, far[0], rtol=1e-6)


@SEEDS
def test_point_masses_add_up(seed):
    rng = np.random.default_rng(seed)
    masses, points = rng.uniform(0.1, 2, 6), rng.normal(size=(6, 3))
    phi = of_point_masses(masses, points)
    assert phi[0] == pytest.approx(masses.sum())
    np.testing.assert_allclose(phi[1:4], masses @ points)
    inertia = sum(m * skew(p) @ skew(p).T for m, p in zip(masses, points, strict=True))
    np.testing.assert_allclose(inertia_matrix(phi), inertia)
    np.testing.assert_allclose(pseudo_inertia(phi)[:3, :3], (points.T * masses) @ points)


@SEEDS
def test_every_form_can_be_read_back_and_is_pinocchios(seed):
    phi = draw_payload(np.random.default_rng(seed))
    there = pin.Inertia.FromDynamicParameters(phi[TO_PINOCCHIO])
    for again in (
        from_pseudo_inertia(pseudo_inertia(phi)),
        from_mass_com_inertia(*mass_com_inertia(phi)),
        there.toDynamicParameters()[TO_PINOCCHIO],
    ):
        np.testing.assert_allclose(again, phi, atol=1e-14)
    expected = there.mass, there.lever, there.inertia
    for found, theirs in zip(mass_com_inertia(phi), expected, strict=True):
        np.testing.assert_allclose(found, theirs, atol=1e-14)


@SEEDS
def test_changes_of_frame_are_pinocchios_and_compose(seed):
    rng, R = np.random.default_rng(seed), random_turn(seed)
    phi, p, other = draw_payload(rng), rng.normal(size=3), rng.normal(size=3)
    seen = pin.SE3(R, p).act(pin.Inertia.FromDynamicParameters(phi[TO_PINOCCHIO]))
    T, turn = change_of_frame(R, p), random_turn(seed + 5)
    np.testing.assert_allclose(T @ phi, seen.toDynamicParameters()[TO_PINOCCHIO], atol=1e-12)
    np.testing.assert_allclose(change_of_frame(R.T, -R.T @ p) @ T, np.eye(10), atol=1e-12)
    both = change_of_frame(R @ turn, p + R @ other)
    np.testing.assert_allclose(T @ change_of_frame(turn, other), both, atol=1e-12)


@SEEDS
def test_consistency_is_that_of_some_mass_distribution(seed):
    rng = np.random.default_rng(seed)
    for kind in PAYLOADS:
        phi = draw_payload(rng, kind)
        assert is_physical(phi, -1e-12)
        assert is_physical(phi, 1e-12) == (kind == "cloud")
    for _ in range(50):
        phi = draw_payload(rng) + 0.3 * rng.normal(size=10) * np.abs(draw_payload(rng))
        values, vectors = np.linalg.eigh(pseudo_inertia(phi))
        assert is_physical(phi) == (values[0] > 0.0)
        if is_physical(phi):
            # Four point masses in the directions of the eigenvectors are such a body.
            points = vectors * np.sqrt(values)
            np.testing.assert_allclose(from_pseudo_inertia(points @ points.T), phi, atol=1e-12)


def test_no_mass_has_no_centre_and_anything_but_ten_numbers_is_refused():
    mass, com, inertia = mass_com_inertia(np.zeros(10))
    assert mass == 0.0
    assert np.isnan(com).all() and np.isnan(inertia).all()
    assert len(PARAMETERS) == len(UNITS) == 10
    for wrong in (np.zeros(9), np.full(10, np.nan), [[1.0] * 10]):
        with pytest.raises(InputError, match="ten finite numbers"):
            as_phi(wrong)


def test_prior_holds_every_payload_within_its_ball_and_is_reached():
    prior, rng = PayloadPrior(mass_max=2.0, com_max=0.5), np.random.default_rng(0)
    lower, upper = prior.box()
    for _ in range(100):
        directions = rng.normal(size=(5, 3)) * rng.choice([0.0, 1.0], (5, 3)) + 1e-9
        points = 0.5 * directions / np.linalg.norm(directions, axis=1)[:, None]
        points *= rng.choice([1.0, rng.uniform()], 5)[:, None]
        phi = of_point_masses(rng.dirichlet(np.ones(5)) * 2.0, points)
        assert (phi >= lower - 1e-12).all() and (phi <= upper + 1e-12).all()
        assert (prior.shape() @ phi >= -1e-12).all()
    corners = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1]])
    corners = 0.5 * corners / np.linalg.norm(corners, axis=1)[:, None]
    extreme = [of_point_masses(np.array([2.0]), corner[None]) for corner in (*corners, *-corners)]
    np.testing.assert_allclose(np.max(extreme, axis=0)[[0, 1, 4]], upper[[0, 1, 4]])
    np.testing.assert_allclose(np.min(extreme, axis=0)[[1, 5]], lower[[1, 5]])
