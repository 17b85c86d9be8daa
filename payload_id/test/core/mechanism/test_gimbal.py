"""A gimbal: rotation, its inverse and its derivative in every order of axes."""

import numpy as np
import pytest

from payload_id.core.errors import InputError
from payload_id.core.mechanism.gimbal import ORDERS, Gimbal


def test_angles_are_the_inverse_and_angular_velocity_the_derivative_of_the_rotation():
    """[omega] = R' dR/dt."""
    angles, rates = np.random.default_rng(1).uniform(-1.2, 1.2, (2, 20, 3))
    for order in ORDERS:
        gimbal, h = Gimbal(order), 1e-6
        R, ahead, back = (gimbal.rotation(angles + step * rates) for step in (0.0, h, -h))
        np.testing.assert_allclose(gimbal.angles(R), angles, atol=1e-12)
        spin = np.einsum("nji,njk->nik", R, (ahead - back) / (2 * h))
        omega = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)
        np.testing.assert_allclose(gimbal.angular_velocity(angles, rates), omega, atol=1e-8)


def test_the_order_is_that_of_the_axes_from_the_platform():
    turned = Gimbal("xyz").rotation(np.array([[np.pi / 2, np.pi / 2, 0.0]]))[0]
    # First y, about its own axis, then x: z -> x -> x; x -> -z -> y.
    np.testing.assert_allclose(turned[:, [2, 0]], [[1, 0], [0, 1], [0, 0]], atol=1e-12)
    with pytest.raises(InputError, match="axes"):
        Gimbal("xzx")
