"""The arm with realistic drives: against inverse dynamics, over arms, seeds and sessions."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from arms import EVERY_ARM, arm, draw_payload
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.trajectory import Motion
from payload_id.core.simulation.presets import IDEAL, PRESETS
from payload_id.core.simulation.realistic_arm import RealisticArm, joint_capacity
from payload_id.core.simulation.rigid_body import with_bodies

REAL = [name for name in PRESETS if name != "ideal"]
PAYLOAD = draw_payload(np.random.default_rng(8))

TWO_LINKS = """<robot name="two"><link name="base"/>
<link name="upper"><inertial><origin xyz="0 0 -0.2"/><mass value="2"/>
<inertia ixx="0.03" iyy="0.03" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="tool"><inertial><origin xyz="0.01 0 -0.1"/><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="a" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" effort="30" velocity="3"/></joint>
<joint name="b" type="revolute"><parent link="upper"/><child link="tool"/>
<origin xyz="0 0 -0.4"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" effort="12" velocity="3"/></joint></robot>"""


def motion(n: int, seed: int = 0, duration: float = 2.0) -> FourierSeries:
    """Return a motion from rest to rest."""
    rng = np.random.default_rng(seed)
    return FourierSeries.from_free(
        rng.uniform(-0.5, 0.5, n), 0.15 * rng.normal(size=(n, 2, 3)), duration
    )


def torques(model: ArmModel, payload, there: Motion):
    """Return the description's inverse dynamics, by Pinocchio, one sample at a time."""
    bodies = with_bodies(model, model.link_phi, payload)
    data, order = bodies.createData(), list(model.order)
    tau = np.empty_like(there.q)
    for k, (q, dq, ddq) in enumerate(zip(there.q, there.dq, there.ddq, strict=True)):
        tau[k, order] = pin.rnea(bodies, data, model.pinocchio_q(q), dq[order], ddq[order])
    return tau


@pytest.mark.parametrize("name", EVERY_ARM)
def test_without_effects_it_is_inverse_dynamics(name):
    """Arms with one to seven joints, sliding ones, endless ones, and several branches."""
    model = arm(name)
    path = motion(model.n)
    run = RealisticArm.drawn(model, IDEAL, 5).run(path, PAYLOAD)
    there = path.at(run.time)
    assert run.samples.tau == pytest.approx(torques(model, PAYLOAD, there), abs=1e-9)
    assert run.samples.q == pytest.approx(there.q, abs=1e-12)
    assert run.samples.dq == pytest.approx(there.dq, abs=1e-12)
    assert run.samples.stamp == pytest.approx(run.time)


@pytest.mark.parametrize("preset", REAL)
@pytest.mark.parametrize("name", ["two", *EVERY_ARM])
def test_every_preset_drives_every_arm(name, preset):
    model = ArmModel.from_xml(TWO_LINKS, "tool") if name == "two" else arm(name)
    path = motion(model.n)
    run = RealisticArm.drawn(model, preset, 1).run(path, PAYLOAD, seed=1)
    rate = PRESETS[preset]["rate"]
    assert len(run.samples) == round(2.0 * rate) + 1
    assert run.samples.n == model.n
    assert not run.samples.dropped
    for array in (run.samples.q, run.samples.dq, run.samples.tau):
        assert np.isfinite(array).all()
    # Effects are there, and not larger than the drive.
    rest = run.samples.tau - run.parts["links and payload"]
    size = joint_capacity(model)
    assert (np.std(rest, axis=0) > 1e-3 * size).all()
    assert (np.abs(rest) < size).all()


@pytest.mark.parametrize("preset", REAL)
def test_seeds_repeat_and_tell_arms_sessions_and_runs_apart(preset):
    model, path = arm("panda"), motion(7)

    def tau(arm_seed=0, seed=0, session=0):
        return RealisticArm.drawn(model, preset, arm_seed).run(path, None, seed, session).samples

    first = tau()
    again = tau()
    assert (first.tau == again.tau).all()
    assert (first.q == again.q).all()
    assert (first.stamp == again.stamp).all()
    for other in (tau(arm_seed=1), tau(seed=1), tau(session=1)):
        assert (other.tau != first.tau).any()


def test_gears_twist_and_signals_are_late_as_the_preset_says():
    slides = arm("gantry")  # where friction is a force
    run = RealisticArm.drawn(slides, IDEAL.but(coulomb=0.05)).run(motion(slides.n), PAYLOAD)
    size = joint_capacity(slides)
    assert np.abs(run.parts["friction"]).max(axis=0) == pytest.approx(0.05 * size)
    model, path = arm("panda"), motion(7)
    size, soft = joint_capacity(model), IDEAL.but(stiffness=(100.0,) * 3)
    elastic = RealisticArm.drawn(model, soft).run(path, PAYLOAD)
    load = elastic.parts["links and payload"]
    twist = elastic.samples.q - path.at(elastic.time).q
    assert twist * 100.0 * size == pytest.approx(load, abs=1e-9)
    late = RealisticArm.drawn(model, IDEAL.but(delay=0.02, cut_off=20.0, rate=1000.0))
    run = late.run(path)
    true, seen = run.parts["links and payload"], run.samples.tau
    lags = np.arange(60)
    errors = [np.sum((true[100 : 1900 - k] - seen[100 + k : 1900]) ** 2) for k in lags]
    expected = 0.02 + 1.0 / (2 * np.pi * 20.0)
    assert lags[int(np.argmin(errors))] * 1e-3 == pytest.approx(expected, abs=2e-3)
