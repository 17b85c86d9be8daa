"""Causes that only samples tell apart: how rows are made anew, and what is told of large errors."""

import re
from dataclasses import replace

import numpy as np
import pytest

from arms import arm, draw_payload, joint_torques, record, rows_of, windows
from injected_faults import USUAL, inject_in_samples
from payload_id.core.arm.effort_scale import TABLE, EffortScale
from payload_id.core.bounds import Interval
from payload_id.core.diagnosis import Evidence, Recollection
from payload_id.core.diagnosis.causes.recollection import BLOCK, MOST_BLOCKS
from payload_id.core.diagnosis.causes.remade_rows import NOTHING, RemadeRows, Unchanged
from payload_id.core.diagnosis.remade.gravity import OtherGravity
from payload_id.core.diagnosis.remade.joint_order import OtherOrder, orders_of
from payload_id.core.diagnosis.remade.torque_delay import Late
from payload_id.core.diagnosis.remade.velocity import differences
from payload_id.core.identification.identify import identify
from payload_id.core.identification.status import Status
from payload_id.core.rows.joint_torque.momentum import MomentumRows

# What is told of large errors


@pytest.mark.slow
@pytest.mark.parametrize(
    ("taken_out", "cause", "words"),
    [
        (1.0, "kind of efforts", "What the links weigh"),
        (-1.0, "gravity direction", "times what is stated"),
    ],
)
def test_weight_that_is_compensated_for_is_named(taken_out, cause, words):
    model = arm("gen3")
    phi = 1.5 * draw_payload(np.random.default_rng(3))
    samples = record(model, 1, phi=phi, seconds=1.5).measured(USUAL, "uniform").samples
    still = np.zeros_like(samples.q)
    weighed = np.zeros(10) if taken_out > 0.0 else phi
    held = joint_torques(model, model.link_phi, weighed, samples.q, still, still)
    found = identify(replace(samples, tau=samples.tau - taken_out * held), model, USUAL)
    assert found.status is Status.INCONSISTENT
    assert found.cause == cause and words in found.message


def test_torques_a_thousand_times_too_large_may_be_torque_constants():
    run = record(arm("ur10"), 4, seconds=0.8).measured(USUAL, "uniform")
    samples = replace(run.samples, tau=1e3 * run.samples.tau)
    of_currents = replace(run.model, effort={TABLE: EffortScale.of(11.0, 0.0, 6)})
    for model, words in ((run.model, "correct the driver"), (of_currents, "torque constants")):
        found = identify(samples, model, USUAL)
        assert found.cause == "units" and words in found.message


def test_degrees_are_told_where_every_sample_is_false():
    run = record(arm("ur10"), 3, seconds=1.5).measured(USUAL, "uniform")
    q, dq = np.rad2deg(run.samples.q), np.rad2deg(run.samples.dq)
    found = identify(replace(run.samples, q=q, dq=dq), run.model, USUAL)
    assert found.status is Status.NO_DATA
    assert "Positions and velocities are in degrees" in found.message
    found = identify(replace(run.samples, q=q), run.model, USUAL)
    assert "Positions are in degrees" in found.message


@pytest.mark.slow
def test_a_long_delay_is_named():
    run, delay = record(arm("gen3"), 1, seconds=2.0), 0.08
    stamp = run.true.stamp
    late = np.stack([np.interp(stamp - delay, stamp, tau) for tau in run.true.tau.T], axis=1)
    samples = replace(run, true=replace(run.true, tau=late)).measured(USUAL, "uniform").samples
    found = identify(samples, run.model, USUAL)
    assert found.cause == "torque delay"
    told = float(re.search(r"about ([\d.]+) ms", found.message)[1])
    assert told == pytest.approx(1e3 * delay, rel=0.1)


def test_velocities_are_told_apart_from_the_samples_alone():
    names, true = arm("gen3").joints, record(arm("gen3"), 4).true
    assert differences([true], names) == []
    dq = true.dq * [1.0, -1.0, 1.3, 1.0, 1.0, 1.0, 1.0]
    dq[:, 3] = np.interp(true.stamp - 0.03, true.stamp, true.dq[:, 3])
    said = differences([replace(true, dq=dq)], names)
    for sentence, joint, words in zip(said, names[1:4], ("-1 ", "1.3 ", "30 ms"), strict=True):
        assert sentence.startswith(joint) and words in sentence


# How rows are made anew


@pytest.fixture(scope="module")
def remade():
    """Return what rows of a faulty run can be made anew of."""
    fault = inject_in_samples("gen3", "torque delay", 2)
    rows, source = rows_of(fault.model, USUAL, fault.samples), MomentumRows.of(fault.model, USUAL)
    known, links = Interval(*USUAL.prior.box()), np.full(source.p, -1)
    evidence = Evidence.of(rows, known, USUAL.prior.shape(), 0, links, float("nan"))
    kept = Recollection()
    for window in windows(fault.samples):
        kept = kept.with_window(window)
    return RemadeRows.of(evidence.with_samples(source, kept, 0.1))


class TooShort(Unchanged):
    """Leaves too little of the samples for windows."""

    def samples(self, samples, value):
        """Return few samples."""
        return samples.part(0, 3)


def test_a_hypothesis_that_leaves_no_windows_explains_nothing(remade):
    none = remade.judged(TooShort(), NOTHING)
    assert none.factor == np.inf and len(none.rows) == 0
    assert remade.columns(none, TooShort(), np.zeros(1), np.ones(1)).shape == (0, 1)


def test_rows_made_anew_of_unchanged_samples_are_the_rows(remade):
    rows, whole = remade.rows(Unchanged(), NOTHING), remade.evidence.rows
    same = [int(np.flatnonzero((whole.start == r) & (whole.joint == j))[0])
            for r, j in zip(rows.start, rows.joint, strict=True)]  # fmt: skip
    np.testing.assert_allclose(rows.A, whole.A[same], atol=1e-12)
    np.testing.assert_allclose(rows.b, whole.b[same], atol=1e-12)


def test_residual_is_linear_in_gravity(remade):
    """Phi and u held, rows under another gravity differ by C times the difference, exactly."""
    other, stated = OtherGravity(), remade.source.model.gravity
    now = remade.judged(other, stated)
    step = np.array([1.0, -2.0, 0.5])
    columns = remade.columns(now, other, stated, np.full(3, 0.1))
    there = remade.rows(other, stated + step)
    phi, u = now.fit.phi, now.fit.u
    change = (there.A - now.rows.A) @ phi + (there.B - now.rows.B) @ u - (there.b - now.rows.b)
    np.testing.assert_allclose(columns @ step, change, atol=1e-8)


def test_delay_that_was_put_in_is_taken_out():
    samples = record(arm("gen3"), 1, seconds=1.0).true
    late = replace(samples, tau=np.sin(3.0 * samples.stamp - 0.03)[:, None] * np.ones(7))
    found = Late(np.ones(7)).samples(late, np.array([0.01]))
    expected = np.sin(3.0 * found.stamp)
    np.testing.assert_allclose(found.tau, expected[:, None] * np.ones(7), atol=1e-4)


def test_orders_are_different_never_the_stated_one_and_undo_themselves():
    for n in (1, 2, 4):
        orders = list(orders_of(n))
        assert len(set(orders)) == len(orders)
        assert all(sorted(order) == list(range(n)) for order in orders)
        assert tuple(range(n)) not in orders
    samples = record(arm("ur10"), 1, seconds=0.2).true
    order = OtherOrder((0, 3, 2, 1, 4, 5), torques_only=False)
    back = order.samples(order.samples(samples, NOTHING), NOTHING)
    for name in ("q", "dq", "tau"):
        np.testing.assert_array_equal(getattr(back, name), getattr(samples, name))


def test_recollection_is_bounded_and_spread_over_the_run():
    part, kept = record(arm("ur10"), 1, seconds=0.1).true, Recollection()
    for k in range(3 * BLOCK * MOST_BLOCKS + 3):
        kept = kept.with_window(replace(part, stamp=part.stamp + 0.1 * k))
        assert sum(map(len, kept.blocks)) <= BLOCK * MOST_BLOCKS
    begins = np.array([block[0].number for block in kept.blocks])
    assert set(np.diff(begins)) == {kept.stride * BLOCK}
    assert begins[-1] >= kept.seen - 2 * kept.stride * BLOCK
    late = kept.since(begins[4] + 3)
    assert min(entry.number for block in late.blocks for entry in block) == begins[4] + 3


def test_stretches_hold_the_times_that_are_asked_for():
    samples, kept = record(arm("ur10"), 1, seconds=8.0, rate=100.0).true, Recollection()
    for window in windows(samples):
        kept = kept.with_window(window)
    stretches = kept.stretches(3, np.array([6.55]))
    assert any(part.stamp[0] <= 6.55 <= part.stamp[-1] for part in stretches)
    for part in stretches:
        inside = samples.between(part.stamp[0], part.stamp[-1])
        np.testing.assert_array_equal(part.tau, inside.tau)
