"""Causes that only samples tell apart: how rows are made anew."""

import numpy as np
import pytest

from arms import rows_of, windows
from injected_faults import USUAL, inject_in_samples
from payload_id.core.bounds import Interval
from payload_id.core.diagnosis import Evidence, Recollection
from payload_id.core.diagnosis.causes.remade_rows import NOTHING, RemadeRows, Unchanged
from payload_id.core.diagnosis.remade.gravity import OtherGravity
from payload_id.core.rows.joint_torque.momentum import MomentumRows


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
