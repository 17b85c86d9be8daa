"""False positions make no rows: they are left out and counted, true ones never are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arms import PENDULUM
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.errors import ModelError
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.position_gate import (
    FAST,
    JUMP,
    OUTSIDE,
    doubt_about_range,
    largest_velocity,
    position_limits,
)
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.windows import WindowCutter
from payload_id.core.samples.joint_samples import Samples
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel
from stated_arm import measured_run

ARMS = ("kinova_gen3", "xarm7")
WINDOW = 0.1
PAUSE = WindowCutter(WINDOW).pause


def arm(name):
    robot = RobotFile.load(name)
    return RobotModel.from_robot_file(robot), robot.uncertainty


def gate_of(model, stated):
    return MomentumRows.of(model, stated).gate(PAUSE)


def with_false(samples, rng, number=20):
    """Return samples with single false rows, and which are false."""
    q, dq = samples.q.copy(), samples.dq.copy()
    false = rng.choice(np.arange(1, len(samples)), number, replace=False)
    for k in false:
        joint = rng.integers(samples.n)
        kind = rng.integers(4)
        if kind == 0:
            q[k, joint] = rng.choice([9e8, -9e8, 50.0])
        elif kind == 1:
            q[k, joint] += rng.choice([-1.0, 1.0]) * rng.uniform(0.1, 2.5)
        elif kind == 2:
            q[k] = rng.permutation(q[k] + np.linspace(0.5, 1.5, samples.n))
        else:
            dq[k, joint] = rng.choice([9e8, -9e8, 1e6])
    return replace(samples, q=q, dq=dq), np.sort(false)


def moving(model, seed, rate=100.0, seconds=3.0):
    """Return samples of a motion all over the joints' ranges, as fast as joints may be."""
    rng = np.random.default_rng(seed)
    stamp = np.arange(round(seconds * rate)) / rate
    lower, upper = (np.clip(end, -4.0, 4.0) for end in position_limits(model))
    phase = rng.uniform(0.0, 2.0 * np.pi, model.n)
    half = 0.5 * (upper - lower)
    w = largest_velocity(model) / half
    angle = np.outer(stamp, w) + phase
    q = 0.5 * (upper + lower) + half * np.sin(angle)
    dq = half * w * np.cos(angle)
    return Samples(stamp, q, dq, rng.normal(size=q.shape))


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("rate", [50.0, 100.0, 1000.0])
def test_nothing_true_is_left_out(name, rate):
    model, stated = arm(name)
    e_q, e_dq, jitter = 1e-3, 0.02, 0.2 / rate
    stated = replace(stated, position_error=e_q, velocity_error=e_dq, stamp_jitter=jitter)
    for seed in range(3):
        samples, rng = moving(model, seed, rate), np.random.default_rng(seed)
        shape = samples.q.shape
        seen = replace(
            samples,
            stamp=samples.stamp + jitter * rng.uniform(-1.0, 1.0, len(samples)),
            q=samples.q + e_q * rng.uniform(-1.0, 1.0, shape),
            dq=samples.dq + e_dq * rng.uniform(-1.0, 1.0, shape),
        )
        turns = np.array(model.continuous) * np.round(samples.q / 3.0)
        late = np.roll(samples.dq, round(0.004 * rate), axis=0)  # by a filter
        late[: round(0.004 * rate)] = samples.dq[0]
        for each in (
            seen,
            replace(seen, q=seen.q - 2.0 * np.pi * turns),
            replace(samples, dq=late),
        ):
            gate = gate_of(model, stated)
            assert len(gate.let_through(each)) == len(each)
            assert not gate.dropped


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("seed", range(4))
def test_single_false_rows_are_left_out_and_no_others(name, seed):
    model, stated = arm(name)
    samples = moving(model, seed)
    false_ones, false = with_false(samples, np.random.default_rng(seed))
    gate = gate_of(model, stated)
    kept = gate.let_through(false_ones)
    np.testing.assert_array_equal(kept.stamp, np.delete(samples.stamp, false))
    assert sum(gate.dropped.values()) == len(false)
    assert all(cause.startswith((OUTSIDE, JUMP, FAST)) for cause in gate.dropped)


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("speed", [19.0, -60.0])
def test_velocities_that_no_joint_reaches_are_left_out_with_all_their_stretch(name, speed):
    model, stated = arm(name)
    samples = moving(model, 3, rate=1000.0, seconds=1.0)
    dq = samples.dq.copy()
    dq[400:420, 2] = speed
    gate = gate_of(model, stated)
    kept = gate.let_through(replace(samples, dq=dq))
    assert np.array_equal(kept.stamp, np.delete(samples.stamp, np.s_[400:420]))
    assert gate.dropped == {f"{FAST} {model.joints[2]}": 20}


def test_pieces_do_not_matter():
    model, stated = arm("kinova_gen3")
    samples, _ = measured_run(model, stated, 1, 3.0)
    false_ones, _ = with_false(samples, np.random.default_rng(1), 40)
    whole = gate_of(model, stated)
    stamp = whole.let_through(false_ones).stamp
    for size in (1, 7, 64):
        gate = gate_of(model, stated)
        pieces = [
            gate.let_through(false_ones.part(k, k + size)) for k in range(0, len(samples), size)
        ]
        np.testing.assert_array_equal(np.concatenate([piece.stamp for piece in pieces]), stamp)
        assert gate.dropped == whole.dropped


def test_positions_that_stay_elsewhere_are_taken_up_after_a_pause():
    model, stated = arm("kinova_gen3")
    samples, _ = measured_run(model, stated, 2, 2.0)
    q = samples.q.copy()
    q[100:, 2] += 0.7  # a new zero of an encoder
    gate = gate_of(model, stated)
    kept = gate.let_through(replace(samples, q=q))
    steps = np.diff(kept.stamp)
    assert steps.max() > PAUSE and (steps > PAUSE).sum() == 1
    assert len(kept) >= len(samples) - 4


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_false_rows_cost_data_and_never_the_truth(seed):
    model, stated = arm("kinova_gen3")
    samples, phi = measured_run(model, stated, seed, 3.0)
    false_ones, false = with_false(samples, np.random.default_rng([seed, 1]))
    keep = np.ones(len(samples), dtype=bool)
    keep[false] = False
    estimates = []
    for each in (false_ones, samples.chosen(keep)):
        online = OnlineIdentifier(model, Settings(stated))
        online.add(each)
        estimates.append(online.update())
    with_them, without = estimates
    np.testing.assert_array_equal(with_them.lower, without.lower)
    np.testing.assert_array_equal(with_them.upper, without.upper)
    assert with_them.contains(phi).all()
    assert sum(with_them.false_samples.values()) == len(false) and not without.false_samples
    assert "False samples were left out" in with_them.message


def test_nothing_but_false_rows_is_no_data_and_says_why():
    model, stated = arm("kinova_gen3")
    samples, _ = measured_run(model, stated, 1, 1.0)
    online = OnlineIdentifier(model, Settings(stated))
    online.add(replace(samples, q=samples.q + 100.0 * (~np.array(model.continuous))))
    estimate = online.update()
    assert estimate.status.value == "NO_DATA"
    assert OUTSIDE in estimate.message and "joint_2" in estimate.message


@pytest.mark.slow
def test_positions_a_little_outside_the_limits_count_and_are_told():
    model, stated = arm("kinova_gen3")
    samples = moving(model, 1)
    assert doubt_about_range(model, samples.q.min(axis=0), samples.q.max(axis=0)) == ""
    q = samples.q.copy()
    q[:, 3] += 0.5 + position_limits(model)[1][3] - q[:290, 3].max()  # in windows that are full
    gate = gate_of(model, stated)
    assert len(gate.let_through(replace(samples, q=q))) == len(samples)
    online = OnlineIdentifier(model, Settings(stated))
    online.add(replace(samples, q=q))
    assert "Positions of joint_4 are up to 0.5 rad outside its limits" in online.update().message


def test_degrees_for_radians_are_no_data():
    model, stated = arm("kinova_gen3")
    samples = moving(model, 1)
    online = OnlineIdentifier(model, Settings(stated))
    online.add(replace(samples, q=np.rad2deg(samples.q), dq=np.rad2deg(samples.dq)))
    estimate = online.update()
    assert sum(estimate.false_samples.values()) > 0.9 * len(samples)
    assert estimate.windows == 0


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("huge", ["1e308", "1.7976931348623157e308", "1e30"])
def test_limits_that_mean_none_are_none(huge):
    urdf = PENDULUM.replace('lower="-3" upper="3"', f'lower="-{huge}" upper="{huge}"')
    model = ArmModel.from_xml(urdf.replace('velocity="3"', f'velocity="{huge}"'), "tool")
    t = np.arange(200) / 100.0
    q = np.sin(t)[:, None]
    samples = Samples(t, q, np.cos(t)[:, None], np.zeros_like(q))
    assert len(gate_of(model, Uncertainty()).let_through(samples)) == 200


def test_an_arm_has_a_bounded_number_of_joints():
    links = "".join(
        f'<link name="l{k}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
        f'ixz="0" iyz="0"/></inertial></link><joint name="j{k}" type="continuous"><parent '
        f'link="{f"l{k - 1}" if k else "base"}"/><child link="l{k}"/><axis xyz="0 0 1"/></joint>'
        for k in range(300)
    )
    with pytest.raises(ModelError, match=r"at most 64 joints here, found 300: j0 to j299"):
        ArmModel.from_xml(f'<robot name="r"><link name="base"/>{links}</robot>', "l299")
