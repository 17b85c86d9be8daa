"""Shapes: solids, ellipsoids, points; what follows from them for every body inside."""

import numpy as np
import pytest

from arms import of_point_masses
from payload_id.core.body.ellipsoid import bounding_ellipsoid, row_of, slabs
from payload_id.core.body.inertial import change_of_frame, from_mass_com_inertia, pseudo_inertia
from payload_id.core.body.shape import FEWEST, Shape
from payload_id.core.body.solid import (
    hull_tetrahedra,
    phi_of_tetrahedra,
    points_in_tetrahedra,
    volumes,
)
from payload_id.core.errors import InputError
from problems import random_turn

SIZES = np.array([0.2, 0.1, 0.04])


def box(sizes, centre=(0.0, 0.0, 0.0)):
    """Return phi of a solid box of 1 kg."""
    return from_mass_com_inertia(1.0, centre, np.diag(sizes @ sizes - sizes**2) / 12)


CORNERS = np.array(np.meshgrid(*[[-0.5, 0.5]] * 3)).reshape(3, -1).T * SIZES
BOX, TETRAHEDRA = box(SIZES), hull_tetrahedra(CORNERS)


def inside(Q, points):
    x = np.column_stack([points, np.ones(len(points))])
    return np.einsum("ki,ij,kj->k", x, Q, x)


def volume(Q):
    E, h = -Q[:3, :3], Q[:3, 3]
    return (Q[3, 3] + h @ np.linalg.solve(E, h)) ** 1.5 / np.sqrt(np.linalg.det(E))


def test_box_of_tetrahedra_is_a_box_and_points_are_spread_over_it():
    assert volumes(TETRAHEDRA).sum() == pytest.approx(np.prod(SIZES))
    np.testing.assert_allclose(phi_of_tetrahedra(TETRAHEDRA), BOX, atol=1e-12)
    points = points_in_tetrahedra(TETRAHEDRA, 60)
    assert 50 <= len(points) <= 60
    assert (np.abs(points) < SIZES / 2).all()
    np.testing.assert_allclose(points.mean(axis=0), 0.0, atol=0.05 * SIZES.max())
    np.testing.assert_array_equal(points, points_in_tetrahedra(TETRAHEDRA, 60))
    assert len(Shape.from_hull(0.1 * CORNERS).points) == FEWEST


@pytest.mark.parametrize("seed", range(5))
def test_ellipsoid_contains_every_point_and_is_small(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(200, 3)) * [1.0, 0.1, 0.01] @ random_turn(seed) + rng.normal(size=3)
    Q = bounding_ellipsoid(points)
    values = inside(Q, points)
    assert values.min() >= -1e-9
    # Of the smallest ellipsoid at least four points are on it; no uniformly smaller one would do.
    assert np.count_nonzero(values < 1e-2) >= 4
    off, spread = points - np.linalg.solve(-Q[:3, :3], Q[:3, 3]), np.cov(points.T)
    reach = np.einsum("ki,ij,kj->k", off, np.linalg.inv(spread), off).max()
    assert np.linalg.det(-Q[:3, :3]) ** -0.5 <= 1.01 * np.sqrt(np.linalg.det(spread * reach))


@pytest.mark.parametrize("seed", range(5))
def test_rows_hold_for_every_body_inside_in_every_frame(seed):
    rng, shape, rotation = np.random.default_rng(seed), Shape.from_hull(CORNERS), random_turn(seed)
    translation = rng.normal(size=3)
    moved, T = shape.transformed(rotation, translation), change_of_frame(rotation, translation)
    for _ in range(20):
        phi = of_point_masses(rng.dirichlet(np.ones(8) * 0.2), CORNERS)
        assert (shape.rows() @ phi >= -1e-9).all() and (moved.rows() @ T @ phi >= -1e-9).all()
    outside = of_point_masses(np.ones(1), np.array([[0.12, 0.0, 0.0]]))
    assert (shape.rows() @ outside).min() < 0
    np.testing.assert_allclose(moved.solid, T @ BOX, atol=1e-12)
    assert (inside(moved.ellipsoids[0], moved.points) > 0).all()


def test_row_of_an_ellipsoid_is_the_trace_and_slabs_are_zero_on_their_faces():
    rng = np.random.default_rng(1)
    Q, phi = rng.normal(size=(4, 4)), rng.normal(size=10)
    assert row_of(Q + Q.T) @ phi == pytest.approx(np.trace(pseudo_inertia(phi) @ (Q + Q.T)))
    for beyond, slab in zip(
        np.eye(3), slabs(CORNERS.min(axis=0), CORNERS.max(axis=0)), strict=True
    ):
        np.testing.assert_allclose(inside(slab, CORNERS), 0.0, atol=1e-15)
        assert inside(slab, beyond[None])[0] < 0 < inside(slab, np.zeros((1, 3)))[0]


@pytest.mark.slow
def test_union_of_slabs_contains_the_body_and_less_air():
    rng = np.random.default_rng(3)
    handle = rng.uniform([0.0, -0.015, -0.015], [0.3, 0.015, 0.015], (200, 3))
    head = rng.uniform([0.3, -0.1, -0.03], [0.36, 0.1, 0.03], (200, 3))
    corners = np.concatenate([hull_tetrahedra(handle), hull_tetrahedra(head)])
    points = np.vstack([handle, head])
    one, both = (Shape.from_tetrahedra(points, corners, ellipsoids=k).ellipsoids for k in (1, 2))
    assert (len(one), len(both)) == (1, 2)
    mixed = (
        rng.dirichlet(np.ones(4), 5000)[:, None] @ corners[rng.integers(len(corners), size=5000)]
    )
    assert (np.max([inside(Q, mixed[:, 0]) for Q in both], axis=0) >= -1e-9).all()
    assert sum(map(volume, both)) < 0.6 * volume(one[0])
    with pytest.raises(InputError, match="ellipsoids"):
        Shape.from_tetrahedra(points, corners, ellipsoids=9)


def test_what_is_no_body_is_refused():
    for points, reason in (
        (np.zeros((3, 3)), "four points"),
        (np.zeros((10, 3)), "flat"),
        (np.random.default_rng(0).normal(size=(20, 3)) * [1, 1, 0], "flat"),
        (np.full((10, 3), np.nan), "10 of 10 points"),
        (np.zeros((10, 2)), "four points"),
    ):
        with pytest.raises(InputError, match=reason):
            Shape.from_hull(points)
    with pytest.raises(InputError, match="density"):
        Shape.from_hull(CORNERS, density=0.0)
