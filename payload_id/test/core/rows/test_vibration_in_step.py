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

IN_STEP = 4.0  # [Hz] a velocity of this frequency is zero at every eighth of a second
PHASES = (0.0, 0.8, np.pi / 2)


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


class Shaken:
    """Joints that shake in phase with a payload, and the rows of one window of it."""

    def __init__(self, model, phase, size=0.03, rate=500.0, frequency=IN_STEP, window=1.0):
        rng = np.random.default_rng(1)
        centre, signs = rng.uniform(-0.8, 0.8, model.n), rng.choice([-size, size], model.n)
        wave = np.cos(phase) * signs, np.sin(phase) * signs
        motion = Motion(centre, wave[1][None], wave[0][None], 2.0 * np.pi * frequency)
        self.model, self.window, self.phi = model, window, draw_payload(rng)
        self.t = np.arange(round(window * rate) + 1) / rate
        self.q, self.dq, self.ddq = motion.at(self.t)
        links = model.link_phi
        self.tau = joint_torques(model, links, self.phi, self.q, self.dq, self.ddq)

    def used(self, stated, q=0.0, dq=0.0, u=None, scales=(), hat=False):
        """Return the largest part of its bound that a row needs with errors of the samples."""
        source = MomentumRows.of(self.model, stated)
        samples = Samples(self.t, self.q + q, self.dq + dq, self.tau)
        assert source.takes_hat(samples) or not hat
        rows = Scales(source, self.window, scales).block(samples)
        left = rows.A @ self.phi - rows.b + rows.B @ (np.zeros(rows.B.shape[1]) if u is None else u)
        return (np.abs(left) / rows.bound(np.abs(self.phi))).max()

    @property
    def patterns(self):
        """Signs of errors that go with the motion."""
        signs = [np.sign(x) for x in (self.dq, self.ddq, self.dq * self.ddq)]
        return [s * sign for s in (*signs, np.ones_like(self.dq)) for sign in (-1.0, 1.0)]


@pytest.mark.parametrize("phase", PHASES)
def test_wrong_positions_and_zeros_stay_within_the_bound_of_every_row(phase):
    e, cases = 1e-3, ((flat_arm(), ()), (arm("gen3"), (0.05, 0.1)), (arm("ur10"), ()))
    for model, scales in cases:
        shaken = Shaken(model, phase)
        for signs in shaken.patterns:
            assert shaken.used(Uncertainty(position_error=e), e * signs, scales=scales) <= 1.0
    flat = Shaken(flat_arm(), phase)
    for u in np.array([(1, 1, 1), (1, -1, 1), (-1, 1, 1), (-1, -1, 1)], dtype=float):
        assert flat.used(Uncertainty(joint_zero=2 * e), 2 * e * u, u=u) <= 1.0


@pytest.mark.parametrize(("frequency", "size", "rate"), [(8, 0.03, 100), (40, 5e-3, 500)])
def test_rows_with_a_hat_bound_what_a_vibration_leaves_of_integrals(frequency, size, rate):
    for phase in PHASES:
        shaken = Shaken(arm("ur10"), phase, size, rate, frequency)
        for error in (1e-6, 0.01):
            for signs in (0.0, -np.sign(shaken.dq), np.sign(shaken.dq * shaken.ddq)):
                stated = Uncertainty(velocity_error=error)
                assert shaken.used(stated, dq=error * signs, hat=True) <= 1.0


@pytest.mark.parametrize(("frequency", "size"), [(80.0, 2e-3), (160.0, 5e-4)])
def test_rows_with_a_hat_bound_wrong_velocities_in_step_with_their_pieces(frequency, size):
    shaken, e = Shaken(arm("ur10"), 0.0, size, 1000.0, frequency, window=0.2), 0.05
    for sign in (-e, e):
        assert shaken.used(Uncertainty(velocity_error=e), dq=sign * np.sign(shaken.dq)) <= 1.0


def test_the_fastest_sample_of_each_cell_is_found():
    t = np.arange(81) / 80.0
    ends = cell_ends(len(t), 8)
    np.testing.assert_array_equal(ends, np.arange(0, 81, 10))
    dq = np.sin(8.0 * np.pi * t)[:, None] * [1.0, 3.0]  # at rest at all ends
    np.testing.assert_array_equal(fastest(dq, ends), ends[:-1] + 5)
    assert len(fastest(np.zeros((3, 2)), cell_ends(3, 8))) == 2


@pytest.mark.parametrize(
    ("window", "frequency", "size"), [(0.1, 20.0, 3e-3), (0.1, 40.0, 1e-4), (1.0, 4.0, 0.02)]
)
def test_load_friction_allows_for_rotors_that_a_vibration_accelerates(window, frequency, size):
    model, mu, rotor, rng = flat_arm(), 0.2, 0.3, np.random.default_rng(2)
    stated = Uncertainty(friction_load=mu, rotor_inertia=rotor, torque_absolute=0.05)
    wave = rng.choice([-size, size], model.n) * np.array([1.0, 0.4])[:, None]
    for phase in PHASES:  # of the second harmonic: friction then has a mean
        shaken = Shaken(model, 0.0, size, 1000.0, frequency, window)
        sine, cosine = (wave * np.array(part)[:, None] for part in
                        ((0.0, np.sin(phase)), (1.0, np.cos(phase))))  # fmt: skip
        motion = Motion(rng.uniform(-0.8, 0.8, model.n), sine, cosine, 2.0 * np.pi * frequency)
        shaken.q, shaken.dq, shaken.ddq = motion.at(shaken.t)
        T = joint_torques(model, model.link_phi, shaken.phi, shaken.q, shaken.dq, shaken.ddq)
        load, inertia = (x * rng.uniform(0.3, 1.0, model.n) for x in (mu, rotor))
        shaken.tau = T + np.sign(shaken.dq) * load * np.abs(T) + inertia * shaken.ddq
        most = mu / (1.0 - mu)  # of nu = mu / (1 + mu) where a joint drives, mu / (1 - mu) if not
        parts = inertia / rotor, load / (1 + load) / most, load / (1 - load) / most
        assert shaken.used(stated, u=2.0 * np.concatenate(parts) - 1.0) <= 1.0
