"""A delta mechanism: closed loops, derivatives, virtual work, its own weight."""

import numpy as np
import pytest

from payload_id.core.errors import InputError
from payload_id.core.mechanism.delta import Delta, ReachError
from payload_id.core.mechanism.own_load import MechanismMasses, own_torque

STEP = 1e-5  # of finite differences [rad]


@pytest.fixture
def delta():
    return Delta()


@pytest.fixture
def theta(delta, rng):
    return delta.inverse([0.0, 0.0, 0.36] + rng.uniform(-0.08, 0.08, (50, 3)))


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def test_forward_and_inverse_are_inverse_and_loops_close(delta, rng):
    p = [0.0, 0.0, 0.36] + rng.uniform(-0.08, 0.08, (50, 3))
    theta = delta.inverse(p)
    np.testing.assert_allclose(delta.forward(theta), p, atol=1e-12)
    np.testing.assert_allclose(delta.closure(theta, p), 0.0, atol=1e-12)


def test_equal_angles_lift_the_platform_straight_up(delta):
    p = delta.forward(np.linspace(-0.7, 1.4, 20)[:, None] * np.ones(3))
    np.testing.assert_allclose(p[:, :2], 0.0, atol=1e-12)
    assert (np.diff(p[:, 2]) > 0).all()


def test_jacobian_is_the_derivative_of_the_forward_kinematics(delta, theta):
    shift = STEP * np.eye(3)
    slopes = [(delta.forward(theta + e) - delta.forward(theta - e)) / (2 * STEP) for e in shift]
    np.testing.assert_allclose(delta.jacobian(theta), np.stack(slopes, axis=-1), atol=1e-8)


def test_force_and_torque_do_the_same_work(delta, theta, rng):
    """Tau . dtheta = f . dp for every motion: f = J^-T tau."""
    tau, dtheta = rng.normal(size=(2, *theta.shape))
    dp = np.einsum("nij,nj->ni", delta.jacobian(theta), dtheta)
    f = delta.force(theta, tau)
    np.testing.assert_allclose(np.sum(f * dp, 1), np.sum(tau * dtheta, 1), atol=1e-12)


def test_acceleration_is_the_second_derivative(delta, theta, rng):
    dtheta, ddtheta = rng.normal(size=(2, *theta.shape))
    h = 1e-4

    def p(t):
        return delta.forward(theta + t * dtheta + t**2 / 2 * ddtheta)

    found = (p(h) - 2 * p(0.0) + p(-h)) / h**2
    np.testing.assert_allclose(delta.acceleration(theta, dtheta, ddtheta), found, atol=1e-5)


def test_own_weight_is_the_slope_of_the_potential_energy(delta, theta):
    masses, g = MechanismMasses(0.4, 0.3, 0.2), np.array([0.3, -0.2, -9.8])

    def energy(angles):
        p, knees = delta.forward(angles), delta.knees(angles)
        ends = p[:, None] + delta.platform_radius * delta.outward
        hinges = delta.base_radius * delta.outward
        lower = masses.lower_leg * (knees + hinges) / 2
        upper = masses.upper_leg * (knees + ends) / 2
        return -((lower + upper).sum(axis=1) + masses.platform * p) @ g

    still = np.zeros_like(theta)
    slopes = [(energy(theta + e) - energy(theta - e)) / (2 * STEP) for e in STEP * np.eye(3)]
    found = own_torque(delta, masses, theta, still, still, g)
    np.testing.assert_allclose(found, np.stack(slopes, axis=-1), atol=1e-8)


def test_own_inertia_takes_the_power_that_its_kinetic_energy_gains(delta, theta, rng):
    masses, dtheta = MechanismMasses(0.4, 0.3, 0.2), rng.normal(size=theta.shape)
    ddtheta = rng.normal(size=theta.shape)

    def energy(t):
        angles, speed = theta + t * dtheta + t**2 / 2 * ddtheta, dtheta + t * ddtheta
        v = np.einsum("nij,nj->ni", delta.jacobian(angles), speed)
        u = delta.knee_slopes(angles) * speed[..., None]
        w = v[:, None]
        rods = masses.lower_leg * (u * u) + masses.upper_leg * (u * u + u * w + w * w)
        return rods.sum(axis=(1, 2)) / 6 + masses.platform * (v * v).sum(axis=1) / 2

    gained = (energy(STEP) - energy(-STEP)) / (2 * STEP)
    tau = own_torque(delta, masses, theta, dtheta, ddtheta, np.zeros(3))
    np.testing.assert_allclose(np.sum(tau * dtheta, axis=1), gained, atol=1e-6)


def test_a_leg_at_any_angle_is_turned_with_the_mechanism(delta, theta):
    """Turning all legs around z turns positions with them."""
    turn = 0.4
    other = Delta(leg_angles=tuple(a + turn for a in delta.leg_angles))
    c, s = np.cos(turn), np.sin(turn)
    rotation = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    np.testing.assert_allclose(other.forward(theta), delta.forward(theta) @ rotation.T, atol=1e-12)


def test_what_is_out_of_reach_is_said():
    delta = Delta()
    with pytest.raises(ReachError, match="out of the mechanism's reach"):
        delta.inverse(np.array([0.0, 0.0, 0.9]))
    with pytest.raises(ReachError, match="order, unit"):
        delta.forward(np.array([3.0, -0.5, 1.0]))
    mixed = np.array([[0.5, 0.5, 0.5], [3.0, -0.5, 1.0]])
    assert delta.usable(mixed).tolist() == [True, False]


def test_stretched_legs_tell_no_force():
    """Where the leg lies in line with its lower part, D is singular."""
    delta = Delta()
    p = np.array([0.0, 0.0, 0.0])
    outermost = delta.base_radius - delta.platform_radius
    p[2] = np.sqrt((delta.lower_leg + delta.upper_leg) ** 2 - outermost**2) - 1e-9
    with pytest.raises(ReachError, match="stretched"):
        delta.force(delta.inverse(p), np.ones(3))


@pytest.mark.parametrize(
    "wrong", [{"lower_leg": 0.0}, {"leg_angles": (0, 0, 1)}, {"upper_leg": -1}]
)
def test_impossible_geometry_is_refused(wrong):
    with pytest.raises(InputError):
        Delta(**wrong)
