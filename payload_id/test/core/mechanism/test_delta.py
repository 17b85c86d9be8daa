"""A delta mechanism: closed loops, derivatives, virtual work, its own weight."""

import numpy as np
import pytest

from payload_id.core.errors import InputError
from payload_id.core.mechanism.delta import Delta, ReachError
from payload_id.core.mechanism.own_load import MechanismMasses, own_torque

STEP = 1e-5  # of finite differences [rad]
DELTA, MASSES = Delta(), MechanismMasses(0.4, 0.3, 0.2)
RNG = np.random.default_rng(3)
PLACES = [0.0, 0.0, 0.36] + RNG.uniform(-0.08, 0.08, (50, 3))
THETA = DELTA.inverse(PLACES)
DTHETA, DDTHETA, TAU = RNG.normal(size=(3, *THETA.shape))


def slopes(function):
    """Return the derivative of a function of the angles, in the last axis."""
    found = [(function(THETA + e) - function(THETA - e)) / (2 * STEP) for e in STEP * np.eye(3)]
    return np.stack(found, axis=-1)


def moving(t):
    """Return angles and their rates at a time."""
    return THETA + t * DTHETA + t**2 / 2 * DDTHETA, DTHETA + t * DDTHETA


def test_forward_and_inverse_are_inverse_and_loops_close():
    np.testing.assert_allclose(DELTA.forward(THETA), PLACES, atol=1e-12)
    lengths = np.linalg.norm(DELTA.legs(THETA, PLACES), axis=-1)
    np.testing.assert_allclose(lengths, DELTA.upper_leg, atol=1e-12)
    p = DELTA.forward(np.linspace(-0.7, 1.4, 20)[:, None] * np.ones(3))  # equal angles
    np.testing.assert_allclose(p[:, :2], 0.0, atol=1e-12)
    assert (np.diff(p[:, 2]) > 0).all()


def test_jacobian_and_acceleration_are_derivatives_of_the_forward_kinematics():
    np.testing.assert_allclose(DELTA.jacobian(THETA), slopes(DELTA.forward), atol=1e-8)
    h = 1e-4
    ahead, here, back = (DELTA.forward(moving(t)[0]) for t in (h, 0.0, -h))
    found = DELTA.acceleration(THETA, DTHETA, DDTHETA)
    np.testing.assert_allclose(found, (ahead - 2 * here + back) / h**2, atol=1e-5)


def test_force_and_torque_do_the_same_work():
    """Tau . dtheta = f . dp for every motion: f = J^-T tau."""
    dp = np.einsum("nij,nj->ni", DELTA.jacobian(THETA), DTHETA)
    work = np.sum(DELTA.force(THETA, TAU) * dp, axis=1)
    np.testing.assert_allclose(work, np.sum(TAU * DTHETA, axis=1), atol=1e-12)


def test_own_weight_is_the_slope_of_the_potential_energy():
    g = np.array([0.3, -0.2, -9.8])

    def energy(angles):
        p, knees = DELTA.forward(angles), DELTA.knees(angles)
        ends = p[:, None] + DELTA.platform_radius * DELTA.outward
        legs = MASSES.lower_leg * (knees + DELTA.base_radius * DELTA.outward)
        legs = (legs + MASSES.upper_leg * (knees + ends)) / 2
        return -(legs.sum(axis=1) + MASSES.platform * p) @ g

    still = np.zeros_like(THETA)
    found = own_torque(DELTA, MASSES, THETA, still, still, g)
    np.testing.assert_allclose(found, slopes(energy), atol=1e-8)


def test_own_inertia_takes_the_power_that_its_kinetic_energy_gains():
    def energy(t):
        angles, speed = moving(t)
        v = np.einsum("nij,nj->ni", DELTA.jacobian(angles), speed)
        u, w = DELTA.knee_slopes(angles) * speed[..., None], v[:, None]
        rods = MASSES.lower_leg * (u * u) + MASSES.upper_leg * (u * u + u * w + w * w)
        return rods.sum(axis=(1, 2)) / 6 + MASSES.platform * (v * v).sum(axis=1) / 2

    gained = (energy(STEP) - energy(-STEP)) / (2 * STEP)
    tau = own_torque(DELTA, MASSES, THETA, DTHETA, DDTHETA, np.zeros(3))
    np.testing.assert_allclose(np.sum(tau * DTHETA, axis=1), gained, atol=1e-6)


def test_what_is_out_of_reach_or_tells_no_force_is_said():
    far, mixed = np.array([3.0, -0.5, 1.0]), np.array([[0.5, 0.5, 0.5], [3.0, -0.5, 1.0]])
    outermost = DELTA.base_radius - DELTA.platform_radius
    height = np.sqrt((DELTA.lower_leg + DELTA.upper_leg) ** 2 - outermost**2) - 1e-9
    in_line = DELTA.inverse(np.array([0.0, 0.0, height]))  # legs with their lower parts: singular
    for words, call in (
        ("reach", lambda: DELTA.inverse(np.array([0.0, 0.0, 0.9]))),
        ("order, unit", lambda: DELTA.forward(far)),
        ("stretched", lambda: DELTA.force(in_line, np.ones(3))),
    ):
        with pytest.raises(ReachError, match=words):
            call()
    assert DELTA.usable(mixed).tolist() == [True, False]


def test_impossible_geometry_is_refused():
    for wrong in ({"lower_leg": 0.0}, {"leg_angles": (0, 0, 1)}, {"upper_leg": -1}):
        with pytest.raises(InputError):
            Delta(**wrong)
