"""Bounds on the payload's wrench hold, and positions that jump by a turn change no force."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arms import Motion, arm, draw_payload
from payload_id.core.contact.certificate import ContactProof
from payload_id.core.contact.least_force import least_force
from payload_id.core.contact.payload_wrench import wrench_coefficients
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.samples.joint_samples import Samples


def moving(model, seed, count=21):
    """Return samples without torques, accelerations and a payload."""
    rng, t = np.random.default_rng(seed), 1.0 + np.arange(count) / 1000.0
    q, dq, ddq = Motion.draw(model, rng).at(t)
    return Samples(t, q, dq, np.zeros_like(q)), ddq, draw_payload(rng)


def coefficients(model, samples):
    """Return what turns a payload into its wrench, and the remainder."""
    return wrench_coefficients(MomentumRows.of(model, Uncertainty()), samples)


@pytest.mark.parametrize("gravity_error", (0.0, 0.5))
def test_errors_of_the_motion_and_of_gravity_stay_within_the_bound(gravity_error):
    """Each alone: the bound of one could hide that the other's is too small."""
    model, rng = arm("branched"), np.random.default_rng(2)
    moves = {"position_error": 1e-3, "joint_zero": 1e-3, "velocity_error": 5e-3}
    stated = {"gravity_error": gravity_error} if gravity_error else moves
    rows = MomentumRows.of(model, Uncertainty(**stated))
    position, velocity = (0.0, 0.0) if gravity_error else (1e-3, 5e-3)
    samples, _, _ = moving(model, 5, count=51)
    exact, remainder = coefficients(model, samples)
    for corner in np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, -1).T:
        zero = position * rng.choice([-1.0, 1.0], model.n)
        signs = rng.choice([-1.0, 1.0], (2, *samples.q.shape))
        wrong = replace(
            samples,
            q=samples.q + zero + position * signs[0],
            dq=samples.dq + velocity * signs[1],
        )
        there = replace(model, gravity=model.gravity + gravity_error * corner)
        W, error = wrench_coefficients(replace(rows, model=there), wrong)
        assert (np.abs(W - exact) <= error + remainder).all()


def test_least_force_of_positions_that_jump_by_a_turn_is_that_of_those_that_do_not():
    model = arm("gen3")
    samples, _, _ = moving(model, 5)
    endless = np.array(model.continuous)
    q = samples.q + np.where(endless, np.pi - samples.q[10], 0.0)  # through the seam in the middle
    jumping = np.where(endless, np.remainder(q + np.pi, 2 * np.pi) - np.pi, q)
    assert np.abs(np.diff(jumping, axis=0)).max() > 6.0
    proof = ContactProof(np.random.default_rng(5).normal(size=model.n), 0.5)
    rows = MomentumRows.of(model, Uncertainty())
    smooth, wrapped = (least_force(rows, replace(samples, q=x), [proof]) for x in (q, jumping))
    assert 0.0 < smooth and np.isclose(wrapped, smooth, rtol=1e-9)
