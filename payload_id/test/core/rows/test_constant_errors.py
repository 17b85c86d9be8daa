"""Errors that are constant in a run are parameters: columns explain them, the rest is bounded."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arms import Motion, arm, draw_payload, joint_torques, rows_of
from payload_id.core.identification.identify import identify
from payload_id.core.identification.status import Status
from payload_id.core.rows.joint_torque.hat_rows import worth_it
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.samples.joint_samples import Samples

KINDS = ("gravity_error", "joint_zero", "torque_delay")
SIZES = {"gravity_error": 0.2, "joint_zero": 4e-3, "torque_delay": 3e-3}
NAMES = ("gen3", "ur10", "panda", "xarm7", "branched", "gantry")
SEEDS = range(2)


def run(name, seed, kind, u, payload="cloud", rate=250.0, seconds=3.0):
    """Return model, samples and payload where one error is u times its size."""
    model, rng = arm(name), np.random.default_rng(seed)
    motion, phi = Motion.draw(model, rng), draw_payload(rng, payload)
    t = np.arange(round(seconds * rate) + 1) / rate
    q, dq, ddq = motion.at(t)
    true, size = model, SIZES[kind]
    if kind == "gravity_error":
        true = replace(model, gravity=model.gravity + size * u[:3])
        pin_model = model.pinocchio.copy()
        pin_model.gravity.linear = true.gravity
        true = replace(true, pinocchio=pin_model)
    if kind == "torque_delay":
        tau = np.empty_like(q)
        for joint in range(model.n):
            late = motion.at(t - size * u[joint])
            tau[:, joint] = joint_torques(model, model.link_phi, phi, *late)[:, joint]
    else:
        tau = joint_torques(true, model.link_phi, phi, q, dq, ddq)
    seen = q + size * u if kind == "joint_zero" else q
    return model, Samples(t, seen, dq, tau), phi


def draw(name, seed, kind, extreme):
    count = 3 if kind == "gravity_error" else arm(name).n
    rng = np.random.default_rng([seed, 5])
    u = rng.uniform(-1.0, 1.0, count)
    return np.sign(u) if extreme else u


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("extreme", [False, True])
def test_what_the_column_leaves_is_bounded(name, kind, extreme):
    seed = SEEDS[extreme]
    u = draw(name, seed, kind, extreme)
    model, samples, phi = run(name, seed, kind, u)
    stated = Uncertainty(**{kind: SIZES[kind]})
    rows = rows_of(model, stated, samples)
    assert rows.B.shape[1] == len(u) == MomentumRows.of(model, stated).p
    without = rows.A @ phi - rows.b
    left = np.abs(without + rows.B @ u)
    bound = rows.d + rows.A_error @ np.abs(phi)
    assert (left <= bound).all(), (left / bound).max()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["gen3", "gantry"])
def test_rows_that_take_positions_for_velocities_too(name, kind):
    seed = SEEDS[name == "gantry"]
    u = draw(name, seed, kind, True)
    model, samples, phi = run(name, seed, kind, u)
    size = 0.02
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], model.n)
    stated = Uncertainty(**{kind: SIZES[kind]}, velocity_error=size, position_error=1e-6)
    assert worth_it(stated, samples.stamp[:51], model.n)
    rows = rows_of(model, stated, replace(samples, dq=samples.dq + size * signs), 0.2)
    left = np.abs(rows.A @ phi - rows.b + rows.B @ u)
    bound = rows.d + rows.A_error @ np.abs(phi)
    assert (left <= bound).all(), (left / bound).max()


@pytest.mark.slow
@pytest.mark.parametrize("rate", [50.0, 250.0])
@pytest.mark.parametrize("delay", [-1e-3, 1e-3, 3e-3, 8e-3])
def test_steps_of_friction_that_come_late_are_bounded(rate, delay):
    for seed in SEEDS:
        model, rng = arm("gen3"), np.random.default_rng(seed)
        motion, phi = Motion.draw(model, rng), draw_payload(rng)
        t = np.arange(round(3.0 * rate) + 1) / rate
        q, dq, _ = motion.at(t)
        late = motion.at(t - delay)
        friction = 2.0
        tau = joint_torques(model, model.link_phi, phi, *late) + friction * np.sign(late[1])
        stated = Uncertainty(
            torque_delay=abs(delay), friction_coulomb=friction, stiction_velocity=1e-3
        )
        for length in (0.1, 0.4):
            rows = rows_of(model, stated, Samples(t, q, dq, tau), length)
            u = np.concatenate([np.ones(model.n), np.full(model.n, np.sign(delay))])
            left = np.abs(rows.A @ phi + rows.B @ u - rows.b)
            bound = rows.d + rows.A_error @ np.abs(phi)
            assert (left <= bound).all(), (left / bound).max()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_tilted_base_seen_from_wrong_zeros_is_bounded(seed):
    rng = np.random.default_rng(seed)
    model, motion, phi = arm("gen3"), Motion.draw(arm("gen3"), rng), draw_payload(rng)
    t = np.arange(501) / 250.0
    q, dq, ddq = motion.at(t)
    tilt, zero = 0.8, 0.03
    u = np.sign(rng.normal(size=3 + model.n))
    pin_model = model.pinocchio.copy()
    pin_model.gravity.linear = model.gravity + tilt * u[:3]
    true = replace(model, gravity=model.gravity + tilt * u[:3], pinocchio=pin_model)
    tau = joint_torques(true, model.link_phi, phi, q, dq, ddq)
    stated = Uncertainty(gravity_error=tilt, joint_zero=zero)
    rows = rows_of(model, stated, Samples(t, q + zero * u[3:], dq, tau))
    left = np.abs(rows.A @ phi + rows.B @ u - rows.b)
    assert (left <= rows.d + rows.A_error @ np.abs(phi)).all()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_tilt_of_an_upright_axis_at_rest_needs_what_wrong_zeros_change_of_it(seed):
    """Upright gravity does not load the first joint: only the tilt does, as seen from its zero."""
    rng = np.random.default_rng(seed)
    model, phi = arm("gen3"), draw_payload(rng)
    q = np.tile(rng.uniform(-1.0, 1.0, model.n), (51, 1))
    tilt, zero, still = 0.8, 0.03, np.zeros_like(q)
    most = 0.0
    for corner in range(8):
        u = np.sign(np.random.default_rng([seed, corner]).normal(size=3 + model.n))
        pin_model = model.pinocchio.copy()
        pin_model.gravity.linear = model.gravity + tilt * u[:3]
        true = replace(model, gravity=model.gravity + tilt * u[:3], pinocchio=pin_model)
        tau = joint_torques(true, model.link_phi, phi, q, still, still)
        stated = Uncertainty(gravity_error=tilt, joint_zero=zero)
        samples = Samples(np.arange(51) / 250.0, q + zero * u[3:], still, tau)
        rows = rows_of(model, stated, samples)
        left = np.abs(rows.A @ phi + rows.B @ u - rows.b)
        assert (left <= rows.d + rows.A_error @ np.abs(phi)).all()
        most = max(most, left[0])
    assert most > 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_without_payload_nearly_all_is_in_the_column(name, kind):
    seed = SEEDS[NAMES.index(name) % 2]
    u = draw(name, seed, kind, False)
    model, samples, _ = run(name, seed, kind, u, "none")
    rows = rows_of(model, Uncertainty(**{kind: SIZES[kind]}), samples)
    left = np.linalg.norm(rows.B @ u - rows.b)
    assert left < 0.05 * np.linalg.norm(rows.b) + 1e-4  # a slide's zero moves no torque


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_intervals_contain_the_truth_and_are_narrower_than_those_of_noise(kind):
    as_noise = {
        "gravity_error": lambda size: {"torque_absolute": 10.0 * size},
        "joint_zero": lambda size: {"position_error": size},
        "torque_delay": lambda size: {"stamp_jitter": size},
    }
    seed = SEEDS[KINDS.index(kind) % 2]
    u = draw("gen3", seed, kind, False)
    model, samples, phi = run("gen3", seed, kind, u)
    usual = {"torque_absolute": 0.1, "torque_offset": 0.5}
    stated = Uncertainty(**usual, **{kind: SIZES[kind]})
    found = identify(samples, model, stated)
    assert found.status is not Status.INCONSISTENT
    assert found.contains(phi).all()
    noise = Uncertainty(**{**usual, **as_noise[kind](SIZES[kind])})
    wide = identify(samples, model, noise)
    assert found.half_width[0] < 0.7 * wide.half_width[0]


@pytest.mark.slow
def test_all_of_them_together_with_wrong_links_and_gains():
    rng = np.random.default_rng(1)
    model, motion, phi = arm("gen3"), Motion.draw(arm("gen3"), rng), draw_payload(rng)
    t = np.arange(1001) / 250.0
    u = rng.uniform(-1.0, 1.0, (3, model.n))
    true = replace(model, gravity=model.gravity + SIZES["gravity_error"] * u[0, :3])
    pin_model = model.pinocchio.copy()
    pin_model.gravity.linear = true.gravity
    true = replace(true, pinocchio=pin_model)
    links = model.link_phi * (1.0 + 0.03 * rng.uniform(-1.0, 1.0, (model.n, 1)))
    tau = np.empty((len(t), model.n))
    for joint in range(model.n):
        late = motion.at(t - SIZES["torque_delay"] * u[1, joint])
        tau[:, joint] = joint_torques(true, links, phi, *late)[:, joint]
    tau = tau * (1.0 + 0.02 * rng.uniform(-1.0, 1.0, model.n)) + rng.uniform(-0.3, 0.3, model.n)
    q, dq, _ = motion.at(t)
    samples = Samples(t, q + SIZES["joint_zero"] * u[2], dq, tau)
    stated = Uncertainty(
        torque_gain=0.02, torque_offset=0.31, link_relative=0.03, torque_absolute=0.02, **SIZES
    )
    found = identify(samples, model, stated)
    assert found.status is not Status.INCONSISTENT
    assert found.contains(phi).all()
