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
    signed_volumes,
    winding_number,
)
from payload_id.core.errors import InputError

CORNERS = np.array(np.meshgrid([-0.1, 0.1], [-0.05, 0.05], [-0.02, 0.02])).reshape(3, -1).T
SIZES = np.array([0.2, 0.1, 0.04])
BOX = from_mass_com_inertia(1.0, np.zeros(3), np.diag(SIZES @ SIZES - SIZES**2) / 12)


def turn(seed):
    rotation = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    return rotation * np.sign(np.linalg.det(rotation))


def inside(Q, points):
    x = np.column_stack([points, np.ones(len(points))])
    return np.einsum("ki,ij,kj->k", x, Q, x)


def test_box_of_tetrahedra_is_a_box():
    tetrahedra = hull_tetrahedra(CORNERS)
    assert np.abs(signed_volumes(tetrahedra)).sum() == pytest.approx(np.prod(SIZES))
    np.testing.assert_allclose(phi_of_tetrahedra(tetrahedra), BOX, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_ellipsoid_contains_every_point_and_is_small(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(200, 3)) * [1.0, 0.1, 0.01] @ turn(seed) + rng.normal(size=3)
    Q = bounding_ellipsoid(points)
    values = inside(Q, points)
    assert values.min() >= -1e-9
    # Of the smallest ellipsoid at least four points are on it; no uniformly smaller one would do.
    assert np.count_nonzero(values < 1e-2) >= 4
    centre = np.linalg.solve(-Q[:3, :3], Q[:3, 3])
    volume = np.linalg.det(-Q[:3, :3]) ** -0.5
    spread = np.cov(points.T)
    reach = np.einsum("ki,ij,kj->k", points - centre, np.linalg.inv(spread), points - centre).max()
    assert volume <= 1.01 * np.sqrt(np.linalg.det(spread * reach))


def test_ellipsoid_of_a_ball_is_that_ball():
    points = np.random.default_rng(0).normal(size=(2000, 3))
    points = 0.3 * points / np.linalg.norm(points, axis=1)[:, None] + [1.0, 2.0, 3.0]
    Q = bounding_ellipsoid(points)
    np.testing.assert_allclose(-Q[:3, :3] * 0.09, np.eye(3), atol=0.02)
    np.testing.assert_allclose(np.linalg.solve(-Q[:3, :3], Q[:3, 3]), [1, 2, 3], atol=0.01)


@pytest.mark.parametrize("seed", range(5))
def test_rows_hold_for_every_body_inside_in_every_frame(seed):
    rng = np.random.default_rng(seed)
    shape = Shape.from_hull(CORNERS)
    rotation, translation = turn(seed), rng.normal(size=3)
    moved = shape.transformed(rotation, translation)
    for _ in range(20):
        masses = rng.dirichlet(np.ones(8) * 0.2)
        assert (shape.rows() @ of_point_masses(masses, CORNERS) >= -1e-9).all()
        there = of_point_masses(masses, CORNERS @ rotation.T + translation)
        assert (moved.rows() @ there >= -1e-9).all()
    outside = of_point_masses(np.ones(1), np.array([[0.12, 0.0, 0.0]]))
    assert (shape.rows() @ outside).min() < 0
    np.testing.assert_allclose(
        moved.solid, change_of_frame(rotation, translation) @ BOX, atol=1e-12
    )
    assert (inside(moved.ellipsoids[0], moved.points) > 0).all()


def test_row_of_an_ellipsoid_is_the_trace():
    rng = np.random.default_rng(1)
    Q = rng.normal(size=(4, 4))
    phi = rng.normal(size=10)
    assert row_of(Q + Q.T) @ phi == pytest.approx(np.trace(pseudo_inertia(phi) @ (Q + Q.T)))


def test_slabs_are_zero_on_their_faces():
    for k, Q in enumerate(slabs(CORNERS[0], CORNERS[-1])):
        np.testing.assert_allclose(inside(Q, CORNERS), 0.0, atol=1e-15)
        beyond = np.zeros((1, 3))
        beyond[0, k] = 1.0
        assert inside(Q, beyond)[0] < 0 < inside(Q, np.zeros((1, 3)))[0]


def test_points_are_spread_over_the_solid():
    points = points_in_tetrahedra(hull_tetrahedra(CORNERS), 60)
    assert 50 <= len(points) <= 60
    assert (np.abs(points) < SIZES / 2).all()
    np.testing.assert_allclose(points.mean(axis=0), 0.0, atol=0.05 * SIZES.max())
    np.testing.assert_array_equal(points, points_in_tetrahedra(hull_tetrahedra(CORNERS), 60))
    assert len(Shape.from_hull(0.1 * CORNERS).points) == FEWEST


_SQUARE = ((-1, -1), (1, -1), (1, 1), (-1, 1))


def test_winding_number_tells_inside_from_outside():
    points = np.random.default_rng(2).uniform(-0.15, 0.15, (300, 3))
    faces = []
    for axis in range(3):
        u, v = np.eye(3)[(axis + 1) % 3], np.eye(3)[(axis + 2) % 3]
        for side in (-1.0, 1.0):
            square = [side * np.eye(3)[axis] + a * u + b * side * v for a, b in _SQUARE]
            faces += [[square[0], square[1], square[2]], [square[0], square[2], square[3]]]
    found = winding_number(points, np.array(faces) * SIZES / 2)
    expected = (np.abs(points) < SIZES / 2).all(axis=1)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def sampled_box(count, sizes, seed=0):
    """Return points all over the surface of a box."""
    rng = np.random.default_rng(seed)
    area = np.prod(sizes) / sizes
    side = rng.choice(3, size=count, p=area / area.sum())
    points = rng.uniform(-0.5, 0.5, (count, 3)) * sizes
    points[np.arange(count), side] = rng.choice([-0.5, 0.5], count) * sizes[side]
    return points


@pytest.mark.slow
def test_solid_behind_a_cloud_has_its_notches():
    # Two arms of an L, sampled separately; its hull is twice as large.
    one, other = np.array([0.3, 0.05, 0.05]), np.array([0.05, 0.25, 0.05])
    points = np.vstack([sampled_box(1500, one), sampled_box(1500, other) + [0.125, 0.15, 0]])
    expected = np.prod(one) * from_mass_com_inertia(1, np.zeros(3), box_inertia(one))
    expected = expected + np.prod(other) * from_mass_com_inertia(
        1, [0.125, 0.15, 0], box_inertia(other)
    )
    expected /= expected[0]
    carved, hull = Shape.from_surface_points(points), Shape.from_hull(points)
    assert np.abs(carved.solid - expected).max() < 0.1 * np.abs(hull.solid - expected).max()


def box_inertia(sizes):
    return np.diag(sizes @ sizes - sizes**2) / 12


def test_thick_bodies_are_not_hollow():
    points = sampled_box(2000, SIZES)
    np.testing.assert_allclose(Shape.from_surface_points(points).solid, BOX, atol=0.02 * BOX[9])


@pytest.mark.parametrize(
    ("points", "reason"),
    [
        (np.zeros((3, 3)), "four points"),
        (np.zeros((10, 3)), "flat"),
        (np.random.default_rng(0).normal(size=(20, 3)) * [1, 1, 0], "flat"),
        (np.full((10, 3), np.nan), "10 of 10 points"),
        (np.zeros((10, 2)), "four points"),
    ],
)
def test_what_is_no_body_is_refused(points, reason):
    with pytest.raises(InputError, match=reason):
        Shape.from_hull(points)


def test_density_must_be_positive():
    with pytest.raises(InputError, match="density above 0"):
        Shape.from_hull(CORNERS, density=0.0)


@pytest.mark.slow
def test_union_of_slabs_contains_the_body_and_less_air():
    rng = np.random.default_rng(3)
    handle = rng.uniform([0.0, -0.015, -0.015], [0.3, 0.015, 0.015], (400, 3))
    head = rng.uniform([0.3, -0.1, -0.03], [0.36, 0.1, 0.03], (400, 3))
    corners = np.concatenate([hull_tetrahedra(handle), hull_tetrahedra(head)])
    points = np.vstack([handle, head])
    one = Shape.from_tetrahedra(points, corners)
    both = Shape.from_tetrahedra(points, corners, ellipsoids=2)
    assert (len(one.ellipsoids), len(both.ellipsoids)) == (1, 2)
    inside = (
        rng.dirichlet(np.ones(4), 5000)[:, None] @ corners[rng.integers(len(corners), size=5000)]
    )
    x = np.column_stack([inside[:, 0], np.ones(5000)])
    values = np.stack([np.einsum("ki,ij,kj->k", x, Q, x) for Q in both.ellipsoids])
    assert (values.max(axis=0) >= -1e-9).all()

    def volume(Q):
        E, h = -Q[:3, :3], Q[:3, 3]
        return (Q[3, 3] + h @ np.linalg.solve(E, h)) ** 1.5 / np.sqrt(np.linalg.det(E))

    assert sum(map(volume, both.ellipsoids)) < 0.6 * volume(one.ellipsoids[0])
    with pytest.raises(InputError, match="1 to 8 ellipsoids"):
        Shape.from_tetrahedra(points, corners, ellipsoids=9)


def test_winding_number_of_a_ring_turned_and_doubled():
    """A torus as triangles, turned any way: inside is what is near its circle."""
    trimesh = pytest.importorskip("trimesh")
    ring = trimesh.creation.torus(0.06, 0.02, major_sections=120, minor_sections=60)
    rng = np.random.default_rng(5)
    points = rng.uniform(-0.1, 0.1, (2000, 3))
    off = np.hypot(np.hypot(points[:, 0], points[:, 1]) - 0.06, points[:, 2]) - 0.02
    clear = np.abs(off) > 5e-4
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    triangles = np.asarray(ring.triangles) @ turn.T
    found = winding_number(points @ turn.T, triangles)
    assert np.array_equal(found[clear], np.where(off < 0, 1.0, 0.0)[clear])
    twice = winding_number(points @ turn.T, np.concatenate([triangles, triangles]))
    assert np.array_equal(twice, 2.0 * found)
