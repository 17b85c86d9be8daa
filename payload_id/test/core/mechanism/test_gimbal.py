"""A gimbal: rotation, its inverse and its derivative in every order of axes."""

import numpy as np
import pytest

from payload_id.core.errors import InputError
from payload_id.core.mechanism.gimbal import ORDERS, Gimbal


@pytest.mark.parametrize("order", ORDERS)
def test_angles_and_rotation_are_inverse(order):
    angles = np.random.default_rng(0).uniform(-1.2, 1.2, (20, 3))
    gimbal = Gimbal(order)
    np.testing.assert_allclose(gimbal.angles(gimbal.rotation(angles)), angles, atol=1e-12)


@pytest.mark.parametrize("order", ORDERS)
def test_angular_velocity_is_the_derivative_of_the_rotation(order):
    """[omega] = R' dR/dt."""
    angles, rates = np.random.default_rng(1).uniform(-1.0, 1.0, (2, 20, 3))
    gimbal, h = Gimbal(order), 1e-6
    R = gimbal.rotation(angles)
    slope = (gimbal.rotation(angles + h * rates) - gimbal.rotation(angles - h * rates)) / (2 * h)
    spin = np.einsum("nji,njk->nik", R, slope)
    omega = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)
    np.testing.assert_allclose(gimbal.angular_velocity(angles, rates), omega, atol=1e-8)


def test_the_order_is_that_of_the_axes_from_the_platform():
    turned = Gimbal("xyz").rotation(np.array([[np.pi / 2, np.pi / 2, 0.0]]))[0]
    # First y, about its own axis, then x: z -> x -> x; x -> -z -> y.
    np.testing.assert_allclose(turned @ [0, 0, 1], [1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(turned @ [1, 0, 0], [0, 1, 0], atol=1e-12)


def test_lock_is_where_the_middle_axis_is_at_a_right_angle():
    locked = Gimbal("xyz").is_locked(np.deg2rad([[0.0, 89.0, 0.0], [89.0, 0.0, 89.0]]))
    assert locked.tolist() == [True, False]


def test_axes_must_differ():
    with pytest.raises(InputError, match="three different axes"):
        Gimbal("xzx")
