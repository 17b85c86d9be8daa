"""The likely cause of inconsistent data, a payload that changes, and the motion that would help."""

import json
import re
from copy import deepcopy
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from arms import Motion, Run, arm, draw_payload, joint_torques, record, rows_of
from injected_faults import CAUSES, SINGLE_JOINT, USUAL, inject
from payload_id.core.body.inertial import PARAMETERS
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.bounds import Interval
from payload_id.core.diagnosis import Evidence, diagnose
from payload_id.core.identification.identify import begun, identify, last_estimate, replay
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.identification.status import Status
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.samples.joint_samples import Samples


def on_one_arm_each(causes):
    """Return arms in turn with causes; `benchmarks/diagnosis_campaign.py` has all with all."""
    return pytest.mark.parametrize(
        ("name", "cause"), [(("gen3", "ur10")[k % 2], cause) for k, cause in enumerate(causes)]
    )


@lru_cache
def found_of(name, cause, seed, noise="uniform"):
    """Return a fault and what is made of it."""
    fault = inject(name, cause, seed, noise=noise)
    return fault, identify(fault.samples, fault.model, USUAL)


@pytest.mark.slow
@on_one_arm_each(CAUSES)
def test_injected_cause_is_named(name, cause):
    # A wrong link may look like another payload, and then nobody can tell: not so in this draw.
    fault, found = found_of(name, cause, 0 if cause == "link model" else 1)
    assert found.status is Status.INCONSISTENT
    assert found.cause == cause
    if cause in SINGLE_JOINT:
        joint = fault.model.joints[fault.joint]
        assert re.search(rf"\b{joint}\b", found.message.split("Most likely")[1])


@pytest.mark.slow
@pytest.mark.parametrize("cause", CAUSES[:-1:4])  # all: benchmarks/diagnosis_campaign.py
def test_noise_at_its_bounds_does_not_hide_the_cause(cause):
    _, found = found_of("ur10", cause, 2, "correlated")
    assert found.status is Status.INCONSISTENT
    assert found.cause == cause


@pytest.mark.slow
def test_efforts_of_all_joints_may_be_reversed():
    run = record(arm("gen3"), 5, seconds=4.0).measured(USUAL, "uniform")
    reverse = replace(run.samples, tau=-run.samples.tau)
    found = identify(reverse, run.model, USUAL)
    assert found.cause == "torque sign"
    assert "all joints" in found.message


@pytest.mark.slow
def test_time_of_contact_and_of_change_is_told():
    for case in (("gen3", "contact", 1), ("ur10", "contact", 2, "correlated")):
        fault, found = found_of(*case)
        span = re.search(r"Only ([\d.]+) s to", found.message)
        assert float(span[1]) == pytest.approx(fault.time, abs=0.15)
    fault, found = found_of("ur10", "payload slipped", 1)
    time = re.search(r"at about ([\d.]+) s", found.message)
    assert float(time[1]) == pytest.approx(fault.time, abs=0.15)


@pytest.mark.slow
def test_blame_names_joints_and_times():
    fault, found = found_of("gen3", "contact", 1)
    shares = [share for *_, share in found.blame]
    assert shares == sorted(shares, reverse=True)
    assert 0.5 < sum(shares) <= 1.0 + 1e-9
    assert all(joint in fault.model.joints and start < end for joint, start, end, _ in found.blame)
    touched = fault.time, fault.time + 0.6
    assert any(start <= touched[1] and end >= touched[0] for _, start, end, _ in found.blame)
    joint = found.blame[0][0]
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["cause"] == "contact"
    assert plain["blame"][0][0] == joint


def test_consistent_data_have_no_cause():
    run = record(arm("gen3"), 6).measured(USUAL, "uniform")
    found = identify(run.samples, run.model, USUAL)
    assert (found.cause, found.blame) == ("", ())


@pytest.mark.slow
def test_where_no_cause_explains_it_what_each_leaves_is_said():
    run = record(arm("ur10"), 8, seconds=4.0)
    rng = np.random.default_rng(8)
    bursts = np.repeat(rng.normal(size=(41, run.model.n)) * 3.0, 25, axis=0)[: len(run.true)]
    found = identify(replace(run.true, tau=run.true.tau + bursts), run.model, USUAL)
    assert found.status is Status.INCONSISTENT
    assert found.cause == ""
    assert "No single cause explains it" in found.message
    assert "torque offset" in found.message


@pytest.mark.slow
def test_diagnosis_does_not_depend_on_the_number_of_rows():
    # Of many rows only some are looked at.
    fault = inject("ur10", "torque gain", 2)
    rows = rows_of(fault.model, USUAL, fault.samples, length=0.02)
    assert len(rows) > 1200
    prior, row_source = USUAL.prior, MomentumRows.of(fault.model, USUAL)
    known = Interval(*prior.box())
    evidence = Evidence.of(rows, known, prior.shape(), 0, np.full(row_source.p, -1), float("nan"))
    found = diagnose(evidence)
    assert found.likely.cause == "torque gain"
    assert found.likely.joint == fault.joint


# A payload that changes


def updates_of(fault, settings, every):
    """Return the identifier and its estimates after every so many windows."""
    online, estimates = OnlineIdentifier(fault.model, settings), []
    for window in online.cut(fault.samples):
        online.take(window)
        if online.windows % every == 0:
            estimates.append(online.update())
    return online, estimates


@lru_cache
def changed():
    """Return a run whose payload changes, its identifier and its estimates."""
    fault = inject("ur10", "payload slipped", 1, seconds=6.0)
    online, estimates = updates_of(fault, Settings(USUAL), 15)
    return fault, online, tuple(estimates)


@pytest.mark.slow
def test_changed_payload_begins_a_run():
    fault, online, estimates = changed()
    last = estimates[-1]
    assert last.status in (Status.GOOD, Status.SMALL_LOAD)
    assert last.contains(fault.phi).all()
    assert last.windows < online.windows
    time = re.search(r"payload changed at about ([\d.]+) s", last.message)
    assert float(time[1]) == pytest.approx(fault.time, abs=0.25)
    assert any(estimate.status is Status.INCONSISTENT for estimate in estimates)
    again = list(replay(fault.samples, fault.model, Settings(USUAL), online.updates))
    for one, other in zip(again, estimates, strict=True):
        np.testing.assert_array_equal(one.lower, other.lower)
        np.testing.assert_array_equal(one.phi, other.phi)
        assert (one.message, one.windows) == (other.message, other.windows)
    quiet = begun(fault.model, Settings(USUAL), None)
    assert repr(last_estimate(quiet, fault.samples, online.updates)) == repr(last)


@pytest.mark.slow
def test_new_payload_is_that_of_its_rows_alone():
    fault, _, estimates = changed()
    last = estimates[-1]
    first = float(re.search(r"since ([\d.]+) s", last.message)[1])
    late = fault.samples.part(int(round(first * 250.0)), len(fault.samples))
    alone = identify(late, fault.model, USUAL)
    np.testing.assert_allclose(last.phi, alone.phi, atol=1e-6)
    ratio = last.half_width / alone.half_width
    assert (ratio < 1 + 1e-3).all()  # of more updates, each intersected with those before


@pytest.mark.slow
def test_cause_is_told_at_every_update_and_looked_for_ever_more_seldom():
    fault = inject("ur10", "torque gain", 0)
    online, looks = OnlineIdentifier(fault.model, Settings(USUAL)), []
    for window in online.cut(fault.samples):
        online.take(window)
        if online.windows % 2:
            continue
        problem = online.problem()
        solved = problem.solve()
        online.accept(solved)
        if solved.estimate.status is Status.INCONSISTENT:
            assert solved.estimate.cause == solved.diagnosis.cause
            looks += [online.windows] * (problem.suspicion.diagnosis_at(problem.upto) is None)
    gaps = np.diff(looks)
    assert len(gaps) >= 2
    assert gaps[0] == 10  # windows: 1 s
    assert (gaps[1:] == looks[1:-1] - np.array(looks[0])).all()
    # It is not taken for another payload at any of them.
    assert solved.estimate.status is Status.INCONSISTENT
    assert solved.estimate.windows == online.windows


@pytest.mark.slow
def test_inconsistent_data_are_told_before_their_cause():
    """Whoever moves the arm learns of them at once; nothing else of the answer is another."""
    fault, told = inject("ur10", "torque gain", 0), []
    online = OnlineIdentifier(fault.model, Settings(USUAL))
    online.add(fault.samples)
    found = online.update(told.append)
    (first,) = told
    assert first.status is found.status is Status.INCONSISTENT
    assert not first.cause and first.noise_factor == found.noise_factor
    assert (first.phi == found.phi).all() and "being looked for" in first.message
    assert found.cause and "being looked for" not in found.message


@pytest.mark.slow
def test_a_contact_is_not_taken_for_another_payload():
    online, estimates = updates_of(inject("ur10", "contact", 0), Settings(USUAL), 25)
    assert estimates[-1].status is Status.INCONSISTENT
    assert estimates[-1].windows == online.windows


@pytest.mark.slow
def test_reset_forgets_a_change():
    fault, online, estimates = changed()
    assert "changed" in estimates[-1].message
    online = deepcopy(online)
    online.reset()
    online.add(fault.samples.part(0, 300))
    estimate = online.update()
    assert "changed" not in estimate.message
    assert estimate.windows == online.windows


# The motion that would help

SHORT_SIGHTED = Uncertainty(
    torque_relative=0.02,
    torque_absolute=0.05,
    link_relative=0.05,
    prior=PayloadPrior(mass_max=4.0, com_max=0.2),
)


def with_frozen(name, frozen, seed, sweep=None):
    """Identify with some joints frozen, then perhaps with a sweep of one joint."""
    model, rng = arm(name), np.random.default_rng(seed)
    motion = Motion.draw(model, rng)
    moving = ~np.isin(np.arange(model.n), frozen)
    motion = replace(motion, sine=motion.sine * moving, cosine=motion.cosine * moving)
    phi = draw_payload(np.random.default_rng(seed))
    run = record(model, seed, phi=phi, seconds=4.0, motion=motion)
    parts = [run.measured(SHORT_SIGHTED, "uniform", seed).samples]
    if sweep is not None:
        t, rate = np.arange(500) * 4e-3, np.pi
        q, unit = np.tile(run.true.q[-1], (500, 1)), np.eye(model.n)[sweep]
        q = q + 0.5 * np.sin(rate * t)[:, None] * unit
        dq = 0.5 * rate * np.cos(rate * t)[:, None] * unit
        ddq = -0.5 * rate**2 * np.sin(rate * t)[:, None] * unit
        tau = joint_torques(model, model.link_phi, phi, q, dq, ddq)
        more = Samples(run.true.stamp[-1] + 1.0 + t, q, dq, tau)
        swept = Run(model, more, phi, model.link_phi, more)
        parts.append(swept.measured(SHORT_SIGHTED, "uniform", seed).samples)
    fields = ("stamp", "q", "dq", "tau")
    whole = Samples(*(np.concatenate([getattr(part, x) for part in parts]) for x in fields))
    return identify(whole, model, SHORT_SIGHTED)


def advised(estimate, model):
    """Return the parameters and the joint of each piece of advice."""
    return [
        ([PARAMETERS.index(name) for name in names.split(", ")], model.joints.index(joint))
        for names, joint in re.findall(r"For ([\w, ]+): (\w+) (?:turned|moved)", estimate.message)
    ]


@pytest.mark.slow
def test_advised_motion_helps_most():
    name, seed = "ur10", 0
    model = arm(name)
    frozen = list(range(1, model.n))
    before = with_frozen(name, frozen, seed)
    assert before.status is Status.USABLE
    advice = advised(before, model)
    assert advice
    ratios = np.array(
        [
            with_frozen(name, frozen, seed, sweep).half_width / before.half_width
            for sweep in range(model.n)
        ]
    )
    for parameters, joint in advice:
        assert joint in frozen
        assert f"{model.joints[joint]} turned 0 deg; turn it by about 57 deg" in before.message
        mean = np.mean(ratios[:, parameters], axis=1)
        assert mean[joint] < 0.95
        assert mean[joint] <= 1.25 * mean.min()


def test_parameter_that_only_one_joint_can_tell():
    # A single joint that may move, and does not: there is no other to be named.
    model = arm("gen3")
    found = with_frozen("gen3", list(range(7)), 1)
    assert not found.identifiable.all()
    assert advised(found, model)
