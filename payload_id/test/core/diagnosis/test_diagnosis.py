"""The likely cause of inconsistent data, a payload that changes, and the motion that would help."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from arms import Motion, Run, arm, draw_payload, joint_torques, record
from injected_faults import CAUSES, OF_SAMPLES, SINGLE_JOINT, USUAL, inject, inject_in_samples
from payload_id.core.body.inertial import PARAMETERS
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.diagnosis import Diagnosis
from payload_id.core.identification.identify import begun, identify, last_estimate
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.identification.status import Status
from payload_id.core.identification.suspicion import Suspicion
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.samples.joint_samples import Samples

# Arm, seed and noise; a wrong link may look like another payload, which it does not in this draw.
DRAWS = {
    **{cause: ("gen3", 1, "uniform") for cause in CAUSES[::2]},
    **{cause: ("ur10", 1, "uniform") for cause in CAUSES[1::2]},
    **{cause: ("ur10", 4, "uniform") for cause in OF_SAMPLES},
    "torque sign": ("ur10", 2, "correlated"),
    "link model": ("gen3", 0, "uniform"),
    "joint zero": ("gen3", 2, "uniform"),
}
TOLD = {  # patterns of the value that would explain it, and its unit
    "torque delay": (r"about ([\d.]+) ms", 1e-3),
    "gravity direction": (r"([\d.]+) deg off", np.pi / 180.0),
    "joint zero": (r"about (-?[\d.]+) deg", np.pi / 180.0),
}


def number(pattern, message):
    """Return the number that a message tells."""
    return float(re.search(pattern, message)[1])


# `benchmarks/diagnosis_campaign.py` has all causes with all arms, and says how often each is told.


@pytest.mark.slow
@pytest.mark.parametrize("cause", DRAWS)
def test_injected_cause_is_named_with_its_joint_its_time_or_its_size(cause):
    name, seed, noise = DRAWS[cause]
    injected = inject_in_samples if cause in OF_SAMPLES else inject
    fault = injected(name, cause, seed, noise=noise)
    found = identify(fault.samples, fault.model, USUAL)
    if "They would be true" in found.message:  # of units, samples may be left out as false
        assert cause in ("units", "velocity")
        return
    assert found.status is Status.INCONSISTENT
    assert found.cause == cause
    if cause in SINGLE_JOINT:
        joint = fault.model.joints[fault.joint]
        assert re.search(rf"\b{joint}\b", found.message.split("Most likely")[1])
    elif cause in ("contact", "payload slipped"):
        time = number(r"(?:Only|at about) ([\d.]+) s", found.message)
        assert time == pytest.approx(fault.time, abs=0.15)
    elif cause in TOLD:
        pattern, unit = TOLD[cause]
        told = number(pattern, found.message) * unit
        assert abs(told) == pytest.approx(abs(fault.size), rel=0.15)


def test_efforts_of_all_joints_may_be_reversed():
    run = record(arm("gen3"), 5, seconds=1.0).measured(USUAL, "uniform")
    found = identify(replace(run.samples, tau=-run.samples.tau), run.model, USUAL)
    assert found.cause == "torque sign"
    assert "all joints" in found.message


@pytest.mark.slow
def test_where_no_cause_explains_it_what_each_leaves_is_said():
    run, rng = record(arm("ur10"), 8, seconds=1.2), np.random.default_rng(8)
    bursts = np.repeat(rng.normal(size=(13, run.model.n)) * 3.0, 25, axis=0)[: len(run.true)]
    found = identify(replace(run.true, tau=run.true.tau + bursts), run.model, USUAL)
    assert found.status is Status.INCONSISTENT
    assert found.cause == ""
    assert "No single cause" in found.message and "torque offset" in found.message


# A payload that changes


@pytest.fixture(scope="module")
def changed():
    """Return a run whose payload changes, its identifier, what it told at once, its estimates."""
    fault = inject("ur10", "payload slipped", 1, seconds=4.0)
    online, told, estimates = OnlineIdentifier(fault.model, Settings(USUAL)), [], []
    for window in online.cut(fault.samples):
        online.take(window)
        if online.windows in (12, 28, 40):
            estimates.append(online.update(told.append))
    return fault, online, told, estimates


@pytest.mark.slow
def test_changed_payload_begins_a_run_which_replay_repeats(changed):
    fault, online, told, estimates = changed
    last = estimates[-1]
    assert last.status in (Status.GOOD, Status.TOO_WIDE, Status.SMALL_LOAD)
    assert last.contains(fault.phi).all()
    assert last.windows < online.windows
    time = number(r"payload changed at about ([\d.]+) s", last.message)
    assert time == pytest.approx(fault.time, abs=0.25)
    assert [each.status for each in told] == [Status.INCONSISTENT]
    again = begun(fault.model, Settings(USUAL), None)
    assert repr(last_estimate(again, fault.samples, online.updates)) == repr(last)


@pytest.mark.slow
def test_new_payload_is_that_of_its_rows_alone(changed):
    fault, online, _, estimates = changed
    last = estimates[-1]
    first = number(r"since ([\d.]+) s", last.message)
    late = fault.samples.part(round(first * 250.0), len(fault.samples))
    alone = identify(late, fault.model, USUAL)
    np.testing.assert_allclose(last.phi, alone.phi, atol=1e-6)
    # Of more updates, each intersected with those before.
    assert (last.half_width < alone.half_width * (1 + 1e-3)).all()


def test_cause_is_looked_for_anew_when_there_is_twice_as_much_inconsistent_data():
    """At once when there is 1 s more; then ever more seldom."""
    found, later = Diagnosis(None, (), ()), Diagnosis(None, (), ())
    suspicion = Suspicion().diagnosed(20, found, window=0.1)
    assert suspicion.diagnosis_at(29) is found and suspicion.diagnosis_at(30) is None
    assert suspicion.diagnosed(25, found, window=0.1) is suspicion
    again = suspicion.diagnosed(50, later, window=0.1)
    assert again.diagnosis_at(79) is later and again.diagnosis_at(80) is None


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
