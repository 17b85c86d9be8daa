"""The receding horizon: who follows what and when, with time handed in."""

from __future__ import annotations

import numpy as np
import pytest

from payload_id.core.errors import InputError
from payload_id.core.excitation import receding_horizon as horizon
from payload_id.core.excitation.receding_horizon import Ask, End, Follow, Phase, Settings
from payload_id.core.excitation.search.planning import NoPlan, Plan
from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.motion_state import MotionState

REST = MotionState.at_rest(np.zeros(2))
WIDE = np.ones(10)
NO_PLAN = NoPlan("nothing fits", None, 10, 3, 0.2)


def plan_from(start: MotionState, duration: float = 3.0) -> Plan:
    piece = BezierPiece(start, np.array([0.4, -0.3]), duration)
    return Plan(piece, np.zeros(2), 0.0, "certificate", 10, 1, 0.2)


def moving(settings: Settings = Settings()):  # noqa: B008
    """Return a run that follows its first piece since 10 s, and its open question."""
    run, (ask,) = horizon.begin(settings, REST)
    run, actions = horizon.planned(run, 0, plan_from(ask.start), 10.0)
    return run, actions[-1]


def stops(run, time: float, words: str, end: float = 13.0) -> None:
    """Check that a run comes to rest along its piece, and ends with a reason."""
    run, actions = horizon.tick(run, time)
    assert run.phase is Phase.STOPPING and actions == ()
    assert horizon.tick(run, end - 0.01)[1] == ()
    run, (ending,) = horizon.tick(run, end)
    assert run.phase is Phase.ENDED and isinstance(ending, End) and not ending.refused
    assert words in ending.reason


def test_the_first_piece_is_asked_for_at_rest_and_followed_when_it_is_there():
    run, (ask,) = horizon.begin(Settings(), REST)
    assert run.phase is Phase.WAITING and ask == Ask(0, REST, np.inf)
    assert horizon.tick(run, 1e3)[1] == ()
    plan = plan_from(REST)
    run, (follow, following) = horizon.planned(run, 0, plan, 10.0)
    assert follow == Follow(plan.trajectory, 10.0)
    assert following.index == 1 and following.deadline == 11.5
    expected = plan.trajectory.at(np.array([1.5]))
    assert np.array_equal(following.start.q, expected.q[0])
    assert np.array_equal(following.start.dq, expected.dq[0])


def test_pieces_follow_each_other_without_a_jump_and_exactly_at_the_handover():
    run, ask = moving()
    time, before = 10.0, run.present.trajectory
    for index in (1, 2, 3):
        assert ask.index == index
        run, nothing = horizon.planned(run, index, plan_from(ask.start), time + 1.0)
        assert nothing == () and horizon.tick(run, time + 1.49)[1] == ()
        run, actions = horizon.tick(run, time + 1.507)  # a little late: the begin is not
        time += 1.5
        assert actions[0].begin == time
        now, left = actions[0].trajectory.at(np.zeros(1)), before.at(np.array([1.5]))
        for kind in ("q", "dq", "ddq"):
            assert np.allclose(getattr(now, kind), getattr(left, kind), atol=1e-12)
        before, ask = actions[0].trajectory, actions[-1]
    assert run.pieces == 4 and len(actions) == 1  # no fifth question


def test_a_refused_or_cancelled_start_never_moves():
    run, _ = horizon.begin(Settings(), REST)
    for ended, actions in (
        horizon.planned(run, 0, NO_PLAN, 1.0), horizon.cancelled(run, "nothing fits", 1.0)
    ):  # fmt: skip
        assert ended.phase is Phase.ENDED and actions == (End("nothing fits", refused=True),)


def test_without_a_next_piece_in_time_the_certified_stop_is_followed():
    """None, refused, after the handover, slept through, or the answer to an old question."""
    run, ask = moving()
    stops(run, 11.5, "")
    stops(horizon.planned(run, 1, NO_PLAN, 11.0)[0], 11.5, "nothing fits")
    stops(horizon.planned(run, 1, plan_from(ask.start), 11.51)[0], 11.6, "")
    stopping, _ = horizon.tick(run, 11.5)
    late, actions = horizon.planned(stopping, 1, plan_from(ask.start), 11.6)
    assert late.phase is Phase.STOPPING and actions == () and late.following is None
    asleep, _ = horizon.planned(run, 1, plan_from(ask.start), 10.5)
    stops(asleep, 11.7, "")
    on, (_, ask) = horizon.tick(asleep, 11.5)
    old, _ = horizon.planned(on, 1, plan_from(REST), 11.6)
    assert old.following is None and ask.index == 2


def test_the_run_comes_to_rest_when_nothing_more_is_wanted():
    """After the last piece, when cancelled, at the target."""
    stops(moving(Settings(pieces=1))[0], 11.5, "1 pieces")
    run, ask = moving()
    run, _ = horizon.planned(run, 1, plan_from(ask.start), 10.5)
    run, actions = horizon.cancelled(run, "the user wished so", 10.7)
    assert actions == ()
    stops(run, 11.6, "the user wished so")
    target = np.where(np.arange(10) == 0, 0.1, np.inf)
    run, ask = moving(Settings(target=target))
    run, _ = horizon.planned(run, 1, plan_from(ask.start), 10.5)
    assert horizon.estimated(run, WIDE, 11.0)[0].reason == ""
    stops(horizon.estimated(run, 0.1 * WIDE, 11.0)[0], 11.5, "target")


def test_the_run_goes_on_while_half_widths_shrink_or_are_infinite_and_ends_otherwise():
    shrunk = np.where(np.arange(10) < 5, 0.9, 1.0)
    infinite = np.full(10, np.inf)
    for first, second, goes_on in (
        (WIDE, 0.99 * WIDE, False), (WIDE, shrunk, True), (infinite, infinite, True)
    ):  # fmt: skip
        run, ask = moving()
        run, _ = horizon.estimated(run, first, 11.0)
        run, _ = horizon.planned(run, 1, plan_from(ask.start), 11.0)
        run, (_, ask) = horizon.tick(run, 11.5)
        run, _ = horizon.estimated(run, second, 12.5)
        run, _ = horizon.planned(run, 2, plan_from(ask.start), 12.5)
        if goes_on:
            run, actions = horizon.tick(run, 13.0)
            assert run.phase is Phase.MOVING and isinstance(actions[0], Follow)
        else:
            stops(run, 13.0, "1.0 %", 14.5)


def test_impossible_runs_are_refused():
    run, _ = horizon.begin(Settings(), REST)
    fast = MotionState(np.zeros(2), np.ones(2), np.zeros(2))
    for call, words in (
        (lambda: horizon.begin(Settings(), fast), "at rest"),
        (lambda: Settings(handover=0.0), "handover"),
        (lambda: horizon.planned(run, 0, plan_from(REST, duration=1.0), 0.0), "handover"),
    ):
        with pytest.raises(InputError, match=words):
            call()
