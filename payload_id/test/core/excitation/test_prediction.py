"""Torques and rows before a motion: Pinocchio's, those of a recording, and their slopes."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from arms import EVERY_ARM, arm, draw_payload, joint_torques, random_states, record, rows_of
from payload_id.core.body.inertial import TO_PINOCCHIO
from payload_id.core.excitation.prediction.candidate_rows import CandidateRows
from payload_id.core.excitation.prediction.dynamics import (
    arm_torque,
    kinematics,
    payload_regressor,
    regressor,
)
from payload_id.core.excitation.prediction.torque_slope import TorqueSlope
from payload_id.core.excitation.prediction.wrench_rows import WrenchPredictor
from payload_id.core.motion.trajectory import Motion
from payload_id.core.rows.wrench.uncertainty import WrenchUncertainty
from planning_scene import PHI, UNSURE, predictor

WRENCH = WrenchUncertainty(
    force_error=0.05, torque_error=0.002, force_gain=0.02, torque_gain=0.01, force_drift=0.1,
    torque_bias=0.0,
)  # fmt: skip


def states(model, count, seed=0):
    """Return q, dq, ddq of as many instants."""
    rng = np.random.default_rng(seed)
    q, dq = random_states(model, rng, count)
    return q, dq, rng.normal(size=q.shape)


@pytest.mark.parametrize("name", EVERY_ARM)
def test_torques_of_many_states_are_those_of_pinocchio(name):
    model = arm(name)
    state, phi = states(model, 20), draw_payload(np.random.default_rng(1))
    there = kinematics(model, *state)
    expected = joint_torques(model, model.link_phi, phi, *state)
    found = arm_torque(there, model.link_phi) + payload_regressor(there) @ phi
    assert np.allclose(found, expected, atol=1e-10)
    bodies = np.vstack([model.link_phi, phi])
    every = np.einsum("Nljk,lk->Nj", regressor(there, slice(None)), bodies)
    assert np.allclose(every, expected, atol=1e-10)


@pytest.mark.parametrize("name", EVERY_ARM)
def test_slopes_of_torques_are_those_of_the_regressor(name):
    model, rng = arm(name), np.random.default_rng(3)
    n, h = model.n, 1e-6
    state = rng.normal(size=(3, 4, n))
    at, joint = np.array([0, 3, 1, 3, 2]), rng.integers(0, n, 5)
    bodies = rng.normal(size=(5, n + 1, 10))  # of no real body

    def sums(q, dq, ddq):
        W = regressor(kinematics(model, q, dq, ddq), slice(0, n + 1))
        return np.einsum("klc,klc->k", W[at, :, joint], bodies)

    found = TorqueSlope(model)(Motion(np.arange(4.0), *state), at, joint, bodies)
    for part, i in np.ndindex(3, n):
        step = np.zeros((3, 1, n))
        step[part, 0, i] = h
        numeric = (sums(*(state + step)) - sums(*(state - step))) / (2 * h)
        assert np.abs(found[:, part, i] - numeric).max() < 1e-6 * np.abs(found).max()


def test_predicted_rows_are_those_that_a_recording_gives():
    run = record(arm("gen3"), 3, PHI, seconds=1.05, rate=1000.0)
    real = rows_of(run.model, UNSURE, run.true)
    ddq = np.gradient(run.true.dq, run.true.stamp, axis=0, edge_order=2)

    def motion(t: np.ndarray) -> Motion:
        k = np.round(t * 1000).astype(int)
        return Motion(t, run.true.q[None, k], run.true.dq[None, k], ddq[None, k])

    found = predictor().rows(motion, 1.0)
    assert found.A.shape[1] == len(real)
    assert np.allclose(found.A[0], real.A, atol=0.01 * np.abs(real.A).max())
    assert np.allclose(found.B[0], real.B, atol=0.01 * np.abs(real.B).max())
    assert np.allclose(found.d[0], real.d, rtol=0.1, atol=0.05 * real.d.max())


def rows(made, horizon, state, points=1, nuisance=True):
    """Return the wrench rows of one candidate with these states at the instants."""
    motion = lambda t: Motion(t, *(x[None] for x in state))  # noqa: E731
    return made.rows(motion, horizon, nuisance=nuisance, points=points)


def wrench(model, phi, q, dq, ddq):
    """Return the wrench of the payload about its frame by Pinocchio's body alone, shape (6,)."""
    data, order = model.pinocchio.createData(), np.asarray(model.order)
    pin.forwardKinematics(model.pinocchio, data, model.pinocchio_q(q), dq[order], ddq[order])
    joint = int(np.argsort(order)[model.payload_joint]) + 1
    frame = pin.SE3(model.payload_rotation, model.payload_translation)
    V, A = frame.actInv(data.v[joint]), frame.actInv(data.a[joint])
    A.linear = A.linear - (data.oMi[joint] * frame).rotation.T @ model.gravity
    body = pin.Inertia.FromDynamicParameters(phi[TO_PINOCCHIO])
    return (body * A + V.cross(body * V)).vector


@pytest.mark.parametrize("name", EVERY_ARM)
def test_wrench_rows_are_the_wrench_that_a_body_in_that_motion_takes(name):
    model = arm(name)
    made, state = WrenchPredictor(model, WRENCH, PHI, window=0.1), states(model, 8)
    found = rows(made, 0.8, state)
    expected = np.array([wrench(model, PHI, *one) for one in zip(*state, strict=True)])
    assert np.allclose((found.A[0] @ PHI).reshape(-1, 6), 0.1 * expected, atol=1e-9)
    # Bias of forces, drift of forces, gains: the columns times their half-widths.
    largest = 1.0 / (1.0 - WRENCH.force_gain)
    force = np.tile(np.vstack([np.eye(3), np.zeros((3, 3))]), (8, 1))
    middle = np.repeat(made.instants(0.8, 1), 6)[:, None]
    width = np.array([largest - 1.0] * 3 + [1.0 / (1.0 - WRENCH.torque_gain) - 1.0] * 3)
    columns = (
        0.1 * largest * WRENCH.force_bias * force,
        0.1 * largest * WRENCH.force_drift * middle * force,
        np.concatenate([np.diag(-0.1 * width * w) for w in expected]),
    )
    assert np.allclose(found.B[0], np.hstack(columns), atol=1e-9)


@pytest.mark.parametrize("name", EVERY_ARM)
def test_slopes_of_wrench_rows_are_finite_differences(name):
    model, rng = arm(name), np.random.default_rng(1)
    made, state = WrenchPredictor(model, WRENCH, PHI), states(model, 3)
    there = rows(made, 0.3, state)
    by = CandidateRows(*(rng.normal(size=x.shape) for x in (there.A, there.B)), 0.0 * there.d)

    def value(moved):
        found = rows(made, 0.3, moved)
        return float((found.A * by.A).sum() + (found.B * by.B).sum())

    found = made.slope(Motion(made.instants(0.3, 1), *state), by)
    for part, instant, joint in np.ndindex(3, *state[0].shape):
        ends = []
        for sign in (-1.0, 1.0):
            moved = [x.copy() for x in state]
            moved[part][instant, joint] += sign * 1e-6
            ends.append(value(moved))
        assert found[instant, part, joint] == pytest.approx((ends[1] - ends[0]) / 2e-6, abs=1e-6)
