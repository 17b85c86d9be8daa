"""Causes that only samples tell apart: how rows are made anew, and what is told of large errors."""

from dataclasses import replace

import numpy as np
import pytest

from arms import arm, draw_payload, joint_torques, record, rows_of, windows
from injected_faults import USUAL, inject_in_samples
from payload_id.core.bounds import Interval
from payload_id.core.diagnosis import Evidence, Recollection
from payload_id.core.diagnosis.causes.remade_rows import NOTHING, RemadeRows, Unchanged
from payload_id.core.diagnosis.remade.gravity import OtherGravity
from payload_id.core.diagnosis.remade.joint_order import orders_of
from payload_id.core.diagnosis.remade.torque_delay import Late
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
    samples = record(model, 1, phi=phi, seconds=1.0).measured(USUAL, "uniform").samples
    still = np.zeros_like(samples.q)
    weighed = np.zeros(10) if taken_out > 0.0 else phi
    held = joint_torques(model, model.link_phi, weighed, samples.q, still, still)
    found = identify(replace(samples, tau=samples.tau - taken_out * held), model, USUAL)
    assert found.status is Status.INCONSISTENT
    assert found.cause == cause and words in found.message


def test_degrees_are_told_where_every_sample_is_false():
    run = record(arm("ur10"), 3, seconds=1.5).measured(USUAL, "uniform")
    q, dq = np.rad2deg(run.samples.q), np.rad2deg(run.samples.dq)
    found = identify(replace(run.samples, q=q, dq=dq), run.model, USUAL)
    assert found.status is Status.NO_DATA
    assert "Positions and velocities are in degrees" in found.message
    found = identify(replace(run.samples, q=q), run.model, USUAL)
    assert "Positions are in degrees" in found.message


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


def test_orders_are_different_and_never_the_stated_one():
    for n in (1, 2, 4):
        orders = list(orders_of(n))
        assert len(set(orders)) == len(orders)
        assert all(sorted(order) == list(range(n)) for order in orders)
        assert tuple(range(n)) not in orders
