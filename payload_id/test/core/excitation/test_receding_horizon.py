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


def plan_from(start: MotionState, duration: float = 3.0) -> Plan:
    piece = BezierPiece(start, np.array([0.4, -0.3]), duration)
    return Plan(piece, np.zeros(2), 0.0, "certificate", 10, 1, 0.2)


def no_plan(reason: str = "nothing fits") -> NoPlan:
    return NoPlan(reason, None, 10, 3, 0.2)


def moving(settings: Settings = Settings(), time: float = 10.0):  # noqa: B008
    """Return a run that follows its first piece since `time`, and its open question."""
    run, (ask,) = horizon.begin(settings, REST)
    run, actions = horizon.planned(run, 0, plan_from(ask.start), time)
    return run, actions[-1]


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
        assert nothing == ()
        assert horizon.tick(run, time + 1.49)[1] == ()
        run, actions = horizon.tick(run, time + 1.507)  # a little late: the begin is not
        time += 1.5
        assert actions[0].begin == time
        now = actions[0].trajectory.at(np.zeros(1))
        left = before.at(np.array([1.5]))
        for kind in ("q", "dq", "ddq"):
            assert np.allclose(getattr(now, kind), getattr(left, kind), atol=1e-12)
        before, ask = actions[0].trajectory, actions[-1]
    assert run.pieces == 4 and len(actions) == 1  # no fifth question


def test_after_the_last_piece_the_arm_comes_to_rest_before_the_run_ends():
    run, _ = moving(Settings(pieces=1))
    run, actions = horizon.tick(run, 11.5)
    assert run.phase is Phase.STOPPING and actions == ()
    assert horizon.tick(run, 12.99)[1] == ()
    run, actions = horizon.tick(run, 13.0)
    assert run.phase is Phase.ENDED and actions == (End("All 1 pieces were begun."),)
    assert np.allclose(run.present.trajectory.at(np.array([3.0])).dq, 0.0, atol=1e-12)


def test_a_refused_start_never_moves():
    run, _ = horizon.begin(Settings(), REST)
    run, actions = horizon.planned(run, 0, no_plan("start in collision"), 1.0)
    assert run.phase is Phase.ENDED and actions == (End("start in collision", refused=True),)


@pytest.mark.parametrize("answer", ["none", "refused", "late"])
def test_without_a_next_piece_in_time_the_certified_stop_is_followed(answer):
    run, ask = moving()
    if answer == "refused":
        run, _ = horizon.planned(run, 1, no_plan(), 11.0)
    run, actions = horizon.tick(run, 11.5)
    if answer == "late":
        run, actions = horizon.planned(run, 1, plan_from(ask.start), 11.6)
    assert run.phase is Phase.STOPPING and actions == ()
    run, actions = horizon.tick(run, 13.0)
    assert isinstance(actions[0], End) and not actions[0].refused
    assert ("nothing fits" in actions[0].reason) == (answer == "refused")


def test_an_answer_to_an_old_question_is_not_followed():
    run, ask = moving()
    run, _ = horizon.planned(run, 1, plan_from(ask.start), 10.5)
    run, (_, ask) = horizon.tick(run, 11.5)
    run, _ = horizon.planned(run, 1, plan_from(REST), 11.6)
    assert run.following is None and ask.index == 2


def test_an_answer_after_the_handover_is_late_even_if_no_tick_came_between():
    run, ask = moving()
    run, _ = horizon.planned(run, 1, plan_from(ask.start), 11.51)
    assert run.following is None


def test_a_handover_that_was_slept_through_is_not_made_up_for():
    run, ask = moving()
    run, _ = horizon.planned(run, 1, plan_from(ask.start), 10.5)
    run, actions = horizon.tick(run, 11.7)
    assert run.phase is Phase.STOPPING and actions == ()


def test_the_run_ends_when_half_widths_no_longer_shrink():
    run, ask = moving()
    run, _ = horizon.estimated(run, WIDE, 11.0)
    run, _ = horizon.planned(run, 1, plan_from(ask.start), 11.0)
    run, (_, ask) = horizon.tick(run, 11.5)
    run, _ = horizon.estimated(run, 0.99 * WIDE, 12.5)
    run, _ = horizon.planned(run, 2, plan_from(ask.start), 12.5)
    run, actions = horizon.tick(run, 13.0)
    assert run.phase is Phase.STOPPING and actions == () and "1.0 %" in run.reason


def test_the_run_goes_on_while_they_shrink():
    run, ask = moving()
    run, _ = horizon.estimated(run, WIDE, 11.0)
    run, _ = horizon.planned(run, 1, plan_from(ask.start), 11.0)
    run, (_, ask) = horizon.tick(run, 11.5)
    run, _ = horizon.estimated(run, np.where(np.arange(10) < 5, 0.9, 1.0), 12.5)
    run, _ = horizon.planned(run, 2, plan_from(ask.start), 12.5)
    run, actions = horizon.tick(run, 13.0)
    assert run.phase is Phase.MOVING and isinstance(actions[0], Follow)


def test_infinite_half_widths_do_not_end_the_run():
    run, ask = moving()
    run, _ = horizon.estimated(run, np.full(10, np.inf), 11.0)
    run, _ = horizon.planned(run, 1, plan_from(ask.start), 11.0)
    run, _ = horizon.tick(run, 11.5)
    run, _ = horizon.estimated(run, np.full(10, np.inf), 12.5)
    assert horizon.tick(run, 12.9)[0].reason == ""


def test_the_run_ends_when_the_target_is_met():
    target = np.full(10, np.inf)
    target[0] = 0.1
    run, ask = moving(Settings(target=target))
    run, _ = horizon.planned(run, 1, plan_from(ask.start), 10.5)
    assert horizon.estimated(run, WIDE, 11.0)[0].reason == ""
    run, _ = horizon.estimated(run, 0.1 * WIDE, 11.0)
    run, actions = horizon.tick(run, 11.5)
    assert run.phase is Phase.STOPPING and actions == () and "target" in run.reason


def test_cancelling_stops_along_the_present_piece_and_drops_the_next():
    run, ask = moving()
    run, _ = horizon.planned(run, 1, plan_from(ask.start), 10.5)
    run, actions = horizon.cancelled(run, "the user wished so", 10.7)
    assert run.phase is Phase.STOPPING and actions == ()
    assert horizon.tick(run, 11.6)[1] == ()
    assert horizon.tick(run, 13.0)[1] == (End("the user wished so"),)
    waiting, _ = horizon.begin(Settings(), REST)
    assert horizon.cancelled(waiting, "no", 1.0)[1] == (End("no", refused=True),)


def test_impossible_runs_are_refused():
    with pytest.raises(InputError, match="at rest"):
        horizon.begin(Settings(), MotionState(np.zeros(2), np.ones(2), np.zeros(2)))
    with pytest.raises(InputError, match="handover"):
        Settings(handover=0.0)
    run, _ = horizon.begin(Settings(), REST)
    with pytest.raises(InputError, match="until the handover"):
        horizon.planned(run, 0, plan_from(REST, duration=1.0), 0.0)
