"""Friction, ripple and drift: columns explain what is a parameter of them, the rest is bounded."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from arms import Motion, arm, draw_payload, joint_torques, rows_of, windows
from joint_errors import GRID, JointErrors, curve
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.errors import InputError
from payload_id.core.identification.identify import identify
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.identification.status import Status
from payload_id.core.rows.joint_torque.constant_errors import friction_stribeck
from payload_id.core.rows.joint_torque.hat_rows import worth_it
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.scales import Scales
from payload_id.core.rows.joint_torque.stated_errors import wave_number
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.samples.joint_samples import Samples

ELBOW = """<robot name="elbow"><link name="base"/>
<link name="upper"><inertial><origin xyz="0.1 0.02 0.15"/><mass value="2"/>
<inertia ixx="0.03" iyy="0.03" izz="0.004" ixy="0" ixz="0.001" iyz="0"/></inertial></link>
<link name="fore"><inertial><origin xyz="0 0.05 0.2"/><mass value="1"/>
<inertia ixx="0.01" iyy="0.012" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="tool"/>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
<origin xyz="0 0 0.3" rpy="0.3 0 0"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" effort="90" velocity="3"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/>
<origin xyz="0.2 0 0.3" rpy="0 0.4 0.7"/><axis xyz="1 0 0"/>
<limit lower="-3" upper="3" effort="90" velocity="3"/></joint>
<joint name="mount" type="fixed"><parent link="fore"/><child link="tool"/>
<origin xyz="0.03 -0.02 0.3"/></joint></robot>"""
NAMES = ("elbow", "gantry", "ur10", "gen3")  # 2, 4 (three slide), 6 and 7 joints
DRY = {"friction_coulomb": 1.0, "friction_viscous": 0.5}
KINDS = {
    "asymmetry": {**DRY, "friction_coulomb_asymmetry": 0.8, "friction_viscous_asymmetry": 0.6},
    "load": {**DRY, "friction_load": 0.15},
    "stribeck": {**DRY, "friction_stribeck": 1.5, "stribeck_velocity": 0.15},
    "ripple": {"torque_ripple": 0.7, "ripple_cycles": 37.0},
    "drift": {"torque_offset": 1.0, "torque_drift": 0.6},
}
EVERYTHING = {
    **{name: size for kind in KINDS.values() for name, size in kind.items()},
    "torque_gain": 0.04,
    "rotor_inertia": 0.05,
}
EVERY = pytest.mark.parametrize("kind", [*KINDS, "everything"])
PERIODS = (6.0, 25.0)  # fast, and slow enough for much time near standstill [s]


@lru_cache
def arm_named(name: str) -> ArmModel:
    """Return an arm of the tests, or that with two joints."""
    return ArmModel.from_xml(ELBOW, "tool", None) if name == "elbow" else arm(name)


def bounds(kind: str) -> Uncertainty:
    """Return what is stated."""
    return Uncertainty(**(EVERYTHING if kind == "everything" else KINDS[kind]))


def run(name, seed, stated, extreme, rate=250.0, seconds=2.0, period=6.0):
    """Return model, samples, payload and what the joints do."""
    model, rng = arm_named(name), np.random.default_rng([seed, 11])
    motion, phi = Motion.draw(model, rng, period=period), draw_payload(rng)
    t = np.arange(round(seconds * rate) + 1) / rate
    q, dq, ddq = motion.at(t)
    truth = JointErrors.draw(rng, stated, model.n, extreme)
    T = joint_torques(model, model.link_phi, phi, q, dq, ddq)
    tau = truth.reading(rng, T, q, dq, ddq, wave_number(model, stated))
    u = rng.choice([-1.0, 1.0], (3, *q.shape))
    q = q + u[0] * stated.per_joint("position_error", model.n)
    dq = dq + u[1] * stated.per_joint("velocity_error", model.n)
    tau = tau + u[2] * stated.per_joint("torque_absolute", model.n)
    return model, Samples(t, q, dq, tau), phi, truth


def used(model, stated, samples, phi, truth, length=0.1):
    """Return how much of its bound each row needs for the truth, shape (m,)."""
    source = MomentumRows.of(model, stated)
    rows = rows_of(model, stated, samples, length)
    u = truth.u(source)
    assert rows.B.shape[1] == len(u) == source.p
    assert np.abs(u).max() <= 1.0 + 1e-12
    return np.abs(rows.A @ phi + rows.B @ u - rows.b) / rows.bound(np.abs(phi))


@pytest.mark.slow
@EVERY
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("extreme", [False, True])
def test_what_the_columns_leave_is_bounded(name, kind, extreme):
    stated = bounds(kind)
    for seed, period in enumerate(PERIODS):
        assert used(*mixed(name, seed, stated, extreme, period)).max() <= 1.0


def mixed(name, seed, stated, extreme, period):
    """Return the arguments of `used`."""
    model, samples, phi, truth = run(name, seed, stated, extreme, period=period)
    return model, stated, samples, phi, truth


@pytest.mark.slow
@EVERY
def test_with_errors_of_every_sample_too(kind):
    stated = replace(
        bounds(kind),
        position_error=2e-3,
        velocity_error=0.02,
        torque_absolute=0.05,
    )
    for name in ("elbow", "gen3"):
        for seed, period in enumerate(PERIODS):
            assert used(*mixed(name, seed, stated, True, period)).max() <= 1.0


@pytest.mark.parametrize("name", NAMES)
def test_estimates_count_friction_where_only_bounds_do_not_know_its_direction(name):
    # Wide bounds on other errors: at most samples they leave open whether the joint drives.
    holds = replace(bounds("load"), friction_load=0.2)
    stated = replace(holds, torque_absolute=1.0, torque_offset=3.0)
    likely, middle = [], []
    for seed in range(3):
        model, samples, phi, truth = run(
            name, seed, replace(bounds("load"), friction_load=0.2), True
        )
        source, rows = MomentumRows.of(model, stated), rows_of(model, stated, samples, 0.1)
        u = truth.u(source)
        B, b = rows.unbiased()
        likely.append((b - rows.A @ phi - B @ u) / rows.weight)
        middle.append((rows.b - rows.A @ phi - rows.B @ u) / rows.weight)
    assert np.mean(np.square(likely)) < 0.2 * np.mean(np.square(middle))


@pytest.mark.slow
def test_friction_that_grows_with_load_does_not_draw_the_mass_to_zero():
    # Noise of the readings is in the columns of that friction, too.
    holds = replace(bounds("load"), friction_load=0.2, torque_gain=0.1, link_relative=0.05)
    errors = []
    for name in ("ur10", "gen3"):
        for seed in range(3):
            model, samples, phi, _ = run(name, seed, holds, False, rate=100.0, seconds=16.0)
            noise = 2.0 * np.random.default_rng(seed).normal(size=samples.tau.shape)
            stated = replace(holds, torque_absolute=10.0, torque_offset=3.0)
            online = OnlineIdentifier(model, Settings(stated, intervals="least_squares_image"))
            online.add(replace(samples, tau=samples.tau + noise))
            errors.append(online.update().phi[0] - phi[0])
    assert abs(np.mean(errors)) < 0.08, errors


def test_velocities_that_are_off_by_a_constant():
    stated = replace(bounds("asymmetry"), velocity_error=0.1, stiction_velocity=0.0)
    stated = replace(stated, friction_coulomb=0.0, friction_coulomb_asymmetry=0.0)
    model, still = arm_named("elbow"), np.zeros((26, 2))
    t = np.arange(26) / 250.0
    T = joint_torques(model, model.link_phi, np.zeros(10), still, still, still)
    for sign in (-1.0, 1.0):  # at rest, and shown as moving
        samples = Samples(t, still, still + 0.1 * sign, T)
        rows = MomentumRows.of(model, stated).window(samples)
        u = np.array([1.0, 1.0, sign, sign])  # the largest viscous friction, in its own direction
        assert (np.abs(rows.B @ u - rows.b) <= rows.d).all()


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_slow_friction_at_a_speed_that_is_off_by_a_constant(sign):
    S, v_s, wrong = 5.0, 0.5, 0.15
    stated = Uncertainty(friction_stribeck=S, stribeck_velocity=v_s, velocity_error=wrong)
    model, t = arm_named("elbow"), np.arange(26) / 250.0
    dq = np.full((26, 2), 0.9 * v_s)
    q = dq * t[:, None]
    T = joint_torques(model, model.link_phi, np.zeros(10), q, dq, np.zeros_like(q))
    rows = MomentumRows.of(model, stated).window(Samples(t, q, dq + sign * wrong, T + 0.1 * S))
    s = np.maximum(0.0, 1.0 - friction_stribeck.KNOTS)  # the line, which is 0.1 here
    u = np.repeat(2.0 * s - 1.0, 2)  # zero where the largest is below 1
    assert (np.abs(rows.B @ u - rows.b) <= rows.d).all()


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_a_ripple_at_positions_that_are_off_by_a_constant(sign):
    size, k, wrong = 5.0, 37.0, 2e-3
    stated = Uncertainty(torque_ripple=size, ripple_cycles=k, position_error=wrong)
    model, t = arm_named("elbow"), np.arange(26) / 250.0
    q, still = np.full((26, 2), 0.7), np.zeros((26, 2))
    T = joint_torques(model, model.link_phi, np.zeros(10), q, still, still)
    # sin(k (q - 0.7)) is zero here, and steepest
    u = np.repeat([np.cos(0.7 * k), -np.sin(0.7 * k)], 2)
    rows = MomentumRows.of(model, stated).window(Samples(t, q + sign * wrong, still, T))
    assert (np.abs(rows.B @ u - rows.b) <= rows.d).all()


@pytest.mark.slow
@EVERY
def test_in_rows_that_take_positions_for_velocities(kind):
    stated = replace(bounds(kind), position_error=2e-5, velocity_error=0.02)
    for name in ("gantry", "gen3"):
        for seed, period in enumerate(PERIODS):
            model, samples, phi, truth = run(name, seed, stated, True, period=period)
            assert worth_it(stated, samples.stamp[:76], model.n)
            assert used(model, stated, samples, phi, truth, 0.3).max() <= 1.0


@pytest.mark.slow
@EVERY
@pytest.mark.parametrize("speed_error", [0.001, 0.02])  # without and with hats
def test_in_rows_of_every_length(kind, speed_error):
    stated = replace(bounds(kind), position_error=2e-5, velocity_error=speed_error)
    stated = replace(stated, torque_absolute=0.1, torque_mean_window=0.5, torque_mean=0.1)
    for name, period in zip(("elbow", "gen3"), PERIODS, strict=True):
        model, samples, phi, truth = run(name, 1, stated, True, period=period)
        source = MomentumRows.of(model, stated)
        makes = Scales(source, 0.1, (0.03, 0.7))
        rows = RowBlock.stack([makes.block(window) for window in windows(samples)])
        assert {0.0, 0.03, 0.5, 0.7} <= {*rows.scale.tolist()}
        left = np.abs(rows.A @ phi + rows.B @ truth.u(source) - rows.b)
        assert (left <= rows.bound(np.abs(phi))).all()


@pytest.mark.parametrize("kind", ["asymmetry", "load", "stribeck", "ripple"])
def test_bounds_and_columns_are_needed(kind):
    """Without the new bounds the truth is out of reach, for any value of the other parameters."""
    stated, kept = bounds(kind), ("friction_coulomb", "friction_viscous", "torque_offset")
    reach = Uncertainty(**{name: KINDS[kind][name] for name in kept if name in KINDS[kind]})
    outside = []
    for seed in range(4):
        model, samples, phi, _ = run("gen3", seed, stated, True, period=25.0)
        rows = rows_of(model, reach, samples)
        left = np.abs(rows.A @ phi - rows.b) - np.abs(rows.B).sum(axis=1)
        outside.append((left > rows.bound(np.abs(phi))).any())
    assert any(outside)


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("friction_stribeck", "a slow joint's cells"),
        ("friction_load", "the torque that is not known"),
        ("torque_drift", "the way of the drift"),
    ],
)
def test_what_is_left_out_is_needed(name, part):
    """The columns alone do not explain it: there is a row that needs its bound."""
    kind = {"friction_stribeck": "stribeck", "friction_load": "load", "torque_drift": "drift"}[name]
    stated = bounds(kind)
    most = 0.0
    for seed in range(4):
        model, samples, phi, truth = run("gen3", seed, stated, True, period=25.0)
        source, rows = MomentumRows.of(model, stated), rows_of(model, stated, samples)
        exact = rows_of(model, replace(stated, **{name: 0.0}), samples)
        left = np.abs(rows.A @ phi + rows.B @ truth.u(source) - rows.b)
        most = max(most, (left / exact.bound(np.abs(phi))).max())
    assert most > 1.0, part


def test_the_ripple_is_explained_to_the_last():
    stated = bounds("ripple")
    for seed in range(3):
        model, samples, phi, truth = run("gen3", seed, stated, True)
        source, rows = MomentumRows.of(model, stated), rows_of(model, stated, samples)
        left = rows.A @ phi + rows.B @ truth.u(source) - rows.b
        without = rows.A @ phi - rows.b
        assert np.linalg.norm(left) < 1e-3 * np.linalg.norm(without)


def test_curves_of_the_tests_are_of_the_class():
    rng = np.random.default_rng(0)
    for _ in range(30):
        s = curve(rng)(GRID)
        fall = -np.diff(s) / np.diff(GRID)
        assert s[0] <= 1.0
        assert fall.min() >= -1e-12
        assert fall.max() <= 1.0 + 1e-9
        assert (s[GRID >= 1.0] <= np.exp(-GRID[GRID >= 1.0]) + 1e-12).all()


def test_no_curve_is_farther_from_its_line_than_the_bound():
    rng, ends = np.random.default_rng(1), np.append(friction_stribeck.KNOTS, friction_stribeck.END)
    most = 0.0
    for _ in range(300):
        s = curve(rng)
        values = s(ends)
        values[-1] = 0.0
        most = max(most, np.abs(s(GRID) - np.interp(GRID, ends, values)).max())
    assert 0.9 * friction_stribeck.CELL_ERROR < most <= friction_stribeck.CELL_ERROR


@pytest.mark.slow
@EVERY
def test_intervals_contain_the_truth(kind):
    usual = {"torque_absolute": 0.05}
    for name, seed in (("elbow", 0), ("gen3", 1)):
        stated = replace(bounds(kind), **usual)
        model, samples, phi, _ = run(name, seed, stated, True, seconds=3.0)
        found = identify(samples, model, stated)
        assert found.status is not Status.INCONSISTENT
        assert found.contains(phi).all()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"torque_ripple": 0.1}, "ripple_cycles"),
        ({"friction_stribeck": 0.1}, "stribeck_velocity"),
        ({"torque_ripple": 0.1, "ripple_cycles": 50.5}, "whole number"),
    ],
)
def test_what_is_half_stated_is_refused(wrong, words):
    with pytest.raises(InputError, match=words):
        _ = MomentumRows.of(arm("gen3"), Uncertainty(**wrong)).constant
    with pytest.raises(InputError, match="friction_load"):
        Uncertainty(friction_load=1.0)
