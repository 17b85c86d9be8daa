"""Whole turns counted from wrapped positions, and commands in the turns that a driver reports."""

from __future__ import annotations

import numpy as np
import pytest

from numeric_arm import part_of
from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.safety.certificate.certified_motion import CertifiedMotion
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.ros.execution.commanded_motion import CommandedMotion
from payload_id.ros.execution.start_check import start_of
from payload_id.ros.execution.turn_count import (
    TurnCount,
    difference,
    nearest_turns,
)

JOINTS, CONTINUOUS = ("pan", "lift", "roll"), (True, False, True)
LIMITED = np.array([True, False, False])
SPEED = np.full(3, 2.0)
TUBE = TrackingTube.position_controlled(np.full(3, 0.02), np.full(3, 0.1), np.ones(3))


def wrapped(q):
    """Return positions as a driver reports them, (-pi, pi]."""
    return np.where(CONTINUOUS, np.pi - (np.pi - q) % (2 * np.pi), q)


def count(counted=False, doubt="It is not known"):
    return TurnCount(JOINTS, LIMITED, counted, SPEED, "" if counted else doubt)


def along(turns, q, step_ns=10_000_000, start_ns=0):
    for k, row in enumerate(np.asarray(q)):
        turns = turns.after(start_ns + k * step_ns, row, 0.01)
    return turns


@pytest.mark.parametrize("seed", range(20))
def test_the_count_is_that_of_the_joint_through_many_turns_and_noise_at_the_seam(seed):
    rng = np.random.default_rng(seed)
    time = np.arange(0.0, 40.0, 0.01)
    true = np.zeros((len(time), 3))
    rate = np.repeat(rng.uniform(-2.0, 2.0, 40), 100)  # changes every second
    true[:, 0] = rng.uniform(-9, 9) + 0.01 * np.cumsum(rate)
    if seed % 2:  # stands at the seam for a while: joint states jump from one side to the other
        rate[1000:2000] = 0.0
        true[:, 0] = true[0, 0] + 0.01 * np.cumsum(rate)
        true[:, 0] += np.pi * (2 * rng.integers(-2, 3) + 1) - true[1500, 0]
    noisy = true + rng.uniform(-1e-3, 1e-3, true.shape)
    assert seed % 2 == 0 or np.ptp(wrapped(noisy)[1100:1900, 0]) > 6.0
    turns = along(count().said_to_be(true[0] + rng.uniform(-0.9, 0.9, 3)), wrapped(noisy))
    assert turns.doubt == ""
    start = wrapped(noisy[-1])
    assert start[0] + 2 * np.pi * turns.at(start)["pan"] == pytest.approx(noisy[-1, 0], abs=1e-9)
    other = start + [2 * np.pi * rng.integers(-3, 4), 0, 0]  # a plan in other turns
    assert other[0] + 2 * np.pi * turns.at(other)["pan"] == pytest.approx(noisy[-1, 0], abs=1e-9)
    assert set(turns.at(start)) == {"pan"}


def test_nothing_is_known_until_somebody_says_it_and_what_cannot_be_is_refused():
    turns = along(count(), [[3.1, 0, 0], [-3.1, 0, 0]])
    assert "not known" in turns.doubt
    assert turns.said_to_be([3.2, 0, 0]).doubt == ""  # it reports -3.1
    assert turns.said_to_be([3.2, 0, 0]).at(np.array([-3.1, 0, 0])) == {"pan": 1}
    assert "said to have turned by 1.2 rad" in turns.said_to_be([1.2, 0, 0]).doubt
    assert "3 numbers" in turns.said_to_be([1.2]).doubt
    for number in (np.nan, np.inf):
        assert "finite" in turns.said_to_be([number, 0, 0]).doubt
        assert "finite" in count().said_to_be([number, 0, 0]).doubt  # before any position
        assert turns.said_to_be([3.2, number, number]).doubt == ""  # theirs do not matter


@pytest.mark.parametrize(("gap", "lost"), [(1.5, False), (1.6, True)])
def test_a_pause_in_which_half_a_turn_fits_loses_the_count(gap, lost):
    turns = along(count().said_to_be([3.1, 0, 0]), [[3.1, 0, 0]])
    later = turns.after(round(gap * 1e9), np.array([-3.1, 0, 0]), 0.01)
    assert bool(later.doubt) is lost and (not lost or "1.60 s" in later.doubt)
    back = turns.after(-(10**9), np.array([3.1, 0, 0]), gap)  # stamps of a driver that began anew
    assert bool(back.doubt) is lost
    assert later.said_to_be([3.2, 0, 0]).doubt == ""


def test_a_driver_that_counts_is_believed_until_it_jumps():
    turns = along(count(counted=True), [[9.0, 0, 0], [9.1, 0, 0]])
    assert turns.doubt == "" and turns.at(np.array([9.1, 0, 0])) == {"pan": 0}
    jumped = turns.after(30_000_000, np.array([9.1 - 2 * np.pi, 0, 0]), 0.01)
    assert "pan jumped" in jumped.doubt and "counts turns" in jumped.doubt
    assert "pan jumped" in jumped.after(40_000_000, np.array([2.8, 0, 0]), 0.01).doubt


@pytest.mark.parametrize("reported", [3.14, -3.1405, 3.1405, -3.14])
def test_a_motion_is_commanded_in_the_turns_that_the_driver_reports(reported):
    start = np.array([3.1415, 0.5, -1.0])
    path = BezierPiece(MotionState.at_rest(start), np.array([0.3, 0.1, 0.2]), 1.0)
    motion = CommandedMotion.of(part_of(CertifiedMotion(path, (), TUBE)))
    begun = motion.beginning(0, 0.3, np.array([reported, 0.5, -1.0]), CONTINUOUS)
    found, q = begun.points(0.0, 50.0).q, motion.points(0.0, 50.0).q
    assert abs(found[0, 0] - reported) < 0.01
    assert np.abs(np.diff(found, axis=0)).max() < 0.1  # no jump anywhere
    assert np.allclose(np.exp(1j * found), np.exp(1j * q)) and (found[:, 1:] == q[:, 1:]).all()
    assert (found[0, 0] == q[0, 0]) == (reported > 0.0)


@pytest.mark.parametrize("reported", [3.14, -3.14])
def test_a_plan_begins_in_the_turn_that_is_reported(reported):
    q = np.array([reported, 0.0, 0.0])
    for holding in (3.145, -3.145, 3.145 + 4 * np.pi):
        start = start_of(q, np.array([holding, 0.001, 0.0]), TUBE, CONTINUOUS)
        assert abs(start[0] - reported) < 0.02 and start[1] == 0.001
    assert (start_of(q, np.array([3.2, 0.0, 0.0]), TUBE, CONTINUOUS) == q).all()


@pytest.mark.parametrize("seed", range(10))
def test_a_pose_is_gone_to_by_the_shorter_way_or_by_the_one_that_limits_allow(seed):
    rng = np.random.default_rng(seed)
    free = np.full(3, np.inf)
    q, target = wrapped(rng.uniform(-9, 9, 3)), rng.uniform(-9, 9, 3)
    found = nearest_turns(target, q, CONTINUOUS, -free, free)
    turns = (found - target) / (2 * np.pi)
    assert np.allclose(turns, np.rint(turns)) and found[1] == target[1]
    assert (np.abs(found - q)[[0, 2]] <= np.pi + 1e-9).all()
    shifted = nearest_turns(target + [4 * np.pi, 0, -2 * np.pi], q, CONTINUOUS, -free, free)
    assert np.allclose(shifted, found)
    turn = np.array([np.pi, np.inf, np.pi])  # a driver that takes no command across +-pi
    assert (np.abs(nearest_turns(target, q, CONTINUOUS, -turn, turn)) <= turn).all()


def test_a_joint_that_was_turned_since_the_plan_keeps_it_from_beginning():
    assert difference({"joint_3": 1}, {"joint_3": 1}) == difference({}, {"joint_3": 0}) == ""
    said = difference({"joint_3": 0}, {"joint_3": 1})
    assert "joint_3 was turned by +1 whole turns" in said and "Plan again" in said
