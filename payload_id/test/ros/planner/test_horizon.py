"""Receding horizons with an arm made of numbers and no clock; a test plays bridge and planner."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from payload_id_msgs.action import Follow
from payload_id_msgs.msg import ExcitationGoal, PayloadEstimate

from numeric_arm import HOME, TUBE, Arm, stops_of
from payload_id.core.excitation.search.planning import NoPlan, Plan
from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.joint_trajectory import sample
from payload_id.core.motion.motion_sequence import MotionSequence
from payload_id.planning.request import Documents, Goal, Piece
from payload_id.ros.common.conversions import time_message
from payload_id.ros.execution.monitors import Phase
from payload_id.ros.execution.start_check import NotReadyError
from payload_id.ros.execution.stop_reason import Reason, sentence
from payload_id.ros.planner import horizon
from payload_id.ros.planner.bridge_client import Ended, Following
from payload_id.ros.planner.horizon import Horizon, Rules

ANY = np.full(10, np.inf)
GOAL = Goal("bezier", "half_widths", 3.0, 1.0, 1.0, 1, "limits", -ANY, ANY, "the prior")
THINKS = 0.3  # [s] that the planning of a piece takes


def piece_of(index, start):
    k = np.array([0.3, -0.2]) * (-1) ** index - 0.2 * start.dq
    motion = BezierPiece(start, k, 3.0)
    plan = Plan(motion, k, 1.0 / (index + 1), None, 1, 1, THINKS)
    stops = stops_of(motion, 1.5)
    return Piece(plan, TUBE, stops, 10.0 / (index + 1), THINKS, Documents("", ()))


class World:
    """Bridge, planning process and goal of one run, on an arm made of numbers."""

    is_paused, called_off, unwanted = False, None, ""
    turns = SimpleNamespace(at=lambda q: {})

    def __init__(self, fails_at=99, not_moving=(), half_widths=None, refused=()):
        self.arm, self.asked, self.handed = Arm(), [], []
        self.fails_at, self.not_moving, self.refused = fails_at, not_moving, refused
        self.half_widths, self.pauses_at = half_widths, np.inf
        self.context = SimpleNamespace(
            settings=SimpleNamespace(proof_time=0.1), node=None,
            bridge=SimpleNamespace(bodies=(), state=None), arm=SimpleNamespace(states=self),
            start=lambda limits, own: self.arm.seen[0][0], goal_of=lambda asked: GOAL,
            check_payload=lambda goal: None, answer=self.answer, heard=self.heard,
            estimator=SimpleNamespace(estimate=None),
        )  # fmt: skip

    @property
    def now_ns(self):
        return self.arm.now_ns

    async def heard(self):
        pass

    async def answer(self, request, unwanted):
        self.asked.append(request)
        self.wait(THINKS)
        index, moves = request.index, request.start.dq.any()
        if index >= self.fails_at or (moves and index in self.not_moving):
            return Piece(NoPlan("An obstacle is in the way.", None, 0, 0, 0.0), TUBE)
        return piece_of(index, request.start)

    def hand_over(self, name, motion, documents, continues="", after=0.0):
        following = Following(name, motion)
        if not continues:
            self.arm.begin(motion)
        elif name[-1] in self.refused:
            following.conclude(Ended(Reason.REFUSED, "It is not proved."))
            return following
        else:
            try:
                self.arm.extend(motion, after)
            except NotReadyError as error:
                following.conclude(Ended(Reason.REFUSED, str(error)))
                return following
            self.handed[-1].conclude(Ended(Reason.CONTINUED, "", begun=True))
        self.handed.append(following)
        self.tell()
        return following

    async def end_of(self, following):
        while following.ended is None:
            self.tick()
        return following.ended

    async def resumed(self):
        self.is_paused, self.pauses_at = False, np.inf
        self.wait(0.5)

    def wait(self, seconds):
        end = self.arm.time + seconds
        while self.arm.time < end - 1e-9:
            self.tick()

    def tick(self):
        asked = None
        if self.arm.time > self.pauses_at and not self.is_paused:
            self.is_paused, asked = True, (Reason.CANCELLED, "a pause")
        self.arm.tick(asked=asked)
        if self.half_widths is not None and round(self.arm.time * 100) % 30 == 0:
            half = np.full(10, self.half_widths(self.arm.time))
            self.context.estimator.estimate = PayloadEstimate(
                status=PayloadEstimate.GOOD, lower=-half, upper=half
            )
        if self.handed and self.handed[-1].ended is None:
            self.tell()

    def tell(self):
        state, following = self.arm.state, self.handed[-1]
        if state.phase is Phase.IDLE:
            reason = Reason.PAUSED if self.is_paused else state.ended[0]
            use = state.largest_use
            following.conclude(Ended(reason, sentence(reason), state.begun, state.at_rest, use))
            return
        motion = state.motion
        start = motion.start_ns + round(1e9 * motion.newest.begins)
        following.hear(Follow.Feedback(start=time_message(start), phase=state.phase.value))


def run(monkeypatch, world, most_pieces=0, least_progress=0.05):
    """Run to the end; return the horizon and how it has ended."""

    async def until(node, condition, seconds):
        for _ in range(3000):
            if condition():
                return True
            world.tick()
        raise AssertionError("it does not come about")

    monkeypatch.setattr(horizon, "until", until)
    rules = Rules(GOAL, ExcitationGoal(), 1.5, most_pieces, least_progress)
    made = Horizon(world.context, world, "run", rules)
    try:
        made.run().send(None)
    except StopIteration as stopped:
        return made, stopped.value
    raise AssertionError("it waits")


def test_pieces_follow_each_other_without_a_jump(monkeypatch):
    world = World()
    made, ended = run(monkeypatch, world, most_pieces=4)
    assert ended.reason is Reason.PIECES_DONE and ended.at_rest
    assert [x.condition_number for x in made.begun] == [10, 5, 10 / 3, 2.5]
    whole, arm = world.arm.state.motion.certified.trajectory, world.arm
    assert isinstance(whole, MotionSequence) and len(whole.parts) == 4  # which checks for jumps
    time = np.linspace(0.0, 7.0, 700)
    for earlier, later in zip(arm.commands[:-1], arm.commands[1:], strict=True):
        shared = time[(time >= later.time[0]) & (time <= later.time[0] + 0.1)]
        assert np.allclose(sample(earlier, shared).q, sample(later, shared).q, atol=1e-8)
    assert arm.state.largest_use < 1e-3


def test_each_piece_is_planned_while_the_one_before_runs(monkeypatch):
    world = World()
    run(monkeypatch, world, most_pieces=3)
    assert [request.index for request in world.asked] == [0, 1, 2]
    assert all(0.5 < request.goal.time_budget <= 1.0 for request in world.asked[1:])
    assert np.abs(world.asked[1].start.dq).max() > 0.05  # from the moving state at the handover


@pytest.mark.parametrize("how", ["not planned", "not proved"])
def test_without_a_next_piece_the_present_one_is_followed_to_rest(monkeypatch, how):
    world = World(not_moving=(1, 3)) if how == "not planned" else World(refused=("1", "3"))
    made, ended = run(monkeypatch, world, most_pieces=4)
    assert ended.reason is Reason.PIECES_DONE and len(made.begun) == 4
    assert [request.index for request in world.asked] == [0, 1, 1, 2, 3, 3]
    for request in (world.asked[2], world.asked[5]):  # from where the arm has come to rest
        assert not request.start.dq.any()
    assert np.allclose(world.asked[2].start.q, HOME + [0.3, -0.2], atol=1e-6)


@pytest.mark.parametrize(("fails_at", "reason"), [(0, Reason.REFUSED), (2, Reason.NO_FURTHER_PLAN)])
def test_it_ends_at_rest_where_nothing_more_is_planned(monkeypatch, fails_at, reason):
    world = World(fails_at=fails_at)
    made, ended = run(monkeypatch, world)
    assert ended.reason is reason and "An obstacle is in" in ended.message and ended.at_rest
    assert len(made.begun) == fails_at == len(world.handed)


@pytest.mark.parametrize(
    ("half_widths", "reason", "pieces"),
    [(lambda t: 0.1, Reason.NO_PROGRESS, 3), (lambda t: 0.1 / (2 + t), Reason.PIECES_DONE, 5)],
)
def test_it_ends_where_half_widths_shrink_no_more(monkeypatch, half_widths, reason, pieces):
    made, ended = run(monkeypatch, World(half_widths=half_widths), most_pieces=5)
    assert ended.reason is reason and len(made.begun) == pieces and ended.at_rest


def test_after_a_pause_the_next_piece_is_planned_from_where_the_arm_rests(monkeypatch):
    world = World()
    world.pauses_at = 2.0
    made, ended = run(monkeypatch, world, most_pieces=4)
    assert ended.reason is Reason.PIECES_DONE and len(made.begun) == 4
    at_rest = [request for request in world.asked if not request.start.dq.any()]
    assert len(at_rest) == 2 and not np.allclose(at_rest[1].start.q, HOME)
