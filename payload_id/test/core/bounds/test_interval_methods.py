"""What every interval method must do: contain the truth, whatever the rows are."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from arms import arm, draw_payload, record, rows_of
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.bounds import METHODS, Interval, Memory, method_named
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.row_block import RowBlock

PRIOR = PayloadPrior()
KNOWN = Interval(*PRIOR.box())
SHAPE = PRIOR.shape()
USUAL = Uncertainty(torque_relative=0.025, link_relative=0.05)
GUARANTEED = [name for name, method in METHODS.items() if method.guaranteed]
EVERY_METHOD = pytest.mark.parametrize("method", GUARANTEED)


def bounds_of(method, rows, known=KNOWN, memory=None):
    """Return the bounds that a method finds."""
    return method_named(method).bounds(rows, known, memory or Memory(), SHAPE)


@lru_cache
def usual(seed=1, name="gen3"):
    """Return rows of a usual run, without errors of A, and the payload."""
    phi = draw_payload(np.random.default_rng(seed))
    run = record(arm(name), seed, phi=phi, seconds=1.5).measured(USUAL, "uniform", seed)
    rows = rows_of(run.model, USUAL, run.samples)
    return replace(rows, d=rows.bound(np.abs(phi)), A_error=np.zeros_like(rows.A)), phi


@lru_cache
def usual_bounds(method):
    """Return the bounds of a usual run."""
    return bounds_of(method, usual()[0])


@EVERY_METHOD
def test_units_of_the_rows_do_not_matter(method):
    rows, _ = usual()
    reference = usual_bounds(method).interval
    for factor in (1e-4, 1e4):
        columns = {name: factor * getattr(rows, name) for name in ("A", "B", "b", "d")}
        found = bounds_of(method, replace(rows, **columns)).interval
        for end in ("lower", "upper"):
            off = np.abs(getattr(found, end) - getattr(reference, end))
            assert (off <= 2e-3 * reference.half_width).all()


@EVERY_METHOD
def test_errors_of_the_coefficients_are_honoured(method):
    rows, phi = usual()
    error = 0.02 * np.abs(rows.A)
    worst = np.sign(rows.b)[:, None] * np.sign(phi)
    found = bounds_of(method, replace(rows, A=rows.A + error * worst, A_error=error))
    narrower = usual_bounds(method).interval.half_width[0]
    assert found.consistent
    assert found.interval.contains(phi)
    assert found.interval.half_width[0] > narrower or narrower == KNOWN.half_width[0]


@EVERY_METHOD
def test_what_is_known_is_kept(method):
    rows, phi = usual()
    known = Interval(np.maximum(KNOWN.lower, phi - 1e-3), np.minimum(KNOWN.upper, phi + 1e-3))
    found = bounds_of(method, rows, known).interval
    assert (found.lower >= known.lower).all()
    assert (found.upper <= known.upper).all()
    assert found.contains(phi)


@EVERY_METHOD
def test_little_data_leave_what_is_known_and_are_consistent(method):
    rows, phi = usual()
    none, few = bounds_of(method, RowBlock.empty(5)), bounds_of(method, rows.take(np.arange(7)))
    np.testing.assert_array_equal(none.interval.lower, KNOWN.lower)
    np.testing.assert_array_equal(none.interval.upper, KNOWN.upper)
    assert none.consistent and few.consistent and few.interval.contains(phi)


@pytest.mark.parametrize("method", METHODS)
def test_a_lower_end_is_never_above_an_upper_one(method):
    """Whatever the rows say: of no payload at all, or off by so much that few methods notice."""
    rows, _ = usual()
    rng = np.random.default_rng(2)
    wrong = [rng.normal(size=len(rows)) * size for size in (0.1, 1.0, 100.0)]
    for b in (wrong[2], rows.b + wrong[0], rows.b + wrong[1], -5.0 * rows.b):
        found = bounds_of(method, replace(rows, b=b))
        assert (found.interval.lower <= found.interval.upper).all()
        assert found.consistent or np.isinf(found.interval.half_width).all()
