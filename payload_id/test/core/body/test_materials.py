"""Bodies of several materials that a shape may be."""

import numpy as np
import pytest

from payload_id.core.body import materials
from payload_id.core.body.inertial import (
    change_of_frame,
    from_mass_com_inertia,
    from_pseudo_inertia,
    is_physical,
    pseudo_inertia,
)
from payload_id.core.body.materials import bodies_of_materials
from payload_id.core.body.shape import Shape
from problems import random_turn


def box(low, high):
    return np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T


def points_in(low, high, count=1500, seed=0):
    return np.random.default_rng(seed).uniform(low, high, size=(count, 3))


HIGH = np.array([0.2, 0.02, 0.01])
SOLID = from_mass_com_inertia(1.0, np.zeros(3), np.diag(HIGH @ HIGH - HIGH**2) / 3)
POINTS, UNIT = points_in(-HIGH, HIGH), np.ones(1500)
BODIES = bodies_of_materials(POINTS, UNIT, SOLID)


def distance(phi, body):
    """Return the entropic distance of two bodies, whatever their masses."""
    values = np.linalg.eigvals(np.linalg.solve(pseudo_inertia(body), pseudo_inertia(phi))).real
    return 4.0 * np.log(values.mean()) - np.log(values).sum()


@pytest.mark.slow
def test_bodies_are_consistent_and_of_mass_one_also_of_few_points():
    assert len(BODIES) == materials.SEGMENTATIONS * materials.DENSITIES
    np.testing.assert_allclose(BODIES[:, 0], 1.0)
    for count in (4, 5, 30, 1500):
        bodies = bodies_of_materials(POINTS[:count], UNIT[:count], SOLID)
        assert all(is_physical(body, 1e-9 if count == 1500 else 0.0) for body in bodies)


def test_one_density_is_the_homogeneous_solid(monkeypatch):
    """Wherever the points are, the solid's moments are met."""
    monkeypatch.setattr(materials, "SPREAD", 0.0)
    volume = np.random.default_rng(1).uniform(0.5, 2.0, len(POINTS))
    bodies = bodies_of_materials(POINTS + 0.01 * POINTS**2, volume, SOLID)
    np.testing.assert_allclose(bodies, np.tile(SOLID, (len(bodies), 1)), atol=1e-12)


@pytest.mark.slow
def test_bodies_turn_shift_and_grow_with_the_points():
    rotation, shift = random_turn(1), np.random.default_rng(1).normal(size=3)
    for moved, T in (
        (POINTS @ rotation.T + shift, change_of_frame(rotation, shift)),
        (3.0 * POINTS, np.diag([1.0, *[3.0] * 3, *[9.0] * 6])),
    ):
        bodies = bodies_of_materials(moved, UNIT, T @ SOLID)
        np.testing.assert_allclose(bodies, BODIES @ T.T, atol=1e-9)
    shape, T = Shape.from_hull(box(-HIGH, HIGH)), change_of_frame(np.eye(3), shift)
    moved = shape.transformed(np.eye(3), shift)
    np.testing.assert_allclose(moved.bodies, shape.bodies @ T.T, atol=1e-12)


@pytest.mark.parametrize("cut", [-0.1, 0.0, 0.12])
@pytest.mark.parametrize("ratio", [0.13, 7.0])
def test_a_bar_of_two_materials_is_among_them(cut, ratio):
    density, x = np.where(POINTS[:, 0] > cut, ratio, 1.0), np.column_stack([POINTS, UNIT])
    true = from_pseudo_inertia((x.T * density) @ x / density.sum())
    nearest = min(distance(true, body) for body in BODIES)
    assert nearest < min(0.02, 0.1 * distance(true, SOLID))
