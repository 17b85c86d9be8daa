"""Joints that shake in phase, at rest or fastest whenever a window is looked at in equal steps."""

from __future__ import annotations

import numpy as np
import pytest

from arms import Motion, arm, draw_payload, joint_torques
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.scales import Scales
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.quadrature import cell_ends, fastest
from payload_id.core.samples.joint_samples import Samples

WINDOW = 1.0  # [s]
IN_STEP = 4.0 / WINDOW  # [Hz] a velocity of this frequency is zero at every eighth of a window


def flat_arm():
    """Return an arm of three joints about the vertical: what gravity does says nothing of them."""
    joints = "".join(
        f'<link name="l{k + 1}"><inertial><origin xyz="0.12 0.02 0.01"/><mass value="{3 - k}"/>'
        '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>'
        f'<joint name="j{k + 1}" type="revolute"><parent link="l{k}"/><child link="l{k + 1}"/>'
        '<origin xyz="0.3 0 0.05"/><axis xyz="0 0 1"/>'
        '<limit lower="-3" upper="3" velocity="3" effort="99"/></joint>'
        for k in range(3)
    )
    return ArmModel.from_xml(f'<robot name="flat"><link name="l0"/>{joints}</robot>', "l3")


def shaken(model, phase, size=0.03, rate=500.0, frequency=IN_STEP, window=WINDOW):
    """Return stamps, motion, torques and payload of joints that shake in phase."""
    rng = np.random.default_rng(1)
    centre, signs = rng.uniform(-0.8, 0.8, model.n), rng.choice([-size, size], model.n)
    wave = np.cos(phase) * signs, np.sin(phase) * signs
    motion = Motion(centre, wave[1][None], wave[0][None], 2.0 * np.pi * frequency)
    t, phi = np.arange(round(window * rate) + 1) / rate, draw_payload(rng)
    q, dq, ddq = motion.at(t)
    return t, q, dq, ddq, joint_torques(model, model.link_phi, phi, q, dq, ddq), phi


@pytest.mark.parametrize("phase", [0.0, 0.8, np.pi / 2])
@pytest.mark.parametrize(("name", "scales"), [("flat", ()), ("gen3", (0.05, 0.1)), ("ur10", ())])
def test_wrong_positions_stay_within_the_bound_of_every_row(name, scales, phase):
    model, error = flat_arm() if name == "flat" else arm(name), 1e-3
    t, q, dq, ddq, tau, phi = shaken(model, phase)
    source = MomentumRows.of(model, Uncertainty(position_error=error))
    for signs in (np.sign(dq), np.sign(ddq), np.sign(dq * ddq), np.ones_like(dq)):
        for sign in (-1.0, 1.0):
            samples = Samples(t, q + sign * error * signs, dq, tau)
            block = Scales(source, WINDOW, scales).block(samples)
            assert (np.abs(block.A @ phi - block.b) <= block.bound(np.abs(phi))).all()


@pytest.mark.parametrize("phase", [0.0, 0.8, np.pi / 2])
def test_zeros_that_are_off_stay_within_the_bound_of_every_row(phase):
    model, size = flat_arm(), 2e-3
    t, q, dq, _, tau, phi = shaken(model, phase)
    source = MomentumRows.of(model, Uncertainty(joint_zero=size))
    for signs in ((1, 1, 1), (1, -1, 1), (-1, 1, 1), (-1, -1, 1)):
        block = source.window(Samples(t, q + size * np.array(signs), dq, tau))
        left = block.A @ phi + block.B @ np.array(signs, dtype=float) - block.b
        assert (np.abs(left) <= block.bound(np.abs(phi))).all()


def test_the_fastest_sample_of_each_cell_is_found():
    t = np.arange(81) / 80.0
    ends = cell_ends(len(t), 8)
    np.testing.assert_array_equal(ends, np.arange(0, 81, 10))
    dq = np.sin(8.0 * np.pi * t)[:, None] * [1.0, 3.0]  # at rest at all ends
    np.testing.assert_array_equal(fastest(dq, ends), ends[:-1] + 5)
    assert len(fastest(np.zeros((3, 2)), cell_ends(3, 8))) == 2


@pytest.mark.slow
@pytest.mark.parametrize(("frequency", "size", "rate"), [(8, 0.03, 100), (40, 5e-3, 500)])
@pytest.mark.parametrize("error", [1e-6, 0.01])
def test_rows_with_a_hat_bound_what_a_vibration_leaves_of_integrals(error, frequency, size, rate):
    model = arm("ur10")
    for phase in (0.0, 0.8, np.pi / 2):
        t, q, dq, ddq, tau, phi = shaken(model, phase, size, rate, frequency)
        source = MomentumRows.of(model, Uncertainty(velocity_error=error))
        for signs in (np.zeros_like(dq), -np.sign(dq), np.sign(dq * ddq)):
            samples = Samples(t, q, dq + error * signs, tau)
            assert source.takes_hat(samples)
            block = source.window(samples)
            assert (np.abs(block.A @ phi - block.b) <= block.bound(np.abs(phi))).all()


@pytest.mark.parametrize(("frequency", "size"), [(80.0, 2e-3), (160.0, 5e-4)])
def test_rows_with_a_hat_bound_wrong_velocities_of_joints_in_step_with_their_pieces(
    frequency, size
):
    model, error = arm("ur10"), 0.05
    t, q, dq, _, tau, phi = shaken(model, 0.0, size, 1000.0, frequency, window=0.2)
    source = MomentumRows.of(model, Uncertainty(velocity_error=error))
    for sign in (-1.0, 1.0):
        block = source.window(Samples(t, q, dq + sign * error * np.sign(dq), tau))
        assert (np.abs(block.A @ phi - block.b) <= block.bound(np.abs(phi))).all()


@pytest.mark.parametrize(
    ("window", "frequency", "size"), [(0.1, 20.0, 3e-3), (0.1, 40.0, 1e-4), (1.0, 4.0, 0.02)]
)
def test_load_friction_allows_for_rotors_that_a_vibration_accelerates(window, frequency, size):
    model, mu, rotor, noise = flat_arm(), 0.2, 0.3, 0.05
    rng = np.random.default_rng(2)
    stated = Uncertainty(friction_load=mu, rotor_inertia=rotor, torque_absolute=noise)
    source = MomentumRows.of(model, stated)
    wave = rng.choice([-size, size], model.n) * np.array([1.0, 0.4])[:, None]
    for phase in (0.0, 0.8, np.pi / 2):  # of the second harmonic: friction then has a mean
        motion = Motion(
            rng.uniform(-0.8, 0.8, model.n),
            wave * np.array([0.0, np.sin(phase)])[:, None],
            wave * np.array([1.0, np.cos(phase)])[:, None],
            2.0 * np.pi * frequency,
        )
        t, phi = np.arange(round(window * 1000.0) + 1) / 1000.0, draw_payload(rng)
        q, dq, ddq = motion.at(t)
        passed_on = joint_torques(model, model.link_phi, phi, q, dq, ddq)
        load, inertia = mu * rng.uniform(0.3, 1.0, model.n), rotor * rng.uniform(0.3, 1.0, model.n)
        tau = passed_on + np.sign(dq) * load * np.abs(passed_on) + inertia * ddq
        most = mu / (1.0 - mu)  # of nu = mu / (1 + mu) where a joint drives, mu / (1 - mu) if not
        u = np.concatenate(
            [
                2.0 * x - 1.0
                for x in (inertia / rotor, load / (1 + load) / most, load / (1 - load) / most)
            ]
        )
        block = source.window(Samples(t, q, dq, tau))
        assert (np.abs(block.A @ phi + block.B @ u - block.b) <= block.bound(np.abs(phi))).all()
