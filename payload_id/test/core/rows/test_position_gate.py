"""False positions make no rows: they are left out and counted, true ones never are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arms import PENDULUM
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.errors import ModelError
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.position_gate import (
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

PAUSE = WindowCutter(0.1).pause
ROBOTS = {name: RobotFile.load(name) for name in ("kinova_gen3", "xarm7")}
MODELS = {name: RobotModel.from_robot_file(robot) for name, robot in ROBOTS.items()}
MODEL, STATED = MODELS["kinova_gen3"], ROBOTS["kinova_gen3"].uncertainty
EVERY_ARM = pytest.mark.parametrize("name", ROBOTS)


def gate_of(model=MODEL, stated=STATED):
    return MomentumRows.of(model, stated).gate(PAUSE)


def moving(model, seed, rate=100.0, seconds=3.0):
    """Return samples of a motion all over the joints' ranges, as fast as joints may be."""
    rng = np.random.default_rng(seed)
    stamp = np.arange(round(seconds * rate)) / rate
    lower, upper = (np.clip(end, -4.0, 4.0) for end in position_limits(model))
    half = 0.5 * (upper - lower)
    w = largest_velocity(model) / half
    angle = np.outer(stamp, w) + rng.uniform(0.0, 2.0 * np.pi, model.n)
    q, dq = 0.5 * (upper + lower) + half * np.sin(angle), half * w * np.cos(angle)
    return Samples(stamp, q, dq, rng.normal(size=q.shape))


@EVERY_ARM
@pytest.mark.parametrize("rate", [50.0, 1000.0])
def test_nothing_true_is_left_out(name, rate):
    model, jitter, rng = MODELS[name], 0.2 / rate, np.random.default_rng(1)
    errors = {"position_error": 1e-3, "velocity_error": 0.02, "stamp_jitter": jitter}
    stated, samples = replace(ROBOTS[name].uncertainty, **errors), moving(model, 1, rate)
    seen = replace(
        samples,
        stamp=samples.stamp + jitter * rng.uniform(-1.0, 1.0, len(samples)),
        q=samples.q + 1e-3 * rng.uniform(-1.0, 1.0, samples.q.shape),
        dq=samples.dq + 0.02 * rng.uniform(-1.0, 1.0, samples.q.shape),
    )
    turns = np.array(model.continuous) * np.round(samples.q / 3.0)
    delay = round(0.004 * rate)  # by a filter
    late = np.concatenate([samples.dq[:1].repeat(delay, 0), samples.dq[: len(samples) - delay]])
    turned = replace(seen, q=seen.q - 2.0 * np.pi * turns)
    for each in (seen, turned, replace(samples, dq=late)):
        gate = gate_of(model, stated)
        assert len(gate.let_through(each)) == len(each)
        assert not gate.dropped


def test_positions_that_stay_elsewhere_are_taken_up_after_a_pause():
    samples, _ = measured_run(MODEL, STATED, 2, 2.0)
    samples.q[100:, 2] += 0.7  # a new zero of an encoder
    kept = gate_of().let_through(samples)
    steps = np.diff(kept.stamp)
    assert steps.max() > PAUSE and (steps > PAUSE).sum() == 1
    assert len(kept) >= len(samples) - 4


def test_positions_a_little_outside_the_limits_count_and_are_told():
    samples = moving(MODEL, 1)
    assert doubt_about_range(MODEL, samples.q.min(axis=0), samples.q.max(axis=0)) == ""
    samples.q[:, 3] += 0.5 + position_limits(MODEL)[1][3] - samples.q[:, 3].max()
    assert len(gate_of().let_through(samples)) == len(samples)
    doubt = doubt_about_range(MODEL, samples.q.min(axis=0), samples.q.max(axis=0))
    assert "joint_4" in doubt and "0.5 rad outside" in doubt


@pytest.mark.parametrize("huge", ["1e308", "1e30"])
def test_limits_that_mean_none_are_none(huge):
    urdf = PENDULUM.replace('lower="-3" upper="3"', f'lower="-{huge}" upper="{huge}"')
    model = ArmModel.from_xml(urdf.replace('velocity="3"', f'velocity="{huge}"'), "tool")
    t = np.arange(200)[:, None] / 100.0
    samples = Samples(t[:, 0], np.sin(t), np.cos(t), np.zeros_like(t))
    assert len(gate_of(model, Uncertainty()).let_through(samples)) == 200


def test_an_arm_has_a_bounded_number_of_joints():
    links = "".join(
        f'<link name="l{k}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
        f'ixz="0" iyz="0"/></inertial></link><joint name="j{k}" type="continuous"><parent '
        f'link="{f"l{k - 1}" if k else "base"}"/><child link="l{k}"/><axis xyz="0 0 1"/></joint>'
        for k in range(65)
    )
    with pytest.raises(ModelError, match="at most 64 joints"):
        ArmModel.from_xml(f'<robot name="r"><link name="base"/>{links}</robot>', "l64")
