"""Receding horizons with an arm made of numbers and no clock; the bridge is played by a test."""

from __future__ import annotations

from concurrent.futures import Future

import numpy as np
import pytest
from payload_id_msgs.action import Move
from payload_id_msgs.msg import BridgeState

from numeric_arm import HOME, TICK, TUBE, Arm, stops_of
from payload_id.core.excitation.receding_horizon import Settings
from payload_id.core.excitation.search.planning import NoPlan, Plan
from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.joint_trajectory import sample
from payload_id.core.motion.motion_sequence import MotionSequence
from payload_id.core.safety.certificate.certified_motion import CertifiedMotion
from payload_id.planning.request import Documents, Piece
from payload_id.ros.common.conversions import time_message
from payload_id.ros.execution.monitors import Phase
from payload_id.ros.execution.start_check import NotReadyError
from payload_id.ros.execution.stop_reason import Reason, reason_message
from payload_id.ros.planner.bridge_link import FollowedMotion
from payload_id.ros.planner.horizon_execution import HorizonExecution, Mover


def piece_of(index, start, seconds=0.0):
    k = np.array([0.3, -0.2]) * (-1) ** index - 0.2 * start.dq
    motion = BezierPiece(start, k, 3.0)
    plan = Plan(motion, k, 1.0 / (index + 1), None, 1, 1, seconds)
    stops, documents = stops_of(motion, 1.5), Documents("", ())
    return Piece(plan, TUBE, stops, 10.0 / (index + 1), seconds, documents)


class Planner:
    """Answers at once; fails from some piece on, or to plan some from a moving state."""

    def __init__(self, fails_at=99, not_moving=()):
        self.fails_at, self.not_moving, self.asked = fails_at, not_moving, []

    def ask(self, index, start, budget):
        self.asked.append((index, start, budget))
        future = Future()
        nothing = NoPlan("An obstacle is in the way.", None, 0, 0, 0.0)
        fails = index >= self.fails_at or (index in self.not_moving and start.dq.any())
        future.set_result(Piece(nothing, TUBE) if fails else piece_of(index, start))
        return future


class Pieces(Mover):
    """Has an arm follow pieces, and tells of it as a bridge does."""

    def __init__(self, arm):
        self.arm, self.prepared = arm, []
        self.followed = None

    def begin(self, index, motion, documents):
        self.followed = FollowedMotion(str(index), motion)
        self.followed.begun = True
        self.followed.hand_over()
        self.arm.begin(motion)
        self.tell()
        return self.followed

    def prepare(self, index, documents):
        self.prepared.append(index)

    def extend(self, followed, index, motion, after):
        assert followed is self.followed and index in self.prepared
        last = motion.trajectory.parts[-1]
        stops = tuple(x for x in stops_of(last, 1.5))
        try:
            self.arm.extend(CertifiedMotion(last, stops, TUBE), after)
            followed.motion = motion
        except NotReadyError as error:
            followed.not_continued = str(error)

    def tick(self):
        self.arm.tick()
        self.tell()

    def tell(self):
        state, followed = self.arm.state, self.followed
        motion = state.motion
        followed.take_feedback(
            Move.Feedback(start=time_message(motion.start_ns), phase=state.phase.value)
        )
        if state.phase is Phase.IDLE and not followed.done:
            told = BridgeState(holding=motion.end)
            reason = reason_message(*state.ended)
            followed.take_result(
                Move.Result(
                    reason=reason, message=reason.sentence, begun=state.begun,
                    at_rest=state.at_rest, state=told,
                )
            )  # fmt: skip


def horizon_of(settings, planner, pieces):
    return HorizonExecution.of(settings, HOME, planner.ask, pieces, "", 1.0, 0.16)


def horizon_run(arm, planner, half_widths=None, **rules):
    pieces = Pieces(arm)
    run = horizon_of(Settings(handover=1.5, **rules), planner, pieces)
    for count in range(3000):
        run.advance(arm.now_ns)
        if run.done:
            return run
        if run.execution is None or run.resting:
            arm.time += TICK
        else:
            pieces.tick()
            if half_widths is not None and count % 30 == 0:
                run.estimated(np.full(10, half_widths(arm.time)), arm.now_ns)
    raise AssertionError("the run does not end")


def test_pieces_follow_each_other_without_a_jump():
    arm, planner = Arm(), Planner()
    run = horizon_run(arm, planner, pieces=4)
    assert run.reason[0] is Reason.PIECES_DONE and run.condition_numbers == [10, 5, 10 / 3, 2.5]
    assert arm.time == pytest.approx(3 * 1.5 + 3.0, abs=0.3)
    whole = run.execution.motion.trajectory
    assert isinstance(whole, MotionSequence) and len(whole.parts) == 4  # which checks for jumps
    time = np.linspace(0.0, 7.0, 700)
    for earlier, later in zip(arm.commands[:-1], arm.commands[1:], strict=True):
        shared = time[(time >= later.time[0]) & (time <= later.time[0] + 0.1)]
        assert np.allclose(sample(earlier, shared).q, sample(later, shared).q, atol=1e-8)
    assert arm.state.largest_use < 1e-3


def test_each_piece_is_planned_while_the_one_before_runs():
    planner = Planner()
    horizon_run(Arm(), planner, pieces=3)
    assert [index for index, _, _ in planner.asked] == [0, 1, 2]
    assert all(0.5 < budget < 1.5 for _, _, budget in planner.asked[1:])
    assert np.abs(planner.asked[1][1].dq).max() > 0.05  # from the moving state at the handover


def test_without_a_next_piece_the_present_one_is_the_stop():
    arm, planner = Arm(), Planner(fails_at=2)
    run = horizon_run(arm, planner, pieces=9)
    assert run.reason[0] is Reason.NO_FURTHER_PLAN and "obstacle" in run.reason[1]
    assert len(run.condition_numbers) == 2 and run.execution.at_rest
    assert arm.time == pytest.approx(1.5 + 3.0, abs=0.3)


def test_after_a_piece_that_came_to_rest_the_next_one_begins_from_there():
    arm, planner = Arm(), Planner(not_moving=(1, 3))
    run = horizon_run(arm, planner, pieces=4)
    assert run.reason[0] is Reason.PIECES_DONE and len(run.condition_numbers) == 4
    assert [index for index, _, _ in planner.asked] == [0, 1, 1, 2, 3, 3]
    ends = [arm.commands[k].q[-1] for k in (0, 2)]  # of piece 0, and of pieces 1 and 2
    for end, asked in zip(ends, (planner.asked[2], planner.asked[5]), strict=True):
        assert np.allclose(asked[1].q, end) and not asked[1].dq.any()
    assert arm.time == pytest.approx(3.0 + 1.5 + 3.0 + 3.0, abs=2.5)


def test_without_a_first_piece_nothing_moves():
    arm = Arm()
    run = horizon_run(arm, Planner(fails_at=0), pieces=3)
    assert (
        run.reason[0] is Reason.REFUSED
        and "An obstacle is in" in run.reason[1]
        and not arm.commands
    )


@pytest.mark.parametrize(
    ("half_widths", "rules", "reason", "pieces"),
    [
        (lambda t: 0.1 / (1 + t), {"target": np.full(10, 0.03)}, Reason.TARGET_REACHED, 2),
        (lambda t: 0.1, {"least_gain": 0.05}, Reason.NO_PROGRESS, 2),
        (lambda t: 0.1 / (1 + t), {}, Reason.PIECES_DONE, 5),
    ],
    ids=["target", "no progress", "pieces"],
)
def test_it_ends_for_the_estimators_sake(half_widths, rules, reason, pieces):
    run = horizon_run(Arm(), Planner(), half_widths, pieces=5, **rules)
    assert run.reason[0] is reason and len(run.condition_numbers) == pieces
    assert run.execution.at_rest
