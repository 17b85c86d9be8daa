"""The arm with realistic drives: against inverse dynamics, over arms, seeds and sessions."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from arms import EVERY_ARM, arm, draw_payload
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.trajectory import Motion
from payload_id.core.simulation.presets import IDEAL
from payload_id.core.simulation.realistic_arm import RealisticArm, joint_capacity
from payload_id.core.simulation.rigid_body import with_bodies

PAYLOAD = draw_payload(np.random.default_rng(8))


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
