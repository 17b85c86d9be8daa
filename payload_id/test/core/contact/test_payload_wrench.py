"""The payload's wrench is what Pinocchio's inverse dynamics says the joints bear."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arms import EVERY_ARM, Motion, arm, draw_payload, joint_torques
from payload_id.core.arm.kinetics import body_motion
from payload_id.core.contact.payload_wrench import wrench_coefficients
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.samples.joint_samples import Samples


def moving(model, seed, count=21, rate=1000.0):
    rng = np.random.default_rng(seed)
    motion = Motion.draw(model, rng)
    t = 1.0 + np.arange(count) / rate
    q, dq, ddq = motion.at(t)
    return Samples(t, q, dq, np.zeros_like(q)), ddq, draw_payload(rng)


@pytest.mark.parametrize("name", EVERY_ARM)
def test_joints_bear_the_payload_by_its_wrench(name):
    model = arm(name)
    samples, ddq, phi = moving(model, 3)
    W, error = wrench_coefficients(MomentumRows.of(model, Uncertainty()), samples)
    still = (model, model.link_phi)
    with_it, without = (
        joint_torques(*still, body, samples.q, samples.dq, ddq) for body in (phi, np.zeros(10))
    )
    middle = len(samples) // 2
    axis = body_motion(model, samples.q, samples.dq).axis[middle, -1]
    borne = (with_it - without)[middle]
    # The mean of a smooth motion over 20 ms is its middle up to second order.
    size = np.abs(borne).max() + 1.0
    np.testing.assert_allclose(axis @ (W @ phi), borne, atol=2e-3 * size)
    assert (error @ np.abs(phi) < 1e-2 * size).all()


def test_at_rest_it_is_the_weight():
    model = arm("gen3")
    q = np.tile(np.linspace(-1.0, 1.0, model.n), (11, 1))
    samples = Samples(np.arange(11) / 100.0, q, np.zeros_like(q), np.zeros_like(q))
    W, _ = wrench_coefficients(MomentumRows.of(model, Uncertainty()), samples)
    phi = draw_payload(np.random.default_rng(1))
    gravity = body_motion(model, q, np.zeros_like(q)).gravity[0, -1]
    np.testing.assert_allclose((W @ phi)[:3], -phi[0] * gravity, atol=1e-9)
    np.testing.assert_allclose((W @ phi)[3:], -np.cross(phi[1:4], gravity), atol=1e-9)


@pytest.mark.parametrize("name", ("gen3", "branched"))
def test_errors_of_the_motion_stay_within_the_bound(name):
    model = arm(name)
    uncertainty = Uncertainty(
        position_error=1e-3, joint_zero=1e-3, velocity_error=5e-3, gravity_error=0.05
    )
    rows = MomentumRows.of(model, uncertainty)
    samples, _, _ = moving(model, 5, count=51)
    exact, remainder = wrench_coefficients(MomentumRows.of(model, Uncertainty()), samples)
    rng = np.random.default_rng(2)
    for _ in range(20):
        signs = rng.choice([-1.0, 1.0], (3, *samples.q.shape))
        zero = 1e-3 * rng.choice([-1.0, 1.0], model.n)
        wrong = replace(
            samples,
            q=samples.q + zero + 1e-3 * signs[0],
            dq=samples.dq + 5e-3 * signs[1],
        )
        tilted = replace(
            rows, model=replace(model, gravity=model.gravity + 0.05 * rng.uniform(-1, 1, 3))
        )
        W, error = wrench_coefficients(tilted, wrong)
        assert (np.abs(W - exact) <= error + remainder).all()
