"""What is told of inconsistent data, a payload that changes, and the motion that would help."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from arms import Motion, Run, arm, draw_payload, joint_torques, record
from injected_faults import USUAL, inject
from payload_id.core.body.inertial import PARAMETERS
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.identification.identify import identify
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.identification.status import Status
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.samples.joint_samples import Samples

# Which causes are named: the promises; how often: `benchmarks/diagnosis.py`.


@pytest.mark.slow
def test_where_no_cause_explains_it_what_each_leaves_is_said():
    run, rng = record(arm("ur10"), 8, seconds=1.2), np.random.default_rng(8)
    bursts = np.repeat(rng.normal(size=(13, run.model.n)) * 3.0, 25, axis=0)[: len(run.true)]
    found = identify(replace(run.true, tau=run.true.tau + bursts), run.model, USUAL)
    assert found.status is Status.INCONSISTENT
    assert found.cause == ""
    assert "No single cause" in found.message and "torque offset" in found.message


# A payload that changes


def test_inconsistent_data_are_told_before_their_cause_and_what_is_blamed():
    """Whoever moves the arm learns of them at once; nothing else of the answer is another."""
    fault, told = inject("ur10", "torque gain", 0, seconds=2.0), []
    online = OnlineIdentifier(fault.model, Settings(USUAL))
    online.add(fault.samples)
    found = online.update(told.append)
    (first,) = told
    assert first.status is found.status is Status.INCONSISTENT
    assert not first.cause and first.noise_factor == found.noise_factor
    assert (first.phi == found.phi).all() and "being looked for" in first.message
    assert found.cause and "being looked for" not in found.message
    shares = [share for *_, share in found.blame]
    assert shares == sorted(shares, reverse=True) and 0.5 < sum(shares) <= 1.0 + 1e-9
    assert found.blame[0][0] == fault.model.joints[fault.joint]
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["cause"] == found.cause and plain["blame"][0][0] == found.blame[0][0]


# The motion that would help

SHORT_SIGHTED = Uncertainty(
    torque_relative=0.02,
    torque_absolute=0.05,
    link_relative=0.05,
    prior=PayloadPrior(mass_max=4.0, com_max=0.2),
)


def with_frozen(model, seed, moving, sweep=None):
    """Identify with some joints moving only, then perhaps with a sweep of one joint."""
    motion = Motion.draw(model, np.random.default_rng(seed))
    motion = replace(motion, sine=motion.sine * moving, cosine=motion.cosine * moving)
    phi = draw_payload(np.random.default_rng(seed))
    run = record(model, seed, phi=phi, seconds=2.0, motion=motion)
    samples = run.measured(SHORT_SIGHTED, "uniform", seed).samples
    if sweep is not None:
        t, rate, unit = np.arange(500) * 4e-3, np.pi, np.eye(model.n)[sweep]
        q = run.true.q[-1] + 0.5 * np.outer(np.sin(rate * t), unit)
        dq = 0.5 * rate * np.outer(np.cos(rate * t), unit)
        tau = joint_torques(model, model.link_phi, phi, q, dq, -(rate**2) * (q - run.true.q[-1]))
        more = Samples(run.true.stamp[-1] + 1.0 + t, q, dq, tau)
        swept = Run(model, more, phi, model.link_phi, more)
        samples = samples.joined(swept.measured(SHORT_SIGHTED, "uniform", seed).samples)
    return identify(samples, model, SHORT_SIGHTED)


def advised(estimate, model):
    """Return the parameters and the joint of each piece of advice."""
    return [
        ([PARAMETERS.index(name) for name in names.split(", ")], model.joints.index(joint))
        for names, joint in re.findall(r"For ([\w, ]+): (\w+) (?:turned|moved)", estimate.message)
    ]


@pytest.mark.slow
def test_advised_motion_helps_most():
    model = arm("ur10")
    before = with_frozen(model, 0, np.arange(6) == 0)
    assert before.status is Status.TOO_WIDE
    after = [with_frozen(model, 0, np.arange(6) == 0, sweep) for sweep in range(model.n)]
    ratios = np.array([estimate.half_width / before.half_width for estimate in after])
    advice = advised(before, model)
    assert advice
    for parameters, joint in advice:
        assert joint > 0
        assert f"{model.joints[joint]} turned 0 deg; turn it by about 57 deg" in before.message
        mean = np.mean(ratios[:, parameters], axis=1)
        assert mean[joint] < 0.95
        assert mean[joint] <= 1.25 * mean.min()
