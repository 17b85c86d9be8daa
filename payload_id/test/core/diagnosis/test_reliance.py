"""What a mass rests on: from which error on its interval is false, and from which it is noticed."""

import json
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from arms import Motion, arm, joint_torques, record, windows
from injected_faults import USUAL
from payload_id.core.bounds import Interval
from payload_id.core.diagnosis import Ground, rests_on
from payload_id.core.diagnosis.reliance.rests_on import ASSUMPTIONS
from payload_id.core.diagnosis.reliance.tool import Tool
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.identification.status import Status
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.samples.joint_samples import Samples
from undescribed import KINDS, undescribed


def identified(case):
    """Return a run and its estimate."""
    online = OnlineIdentifier(case.model, Settings(USUAL))
    online.add(case.samples)
    return online, online.update()


def ground_of(case, estimate):
    """Return what an estimate stands on."""
    source, prior = MomentumRows.of(case.model, USUAL), USUAL.prior
    return Ground.of(
        source, tuple(windows(case.samples)), RowBlock.empty(source.p), Interval(*prior.box()),
        prior.shape(), estimate.phi, (float(estimate.lower[0]), float(estimate.upper[0])),
    )  # fmt: skip


def column_of(ground, case):
    """Return the column of the case's error and its sign in words, whichever side it is on."""
    for assumption in ASSUMPTIONS:
        for error in assumption.errors(ground):
            if assumption.name == case.assumption and case.error in (error.more, error.less):
                return error.column, assumption.largest
    raise AssertionError(case.error)


@lru_cache
def sound_run(seed):
    """Return a run with nothing wrong, which no kind changes, and its estimate."""
    case = undescribed("gen3", "cable", seed, size=0.0)
    return case, identified(case)


def slow_run():
    """Return a slow run with nothing wrong, and its estimate."""
    return sound_run(1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [1, 2])
def test_true_size_of_an_error_is_within_the_room_for_it(kind, seed):
    # Whatever was done to the arm: rows with the error's column hold the truth.
    case = undescribed("ur10", kind, seed, "vertices")
    _, estimate = identified(case)
    ground = ground_of(case, estimate)
    room = ground.room(*column_of(ground, case))
    assert room.every[0] - 1e-6 <= case.size <= room.every[1] + 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_beyond_the_threshold_the_interval_is_false_and_below_half_of_it_mostly_true(kind):
    inside, small = 0, 0
    for seed in range(2):
        case, (same, (_, sound)) = undescribed("gen3", kind, seed, size=0.0), sound_run(seed)
        np.testing.assert_array_equal(case.samples.tau, same.samples.tau)
        ground = ground_of(case, sound)
        room = ground.room(*column_of(ground, case))
        for part in (0.3, 1.2):
            size = part * (room.kept[1] if "gainst" not in case.error else room.kept[0])
            there = undescribed("gen3", kind, seed, size=size)
            _, found = identified(there)
            if found.status is Status.INCONSISTENT:
                continue
            again = ground_of(there, found)
            kept = again.room(*column_of(again, there)).kept
            contained = found.lower[0] <= there.phi[0] <= found.upper[0]
            if not kept[0] - 1e-6 <= size <= kept[1] + 1e-6:
                assert not contained
            if part < 0.5:
                small, inside = small + 1, inside + contained
    assert inside >= 0.8 * small > 0


def test_weight_at_the_frame_stays_below_the_width_of_the_interval():
    # phi and a point mass at the origin are one body: its mass is in the interval as well.
    case, (_, estimate) = slow_run()
    ground = ground_of(case, estimate)
    (error,) = Tool().errors(ground)
    room = ground.room(error.column, Tool.largest)
    width = estimate.upper[0] - estimate.lower[0]
    assert 0.0 < room.kept[1] <= width + 1e-6
    assert room.every[0] <= room.kept[0] <= 0.0 <= room.kept[1] <= room.every[1]


def test_room_scales_with_the_unit():
    case, (_, estimate) = slow_run()
    ground = ground_of(case, estimate)
    (error,) = Tool().errors(ground)
    kilograms, grams = ground.room(error.column, 20.0), ground.room(1e-3 * error.column, 2e4)
    np.testing.assert_allclose(1e-3 * np.array(grams.kept), kilograms.kept, rtol=1e-4)
    np.testing.assert_allclose(1e-3 * np.array(grams.every), kilograms.every, rtol=1e-4)


@pytest.mark.slow
def test_a_mass_is_said_to_rest_on_the_tool():
    _, (online, estimate) = slow_run()
    found = online.with_grounds(estimate)
    tool = found.rests_on[0]
    assert tool.assumption == "the tool as described"
    assert 0.0 < tool.doubtful_from < tool.false_from < tool.noticed_from
    words = f"rests on: the tool as described (doubtful from {tool.doubtful_from:.2g} kg"
    assert words in found.message
    for name in ("phi", "lower", "upper"):
        np.testing.assert_array_equal(getattr(found, name), getattr(estimate, name))
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["rests_on"][0]["assumption"] == tool.assumption
    assert estimate.to_dict()["rests_on"] == []


@pytest.mark.slow
def test_a_cable_in_a_slow_run_passes_unnoticed():
    model = arm("gen3")
    motion = Motion.draw(model, np.random.default_rng(5), period=40.0)
    run = record(model, 5, seconds=5.0, motion=motion).measured(USUAL, "uniform", 5)
    case = replace(slow_run()[0], model=model, samples=run.samples)
    _, estimate = identified(case)
    named = {each.assumption: each for each in rests_on(ground_of(case, estimate))}
    cable = named["no cable, hose or contact that pulls"]
    assert cable.unit == "N"
    assert 2.0 * cable.false_from < cable.noticed_from


@pytest.mark.slow
def test_errors_that_show_at_once_carry_nothing():
    # Upright joints without any load at rest, and noise that is relative alone: they show all.
    stated = Uncertainty(torque_relative=0.025, link_relative=0.05)
    run = record(arm("gen3"), 2)
    rest = np.zeros((125, run.model.n))
    q = run.samples.q[:1] + rest
    tau = joint_torques(run.model, run.model.link_phi, run.phi, q, rest, rest)
    still = Samples(np.arange(125) * 0.004, q, rest, tau)
    later = replace(run.samples, stamp=run.samples.stamp - run.samples.stamp[0] + 1.0)
    online = OnlineIdentifier(run.model, Settings(stated))
    for part in (still, later):
        online.add(part)
    found = online.with_grounds(online.update())
    assert found.rests_on
    assert min(each.false_from for each in found.rests_on) > 1e-3


def test_nothing_is_said_of_a_mass_that_is_not_identified():
    model = arm("gen3")
    still = Motion.draw(model, np.random.default_rng(5))
    still = replace(still, sine=0.0 * still.sine, cosine=0.0 * still.cosine)
    wide = replace(USUAL, torque_absolute=50.0)
    run = record(model, 5, seconds=2.0, motion=still).measured(USUAL, "uniform", 5)
    online = OnlineIdentifier(model, Settings(wide))
    online.add(run.samples)
    estimate = online.update()
    assert not estimate.mass_identified
    assert online.with_grounds(estimate) is estimate
