"""Families of motions: each kind keeps its limits and begins where the arm is."""

from __future__ import annotations

import numpy as np
import pytest

from payload_id.core.errors import InputError
from payload_id.core.excitation.candidates.candidates import BezierFamily
from payload_id.core.excitation.candidates.sampled_family import SampledFamily
from payload_id.core.excitation.candidates.there_and_back_candidates import ThereAndBackFamily
from payload_id.core.excitation.search.candidate_search import Search
from payload_id.core.excitation.search.next_piece import ALONG, next_piece
from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.trajectory import even_edges
from planning_scene import HANDOVER, HOME, LENGTH, LIMITS, family_named, some, task

FAMILIES = ("bezier", "wave", "fourier", "there_and_back")
VALUES = ("q", "dq", "ddq")


def drawn(family, count: int) -> np.ndarray:
    """Return candidates as a search draws them."""
    x = np.random.default_rng(0).uniform(-1.0, 1.0, (count, family.size))
    return family.drawn(x) if hasattr(family, "drawn") else x


def test_candidates_of_every_family_are_the_same_in_a_batch_sampled_and_one_by_one():
    for name in FAMILIES:
        made = family_named(name)
        x, middle = drawn(made, 4), made.duration / 2 + np.array([-0.1, 0.03])
        t = np.append(np.linspace(0.0, made.duration, 9), middle)
        batch, sampled = made.motion(x, t), SampledFamily.of(made, t)
        at_once, single = sampled.motion(x), sampled.one(x[1])
        for kind in VALUES:
            expected = np.array([getattr(made.trajectory(one).at(t), kind) for one in x])
            for found in (getattr(batch, kind), getattr(at_once, kind)):
                assert np.allclose(found, expected, atol=1e-10), name
            assert np.allclose(getattr(single, kind), expected[1], atol=1e-10), name


def test_drawn_candidates_keep_the_limits_and_those_there_and_back_end_where_they_began():
    for name in ("bezier", "wave", "there_and_back"):
        made = family_named(name)
        for one in drawn(made, 4):
            path = made.trajectory(one)
            found = path.ranges(even_edges(path, 0.05))
            assert path.duration == pytest.approx(made.duration)
            assert (found.q_upper <= LIMITS.position_upper).all(), name
            assert (found.q_lower >= LIMITS.position_lower).all(), name
            assert found.speed.max() <= 1.2 * 1.002 and found.acceleration.max() <= 5.0 * 1.01
            ends = path.at(np.array([0.0, path.duration]))
            assert np.abs([ends.dq[1], ends.ddq[1]]).max() < 1e-9
            if name == "there_and_back":
                assert np.allclose(ends.q, HOME)


def test_a_state_from_which_no_motion_keeps_the_limits_is_refused():
    fast = MotionState(HOME, np.array([0, 0, 0, -1.2, 0, 0, 0.0]), np.zeros(7))
    with pytest.raises(InputError, match="joint number 4"):
        BezierFamily.within(fast, LENGTH, LIMITS)
    with pytest.raises(InputError, match="cannot rest"):
        ThereAndBackFamily.within(HOME, 0.1, LIMITS)


def test_the_next_piece_begins_where_a_candidate_is_left_and_can_be_had():
    """Nothing within sampled limits leads to a state from which no family exists."""
    made = task(family="wave", seed=2)
    x = some(1, size=made.family.size)[0]
    state = MotionState.of(made.family.trajectory(x), HANDOVER)
    following = next_piece(made.family, HANDOVER)
    expected = BezierPiece(state, ALONG * LENGTH * state.dq, LENGTH).at(following.time - HANDOVER)
    found = following.one(x)
    for name in VALUES:
        assert np.allclose(getattr(found, name), getattr(expected, name), atol=1e-9)
    for x in Search(made, 2, 300).best(20):
        state = MotionState.of(made.family.trajectory(x), HANDOVER)
        type(made.family).within(state, LENGTH, LIMITS)
