"""What a mass rests on: from which error on its interval is false, and from which it is noticed."""

import json
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from arms import Motion, arm, record, windows
from injected_faults import USUAL
from payload_id.core.bounds import Interval
from payload_id.core.diagnosis import IdentifiedMass
from payload_id.core.diagnosis.hypotheses import ASSUMPTIONS
from payload_id.core.diagnosis.hypotheses.tool import Tool
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.identification.status import Status
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.row_block import RowBlock
from undescribed import KINDS, undescribed

EVERY_KIND = pytest.mark.parametrize("kind", KINDS)


def identified(model, samples, stated=USUAL):
    """Return a run and its estimate."""
    online = OnlineIdentifier(model, Settings(stated))
    online.add(samples)
    return online, online.update()


def found_from(case, estimate):
    """Return what the mass of an estimate was found from."""
    source, prior = MomentumRows.of(case.model, USUAL), USUAL.prior
    return IdentifiedMass.of(
        source, tuple(windows(case.samples)), RowBlock.empty(source.p), Interval(*prior.box()),
        prior.shape(), estimate.phi, (float(estimate.lower[0]), float(estimate.upper[0])),
    )  # fmt: skip


def ends(room, kept):
    """Return the least and the largest size of an error."""
    return -room(-1.0, kept), room(1.0, kept)


def room_of(case, estimate):
    """Return the room for the case's error, on whichever side it is."""
    found = found_from(case, estimate)
    for hypothesis in ASSUMPTIONS:
        for error in hypothesis.errors(found):
            if hypothesis.assumption == case.assumption and case.error in (error.more, error.less):
                return found.room(error.column, error.largest)
    raise AssertionError(case.error)


@lru_cache
def slow_run():
    """Return a slow run with nothing wrong, which no kind changes, and its estimate."""
    case = undescribed("gen3", "cable", 1, size=0.0)
    return case, *identified(case.model, case.samples)


@pytest.mark.slow
@EVERY_KIND
def test_true_size_of_an_error_is_within_the_room_for_it(kind):
    """Whatever was done to the arm: rows with the error's column hold the truth."""
    case = undescribed("ur10", kind, 1, "vertices")
    _, estimate = identified(case.model, case.samples)
    low, high = ends(room_of(case, estimate), False)
    assert low - 1e-6 <= case.size <= high + 1e-6


@pytest.mark.slow
@EVERY_KIND
def test_beyond_the_threshold_the_interval_is_false_and_far_below_it_true(kind):
    same, _, sound = slow_run()
    case = undescribed("gen3", kind, 1, size=0.0)
    np.testing.assert_array_equal(case.samples.tau, same.samples.tau)
    kept = ends(room_of(case, sound), True)
    for part in (0.3, 1.2):
        size = part * (kept[1] if "gainst" not in case.error else kept[0])
        there = undescribed("gen3", kind, 1, size=size)
        _, found = identified(there.model, there.samples)
        if found.status is Status.INCONSISTENT:
            continue
        low, high = ends(room_of(there, found), True)
        contained = found.lower[0] <= there.phi[0] <= found.upper[0]
        if part < 0.5 or not low - 1e-6 <= size <= high + 1e-6:
            assert contained == (part < 0.5)


def test_room_scales_with_the_unit_and_a_weight_at_the_frame_is_in_the_interval():
    """Phi and a point mass at the origin are one body: its mass is in the interval as well."""
    case, _, estimate = slow_run()
    found = found_from(case, estimate)
    (error,) = Tool().errors(found)
    room, grams = found.room(error.column, 20.0), found.room(1e-3 * error.column, 2e4)
    kept, every = ends(room, True), ends(room, False)
    assert 0.0 < kept[1] <= estimate.upper[0] - estimate.lower[0] + 1e-6
    assert every[0] <= kept[0] <= 0.0 <= kept[1] <= every[1]
    np.testing.assert_allclose(1e-3 * np.array(ends(grams, True)), kept, rtol=1e-4)
    np.testing.assert_allclose(1e-3 * np.array(ends(grams, False)), every, rtol=1e-4)


def test_a_mass_is_said_to_rest_on_the_tool():
    _, online, estimate = slow_run()
    found = online.concluded(estimate)
    tool = found.rests_on[0]
    assert tool.assumption == "the tool as described"
    assert 0.0 < tool.doubtful_from < tool.false_from < tool.noticed_from
    assert f"{tool.assumption} (doubtful from {tool.doubtful_from:.2g} kg" in found.message
    for name in ("phi", "lower", "upper"):
        np.testing.assert_array_equal(getattr(found, name), getattr(estimate, name))
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["rests_on"][0]["assumption"] == tool.assumption
    assert estimate.to_dict()["rests_on"] == []


def test_nothing_is_said_of_a_mass_that_is_not_identified():
    model = arm("gen3")
    still = Motion.draw(model, np.random.default_rng(5))
    still = replace(still, sine=0.0 * still.sine, cosine=0.0 * still.cosine)
    run = record(model, 5, seconds=1.0, motion=still).measured(USUAL, "uniform", 5)
    online, estimate = identified(model, run.samples, replace(USUAL, torque_absolute=50.0))
    assert not estimate.mass_identified
    assert not online.concluded(estimate).rests_on
