"""Regressors of momentum and force against Pinocchio, one sample at a time."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from arms import ARMS, arm, description, draw_payload, loaded_model, random_states
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.arm.kinetics import (
    bilinear_form,
    body_motion,
    force_integral,
    force_regressor,
    frames,
    gravity_integral,
    momentum_regressor,
)
from payload_id.core.body.inertial import FROM_PINOCCHIO, from_mass_com_inertia

EVERY_ARM = pytest.mark.parametrize("name", ARMS)


def body_regressor(velocity, acceleration):
    """Return Pinocchio's regressor of I a + v x* I v in the order of phi, shape (6, 10)."""
    return pin.bodyRegressor(velocity, acceleration)[:, FROM_PINOCCHIO]


def momentum_of(velocity):
    """Return R_h(V) with h = R_h(V) phi."""
    return body_regressor(pin.Motion.Zero(), velocity)


def bodies(model):
    """Return the Pinocchio model with one operational frame for each body, and their ids."""
    extended = model.pinocchio.copy()
    ids = [
        extended.addFrame(
            pin.Frame(f"body_{k}", joint_id, 0, pin.SE3.Identity(), pin.FrameType.OP_FRAME)
        )
        for k in range(model.n)
        for joint_id in [1 + model.order.index(k)]
    ]
    return extended, [*ids, extended.getFrameId(model.payload_frame)]


def pinocchio_regressors(model, q, dq):
    """Return W_m and W_c of all bodies, shape (n + 1, n, 10) each."""
    extended, ids = bodies(model)
    data, order = extended.createData(), list(model.order)
    configuration, velocity = model.pinocchio_q(q), dq[order]
    pin.computeJointJacobiansTimeVariation(extended, data, configuration, velocity)
    pin.forwardKinematics(extended, data, configuration, velocity)
    pin.updateFramePlacements(extended, data)
    momentum, force = np.zeros((2, model.n + 1, model.n, 10))
    for body, frame in enumerate(ids):
        local = pin.ReferenceFrame.LOCAL
        J = pin.getFrameJacobian(extended, data, frame, local)
        J_rate = pin.getFrameJacobianTimeVariation(extended, data, frame, local)
        V = pin.getFrameVelocity(extended, data, frame, local)
        g = pin.Motion(data.oMf[frame].rotation.T @ model.gravity, np.zeros(3))
        momentum[body][order] = J.T @ momentum_of(V)
        force[body][order] = (
            J_rate.T @ momentum_of(V)
            - J.T @ body_regressor(V, pin.Motion.Zero())
            + J.T @ momentum_of(g)
        )
    return momentum, force


def torque_regressor(model, q, dq, ddq):
    """Return Pinocchio's regressor of all links' torques, shape (n, n, 10): joint, body."""
    order = list(model.order)
    Y = pin.computeJointTorqueRegressor(
        model.pinocchio,
        model.pinocchio.createData(),
        model.pinocchio_q(q),
        dq[order],
        ddq[order],
    ).reshape(model.n, model.n, 10)[:, :, FROM_PINOCCHIO]
    out = np.empty_like(Y)
    out[np.ix_(order, order)] = Y
    return out


@EVERY_ARM
def test_momentum_and_force_regressors_are_the_designs(name):
    model = arm(name)
    q, dq = random_states(model, np.random.default_rng(1), 6)
    motion = body_motion(model, q, dq)
    W_m, W_c = momentum_regressor(motion), force_regressor(motion)
    for k in range(len(q)):
        momentum, force = pinocchio_regressors(model, q[k], dq[k])
        np.testing.assert_allclose(W_m[k], momentum, atol=1e-10)
        np.testing.assert_allclose(W_c[k], force, atol=1e-10)


@EVERY_ARM
def test_integrals_are_sums_of_pinocchios_regressors(name):
    model, rng = arm(name), np.random.default_rng(12)
    q, dq = random_states(model, rng, 30)
    weight = rng.uniform(0.0, 1e-2, 30)
    motion = body_motion(model, q, dq)
    expected = np.zeros((model.n + 1, model.n, 10))
    for k in range(len(q)):
        expected += weight[k] * pinocchio_regressors(model, q[k], dq[k])[1]
    tolerance = 1e-13 * np.abs(expected).max()
    np.testing.assert_allclose(force_integral(motion, weight), expected, atol=tolerance)
    moving = force_integral(body_motion(replace(model, gravity=np.zeros(3)), q, dq), weight)
    pulled = gravity_integral(motion, weight, model.gravity)
    np.testing.assert_allclose(moving + pulled, expected, atol=tolerance)
    assert np.abs(pulled).max() > 100 * tolerance


@EVERY_ARM
def test_gravity_is_linear_and_known_from_three_directions(name):
    model, rng = arm(name), np.random.default_rng(13)
    motion = body_motion(model, *random_states(model, rng, 5))
    weight, g = rng.uniform(0.0, 1.0, 5), rng.normal(size=3)
    along = [gravity_integral(motion, weight, axis) for axis in np.eye(3)]
    found = gravity_integral(motion, weight, g)
    np.testing.assert_allclose(found, np.tensordot(g, along, axes=1), atol=1e-12)


@EVERY_ARM
def test_momentum_at_some_samples_is_that_of_all(name):
    model = arm(name)
    motion = body_motion(model, *random_states(model, np.random.default_rng(14), 9))
    every, some = momentum_regressor(motion), np.array([0, 1, 5, 8])
    np.testing.assert_allclose(momentum_regressor(motion, some), every[some], atol=1e-14)


@EVERY_ARM
def test_a_base_far_from_the_world_changes_the_coefficients_by_rounding_only(name):
    # They are computed about the base's origin: 10 m away, a few digits more are lost.
    model, rng = arm(name), np.random.default_rng(15)
    first = np.array(model.parent) < 0
    far = replace(model, translation=model.translation + np.outer(first, [6.0, -7.0, 3.0]))
    q, dq = random_states(model, rng, 20)
    weight = rng.uniform(0.0, 1e-2, 20)
    for regressor in (lambda motion: force_integral(motion, weight), momentum_regressor):
        here, there = (regressor(body_motion(each, q, dq)) for each in (model, far))
        np.testing.assert_allclose(there, here, atol=1e-12 * np.abs(here).max())


@EVERY_ARM
def test_motion_seen_from_the_bodies_is_pinocchios(name):
    model = arm(name)
    q, dq = random_states(model, np.random.default_rng(16), 3)
    motion, order = body_motion(model, q, dq), list(model.order)
    extended, ids = bodies(model)
    data, local = extended.createData(), pin.ReferenceFrame.LOCAL
    for k in range(len(q)):
        pin.computeJointJacobians(extended, data, model.pinocchio_q(q[k]))
        pin.forwardKinematics(extended, data, model.pinocchio_q(q[k]), dq[k][order])
        pin.updateFramePlacements(extended, data)
        for body, frame in enumerate(ids):
            J = pin.getFrameJacobian(extended, data, frame, local)
            V = pin.getFrameVelocity(extended, data, frame, local).vector
            g = data.oMf[frame].rotation.T @ model.gravity
            np.testing.assert_allclose(motion.axis[k, body, order], J.T, atol=1e-12)
            np.testing.assert_allclose(motion.velocity[k, body], V, atol=1e-12)
            np.testing.assert_allclose(motion.gravity[k, body], g, atol=1e-12)


@EVERY_ARM
def test_frames_are_pinocchios(name):
    model = arm(name)
    q, _ = random_states(model, np.random.default_rng(2), 4)
    rotation, origin = frames(model, q)
    extended, ids = bodies(model)
    data = extended.createData()
    for k in range(len(q)):
        pin.framesForwardKinematics(extended, data, model.pinocchio_q(q[k]))
        for body, frame in enumerate(ids):
            np.testing.assert_allclose(rotation[k, body], data.oMf[frame].rotation, atol=1e-12)
            np.testing.assert_allclose(origin[k, body], data.oMf[frame].translation, atol=1e-12)


@EVERY_ARM
def test_rate_of_momentum_less_force_is_the_torque_regressor(name):
    model, h = arm(name), 1e-5
    rng = np.random.default_rng(3)
    q, dq = random_states(model, rng, 5)
    ddq = rng.uniform(-3, 3, q.shape)

    def momentum(t):
        return momentum_regressor(body_motion(model, q + dq * t + ddq * t**2 / 2, dq + ddq * t))

    rate = (8 * (momentum(h) - momentum(-h)) - (momentum(2 * h) - momentum(-2 * h))) / (12 * h)
    found = (rate - force_regressor(body_motion(model, q, dq)))[:, :-1]
    for k in range(len(q)):
        expected = torque_regressor(model, q[k], dq[k], ddq[k]).transpose(1, 0, 2)
        np.testing.assert_allclose(found[k], expected, atol=2e-8 * np.abs(expected).max())


@EVERY_ARM
def test_acceleration_enters_through_the_mass_matrix_alone(name):
    # The torque regressor is W_m at velocity ddq, plus what remains without acceleration.
    model = arm(name)
    rng = np.random.default_rng(4)
    q, dq = random_states(model, rng, 5)
    ddq = rng.uniform(-3, 3, q.shape)
    accelerating = momentum_regressor(body_motion(model, q, ddq))[:, :-1]
    for k in range(len(q)):
        still = torque_regressor(model, q[k], dq[k], 0 * ddq[k])
        moving = torque_regressor(model, q[k], dq[k], ddq[k])
        np.testing.assert_allclose(accelerating[k], (moving - still).transpose(1, 0, 2), atol=1e-10)


@EVERY_ARM
def test_momentum_is_mass_matrix_times_velocity(name):
    model = arm(name)
    rng = np.random.default_rng(5)
    q, dq = random_states(model, rng, 4)
    phi = draw_payload(rng)
    theta = np.vstack([model.link_phi, phi])
    momentum = np.einsum("Nljk,lk->Nj", momentum_regressor(body_motion(model, q, dq)), theta)
    loaded, order = loaded_model(model, model.link_phi, phi), list(model.order)
    for k in range(len(q)):
        M = pin.crba(loaded, loaded.createData(), model.pinocchio_q(q[k]))
        np.testing.assert_allclose(momentum[k, order], M @ dq[k, order], atol=1e-10)


@EVERY_ARM
def test_half_velocity_times_momentum_is_kinetic_energy(name):
    model = arm(name)
    rng = np.random.default_rng(6)
    q, dq = random_states(model, rng, 4)
    phi = draw_payload(rng)
    theta = np.vstack([model.link_phi, phi])
    W_m = momentum_regressor(body_motion(model, q, dq))
    energy = 0.5 * np.einsum("Nj,Nljk,lk->N", dq, W_m, theta)
    loaded, order = loaded_model(model, model.link_phi, phi), list(model.order)
    for k in range(len(q)):
        expected = pin.computeKineticEnergy(
            loaded, loaded.createData(), model.pinocchio_q(q[k]), dq[k, order]
        )
        assert energy[k] == pytest.approx(expected, abs=1e-10)


@EVERY_ARM
def test_power_of_the_regressors_is_the_rate_of_energy(name):
    # dq'W_c = d/dt T - d/dt U along ddq = 0, where dq'W_m = 2 T: energies from Pinocchio.
    model, h = arm(name), 1e-4
    rng = np.random.default_rng(7)
    q, dq = random_states(model, rng, 4)
    phi = draw_payload(rng)
    theta = np.vstack([model.link_phi, phi])
    power = np.einsum("Nj,Nljk,lk->N", dq, force_regressor(body_motion(model, q, dq)), theta)
    loaded, order = loaded_model(model, model.link_phi, phi), list(model.order)
    data = loaded.createData()

    def lagrangian(k, t):
        configuration, velocity = model.pinocchio_q(q[k] + dq[k] * t), dq[k, order]
        return pin.computeKineticEnergy(
            loaded, data, configuration, velocity
        ) - pin.computePotentialEnergy(loaded, data, configuration)

    for k in range(len(q)):
        rate = (lagrangian(k, h) - lagrangian(k, -h)) / (2 * h)
        assert power[k] == pytest.approx(rate, abs=1e-5 * max(1.0, abs(rate)))


@EVERY_ARM
def test_another_order_of_the_joints_permutes_the_rows(name):
    urdf, frame, joints = description(name)
    model = arm(name)
    permutation = np.random.default_rng(8).permutation(model.n)
    other = ArmModel.from_xml(urdf, frame, [model.joints[k] for k in permutation])
    q, dq = random_states(model, np.random.default_rng(9), 3)
    bodies_permuted = [*permutation, model.n]
    for regressor in (momentum_regressor, force_regressor):
        W = regressor(body_motion(model, q, dq))
        permuted = regressor(body_motion(other, q[:, permutation], dq[:, permutation]))
        np.testing.assert_allclose(permuted, W[:, bodies_permuted][:, :, permutation], atol=1e-12)
    np.testing.assert_array_equal(other.link_phi, model.link_phi[permutation])


def test_samples_are_independent_of_their_neighbours():
    model = arm("gen3")
    q, dq = random_states(model, np.random.default_rng(10), 7)
    together = force_regressor(body_motion(model, q, dq))
    alone = np.concatenate(
        [force_regressor(body_motion(model, q[k : k + 1], dq[k : k + 1])) for k in range(7)]
    )
    np.testing.assert_allclose(together, alone, atol=1e-14)


def test_bilinear_form_is_x_I_y():
    rng = np.random.default_rng(11)
    x, y = rng.normal(size=(2, 20, 6))
    com = rng.normal(size=3)
    L = rng.normal(size=(3, 3))
    phi = from_mass_com_inertia(1.7, com, L @ L.T)
    I = pin.Inertia(1.7, com, L @ L.T).matrix()
    np.testing.assert_allclose(bilinear_form(x, y) @ phi, np.einsum("Ni,ij,Nj->N", x, I, y))
    np.testing.assert_allclose(bilinear_form(x, y), bilinear_form(y, x), atol=1e-14)
    np.testing.assert_allclose(
        bilinear_form(2 * x + y, y), 2 * bilinear_form(x, y) + bilinear_form(y, y), atol=1e-12
    )


def test_tree_supports():
    model = arm("branched")
    index = {name: k for k, name in enumerate(model.joints)}
    support = model.supports()
    chain = ["slew", "slide", "turn", "wrist"]
    assert set(np.flatnonzero(support[model.n])) == {index[name] for name in chain}
    assert set(np.flatnonzero(support[index["balance"]])) == {index["slew"], index["balance"]}
