"""Rows of a force-torque sensor, predicted: Newton and Euler's, and their slopes."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from arms import EVERY_ARM, arm, random_states
from payload_id.core.body.inertial import TO_PINOCCHIO
from payload_id.core.excitation.prediction.candidate_rows import CandidateRows
from payload_id.core.excitation.prediction.wrench_rows import WrenchPredictor
from payload_id.core.motion.trajectory import Motion
from payload_id.core.rows.wrench.uncertainty import WrenchUncertainty

PHI = np.array([0.8, 0.01, 0.02, 0.06, 0.0072, 0.001, 0.0, 0.0072, 0.0003, 0.002])
UNSURE = WrenchUncertainty(
    force_error=0.05, torque_error=0.002, force_gain=0.02, torque_gain=0.01, force_drift=0.1,
    torque_bias=0.0,
)  # fmt: skip


def states(model, count, seed=0):
    """Return q, dq, ddq of as many instants."""
    rng = np.random.default_rng(seed)
    q, dq = random_states(model, rng, count)
    return q, dq, rng.normal(size=q.shape)


def rows(predictor, horizon, q, dq, ddq, points=1):
    """Return the rows of one candidate with these states at the instants."""
    return predictor.rows(lambda t: Motion(t, q[None], dq[None], ddq[None]), horizon, points=points)


def wrench(model, phi, q, dq, ddq):
    """Return the wrench of the payload about its frame by Pinocchio's body alone, shape (6,)."""
    data = model.pinocchio.createData()
    order = np.asarray(model.order)
    pin.forwardKinematics(model.pinocchio, data, model.pinocchio_q(q), dq[order], ddq[order])
    joint = int(np.argsort(order)[model.payload_joint]) + 1
    frame = pin.SE3(model.payload_rotation, model.payload_translation)
    V, A = frame.actInv(data.v[joint]), frame.actInv(data.a[joint])
    world = data.oMi[joint] * frame
    A.linear = A.linear - world.rotation.T @ model.gravity
    body = pin.Inertia.FromDynamicParameters(phi[TO_PINOCCHIO])
    return (body * A + V.cross(body * V)).vector


@pytest.mark.parametrize("name", EVERY_ARM)
def test_rows_are_the_wrench_that_a_body_in_that_motion_takes(name):
    model = arm(name)
    predictor = WrenchPredictor(model, UNSURE, PHI, window=0.1)
    q, dq, ddq = states(model, 8)
    found = rows(predictor, 0.8, q, dq, ddq)
    expected = np.array([wrench(model, PHI, *state) for state in zip(q, dq, ddq, strict=True)])
    assert np.allclose((found.A[0] @ PHI).reshape(-1, 6), 0.1 * expected, atol=1e-9)
    # Bias of forces, drift of forces, gains: the columns times their half-widths.
    bias, drift, gain = found.B[0][:, :3], found.B[0][:, 3:6], found.B[0][:, 6:]
    largest = 1.0 / (1.0 - UNSURE.force_gain)
    force = np.tile(np.vstack([np.eye(3), np.zeros((3, 3))]), (8, 1))
    assert np.allclose(bias, 0.1 * largest * UNSURE.force_bias * force)
    middle = np.repeat(predictor.instants(0.8, 1), 6)[:, None]
    assert np.allclose(drift, 0.1 * largest * UNSURE.force_drift * middle * force)
    width = np.array([largest - 1.0] * 3 + [1.0 / (1.0 - UNSURE.torque_gain) - 1.0] * 3)
    own = np.concatenate([np.diag(-0.1 * width * w) for w in expected])
    assert np.allclose(gain, own, atol=1e-9)


@pytest.mark.parametrize("name", EVERY_ARM)
def test_slopes_are_finite_differences(name):
    model, rng = arm(name), np.random.default_rng(1)
    predictor = WrenchPredictor(model, UNSURE, PHI)
    state = states(model, 3)
    there = rows(predictor, 0.3, *state)
    by_A, by_B = rng.normal(size=there.A.shape), rng.normal(size=there.B.shape)

    def value(*moved):
        found = rows(predictor, 0.3, *moved)
        return float((found.A * by_A).sum() + (found.B * by_B).sum())

    by = CandidateRows(by_A, by_B, np.zeros_like(there.d))
    found = predictor.slope(Motion(predictor.instants(0.3, 1), *state), by)
    for part, instant, joint in np.ndindex(3, *state[0].shape):
        ends = []
        for sign in (-1.0, 1.0):
            moved = [x.copy() for x in state]
            moved[part][instant, joint] += sign * 1e-6
            ends.append(value(*moved))
        assert found[instant, part, joint] == pytest.approx((ends[1] - ends[0]) / 2e-6, abs=1e-6)


def test_without_nuisance_the_rest_is_the_same_and_noise_averages():
    model = arm("gen3")
    predictor = WrenchPredictor(model, UNSURE, PHI)
    state = states(model, 6)
    whole = rows(predictor, 0.3, *state, points=2)
    bare = predictor.rows(
        lambda t: Motion(t, *(x[None] for x in state)), 0.3, nuisance=False, points=2
    )
    assert np.array_equal(whole.A, bare.A) and np.array_equal(whole.d, bare.d)
    assert bare.B.shape[-1] == 0 and whole.B.shape[-1] == predictor.p == 12
    noisy = WrenchPredictor(model, WrenchUncertainty(force_sigma=0.1), PHI)
    longer = WrenchPredictor(model, WrenchUncertainty(force_sigma=0.1), PHI, window=0.4)
    assert 1.5 < noisy._error[0] / longer._error[0] < 2.0
