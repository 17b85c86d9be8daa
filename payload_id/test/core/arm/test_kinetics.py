"""Regressors of momentum and force against Pinocchio, one sample at a time."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from arms import ARMS, arm, description, random_states
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.arm.kinetics import (
    body_motion,
    force_integral,
    force_regressor,
    frames,
    gravity_integral,
    momentum_regressor,
)
from payload_id.core.body.inertial import FROM_PINOCCHIO

EVERY_ARM = pytest.mark.parametrize("name", ARMS)
LOCAL = pin.ReferenceFrame.LOCAL


def momentum_of(velocity, acceleration=None):
    """Return Pinocchio's regressor of I V, or of I a + v x* I v, for phi, shape (6, 10)."""
    pair = (pin.Motion.Zero(), velocity) if acceleration is None else (velocity, acceleration)
    return pin.bodyRegressor(*pair)[:, FROM_PINOCCHIO]


def bodies(model):
    """Return the Pinocchio model with one operational frame for each body, and their ids."""
    extended, ids = model.pinocchio.copy(), []
    for k in range(model.n):
        place = 1 + model.order.index(k), 0, pin.SE3.Identity(), pin.FrameType.OP_FRAME
        ids.append(extended.addFrame(pin.Frame(f"body_{k}", *place)))
    return extended, [*ids, extended.getFrameId(model.payload_frame)]


def seen_by_pinocchio(model, q, dq):
    """Yield number, placement, J, its rate, V and gravity of each body, in its frame."""
    extended, ids = bodies(model)
    data, order = extended.createData(), list(model.order)
    pin.computeJointJacobiansTimeVariation(extended, data, model.pinocchio_q(q), dq[order])
    pin.forwardKinematics(extended, data, model.pinocchio_q(q), dq[order])
    pin.updateFramePlacements(extended, data)
    for body, frame in enumerate(ids):
        J = pin.getFrameJacobian(extended, data, frame, LOCAL)
        rate = pin.getFrameJacobianTimeVariation(extended, data, frame, LOCAL)
        V = pin.getFrameVelocity(extended, data, frame, LOCAL)
        yield body, data.oMf[frame], J, rate, V, data.oMf[frame].rotation.T @ model.gravity


def pinocchio_regressors(model, q, dq):
    """Return W_m and W_c of all bodies, shape (n + 1, n, 10) each."""
    momentum, force = np.zeros((2, model.n + 1, model.n, 10))
    order = list(model.order)
    for body, _, J, rate, V, gravity in seen_by_pinocchio(model, q, dq):
        momentum[body][order] = J.T @ momentum_of(V)
        pull = momentum_of(pin.Motion(gravity, np.zeros(3))) - momentum_of(V, pin.Motion.Zero())
        force[body][order] = rate.T @ momentum_of(V) + J.T @ pull
    return momentum, force


@pytest.mark.slow
@EVERY_ARM
def test_frames_and_motion_seen_from_the_bodies_are_pinocchios(name):
    model = arm(name)
    q, dq = random_states(model, np.random.default_rng(16), 3)
    motion, (rotation, origin) = body_motion(model, q, dq), frames(model, q)
    for k in range(len(q)):
        for body, placement, J, _, V, gravity in seen_by_pinocchio(model, q[k], dq[k]):
            for found, expected in (
                (rotation[k, body], placement.rotation),
                (origin[k, body], placement.translation),
                (motion.axis[k, body, list(model.order)], J.T),
                (motion.velocity[k, body], V.vector),
                (motion.gravity[k, body], gravity),
            ):
                np.testing.assert_allclose(found, expected, atol=1e-12)


@EVERY_ARM
def test_regressors_and_their_integrals_are_pinocchios(name):
    model, rng = arm(name), np.random.default_rng(12)
    q, dq = random_states(model, rng, 8)
    motion, weight = body_motion(model, q, dq), rng.uniform(0.0, 1e-2, 8)
    momentum, force = zip(*map(lambda x, v: pinocchio_regressors(model, x, v), q, dq), strict=True)
    np.testing.assert_allclose(momentum_regressor(motion), momentum, atol=1e-10)
    np.testing.assert_allclose(force_regressor(motion), force, atol=1e-10)
    some = np.array([0, 1, 5, 7])
    few = body_motion(model, q[some], dq[some])  # samples are independent of their neighbours
    for found in (momentum_regressor(motion, some), momentum_regressor(few)):
        np.testing.assert_allclose(found, momentum_regressor(motion)[some], atol=1e-14)
    expected = np.tensordot(weight, force, axes=1)
    tolerance = 1e-13 * np.abs(expected).max()
    moving = force_integral(body_motion(replace(model, gravity=np.zeros(3)), q, dq), weight)
    along = [gravity_integral(motion, weight, axis) for axis in np.eye(3)]
    pulled = np.tensordot(model.gravity, along, axes=1)
    for found in (force_integral(motion, weight), moving + pulled):
        np.testing.assert_allclose(found, expected, atol=tolerance)
    whole = gravity_integral(motion, weight, model.gravity)
    np.testing.assert_allclose(whole, pulled, atol=tolerance)
    assert np.abs(pulled).max() > 100 * tolerance


@EVERY_ARM
def test_a_base_far_from_the_world_changes_the_coefficients_by_rounding_only(name):
    # They are computed about the base's origin: 10 m away, a few digits more are lost.
    model, first = arm(name), np.array(arm(name).parent) < 0
    far = replace(model, translation=model.translation + np.outer(first, [6.0, -7.0, 3.0]))
    states = random_states(model, np.random.default_rng(15), 20)
    for regressor in (force_regressor, momentum_regressor):
        here, there = (regressor(body_motion(each, *states)) for each in (model, far))
        np.testing.assert_allclose(there, here, atol=1e-12 * np.abs(here).max())


@EVERY_ARM
def test_another_order_of_the_joints_permutes_the_rows(name):
    (urdf, frame, _), model, rng = description(name), arm(name), np.random.default_rng(8)
    permutation = rng.permutation(model.n)
    other = ArmModel.from_xml(urdf, frame, [model.joints[k] for k in permutation])
    q, dq = random_states(model, rng, 3)
    for regressor in (momentum_regressor, force_regressor):
        W = regressor(body_motion(model, q, dq))[:, [*permutation, model.n]][:, :, permutation]
        permuted = regressor(body_motion(other, q[:, permutation], dq[:, permutation]))
        np.testing.assert_allclose(permuted, W, atol=1e-12)
    np.testing.assert_array_equal(other.link_phi, model.link_phi[permutation])
