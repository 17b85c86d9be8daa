"""Hypotheses that only samples tell apart: how rows are made again."""

import numpy as np
import pytest

from arms import rows_of, windows
from injected_faults import USUAL, inject_in_samples
from payload_id.core.bounds import Interval
from payload_id.core.diagnosis import Evidence, Reprocessed, WindowBuffer
from payload_id.core.diagnosis.hypotheses import OF_TORQUES, OF_WRENCHES
from payload_id.core.diagnosis.hypotheses.gravity import Gravity
from payload_id.core.diagnosis.hypothesis import AS_READ, NOTHING
from payload_id.core.rows.joint_torque.momentum import MomentumRows


@pytest.fixture(scope="module")
def again():
    """Return what rows of a faulty run can be made again of."""
    fault = inject_in_samples("gen3", "torque delay", 2)
    rows, source = rows_of(fault.model, USUAL, fault.samples), MomentumRows.of(fault.model, USUAL)
    known, links = Interval(*USUAL.prior.box()), np.full(source.p, -1)
    evidence = Evidence.of(rows, known, USUAL.prior.shape(), 0, links, float("nan"))
    buffer = WindowBuffer()
    for window in windows(fault.samples):
        buffer = buffer.with_window(window)
    return Reprocessed.of(evidence, source, buffer, 0.1)


def test_rows_made_again_of_unchanged_samples_are_the_rows(again):
    rows, whole = again.rows(AS_READ, NOTHING), again.evidence.rows
    same = [int(np.flatnonzero((whole.start == r) & (whole.joint == j))[0])
            for r, j in zip(rows.start, rows.joint, strict=True)]  # fmt: skip
    np.testing.assert_allclose(rows.A, whole.A[same], atol=1e-12)
    np.testing.assert_allclose(rows.b, whole.b[same], atol=1e-12)


def test_residual_follows_gravity_to_first_order(again):
    """Phi and u held, rows under another gravity differ by C times the difference."""
    reading = next(Gravity().readings(again.recorded))
    now = again.judged(reading, reading.value)
    step = np.array([0.01, -0.02])
    columns = again.columns(now, reading, reading.value)
    there = again.rows(reading, reading.value + step)
    phi, u = now.fit.phi, now.fit.u
    change = (there.A - now.rows.A) @ phi + (there.B - now.rows.B) @ u - (there.b - now.rows.b)
    np.testing.assert_allclose(columns @ step, change, atol=0.05 * np.abs(change).max())


def test_every_hypothesis_has_a_name_of_its_own_and_leaves_its_samples_alone(again):
    """The battery of the table: what a new entry must keep to."""
    for table in (OF_TORQUES, OF_WRENCHES):
        every = [hypothesis for stage in table.stages for hypothesis in stage]
        assert len({hypothesis.name for hypothesis in every}) == len(every)
    every = [hypothesis for stage in OF_TORQUES.stages for hypothesis in stage]
    samples = again.recorded.stretches[0]
    before = [samples.q.copy(), samples.dq.copy(), samples.tau.copy()]
    for hypothesis in every:
        for reading in list(hypothesis.readings(again.recorded))[:3]:
            k = len(reading.value)
            assert len(reading.reach) == k and reading.free >= 0
            assert all(isinstance(words, str) and words for words in reading.words(reading.value))
            assert reading.of_samples(samples, reading.value).n == samples.n
        for case in hypothesis.relaxations(again.evidence):
            fit = again.evidence.refit(case.relaxation)
            assert fit.factor <= again.evidence.factor * (1 + 1e-6) or not case.free
            assert case.words(fit)
    for old, new in zip(before, (samples.q, samples.dq, samples.tau), strict=True):
        np.testing.assert_array_equal(old, new)
