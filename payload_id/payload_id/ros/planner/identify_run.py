"""One goal of `~/identify`, from the check to the saved run.

Every step that waits lets the node's executor go on; a step that cannot be made ends the goal with
a code and a sentence. Whatever ends the motion, what was recorded is solved, validated and saved.
"""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from payload_id_msgs.action import Identify
from payload_id_msgs.msg import ExcitationGoal, StopReason

from ...core.arrays import Array
from ...core.errors import InputError
from ...planning.request import Goal as PlanningGoal
from ...planning.request import Planned
from ..common.awaited_answers import until
from ..common.conversions import unsolved_message
from ..execution.start_check import NotReadyError
from ..execution.stop_reason import Reason, reason_message
from .arm_goal import ArmGoal
from .bridge_client import Ended
from .context import PlannerContext
from .execute_messages import tightest_limit
from .horizon import Horizon, rules_of
from .identifying.ending import keep_tare, solve
from .identifying.estimator_link import EstimatorLink, EstimatorLostError
from .identifying.goal_checks import check_goal_fields, check_start
from .identifying.motion_watch import CLOSING, MotionWatch
from .identifying.outcome import EndedError, judge, refused_as
from .identifying.stages import Feedback, Stages
from .plan_server import PlanServer

Goal, Result = Identify.Goal, Identify.Result
SETTLE = 0.5  # [s] at rest after the motion that still count
NEAR = 1e-3  # [rad or m] within which the arm stands in a pose


@dataclass(frozen=True)
class GoalProgress:
    """What has happened of a goal so far.

    Attributes:
        in_run: Whether the estimator takes data for it.
        own_run: Whether it has begun that run.
        moved: Whether the arm may have moved in it.
        why: Why it ends its motion itself, a code and a sentence; NONE: enough is known.
        watch: Looks whether the motion is to end; None before one.
        horizon: That moves the arm; None: a single motion, or none.
        tightest: Limit of a single motion's certificate, and the part that is left of it.
    """

    in_run: bool = False
    own_run: bool = False
    moved: bool = False
    why: tuple[int, str] | None = None
    watch: MotionWatch | None = None
    horizon: Horizon | None = None
    tightest: tuple[str, float] = ("", math.nan)


class IdentifyRun:
    """Carries out one goal.

    Attributes:
        result: What is known of it so far.
        stages: How far it is.
        progress: What has happened so far.
    """

    def __init__(
        self, context: PlannerContext, goal: ArmGoal, plans: PlanServer, link: EstimatorLink
    ) -> None:
        """Nothing is done yet.

        Args:
            context: What all parts share.
            goal: The goal, which has the arm.
            plans: Plans.
            link: The estimator.
        """
        self._context, self._arm, self._plans, self._link = context, goal, plans, link
        self.asked: Identify.Goal = goal.handle.request
        frame = context.robot.payload_frame
        self.result = Identify.Result(estimate=unsolved_message(frame))
        self.stages, self._begun = Stages.of(self.asked), time.monotonic()
        self.progress = GoalProgress()
        self._is_bare = self.asked.tare == Goal.TARE_ONLY  # what moves carries no payload

    def _note(self, **news: Any) -> None:
        """Note what has happened."""
        self.progress = replace(self.progress, **news)

    async def carry_out(self) -> Identify.Result:
        """Do all of it; return the result."""
        result = self.result
        result.reason = reason_message(Reason.REFUSED)
        ended: tuple[int, str] | None = None
        try:
            await self._check()
            await self._excite()
            if self._is_bare:
                await self._make_tare()
        except EndedError as error:
            ended = self._cause_of(error)
        if self.progress.in_run:
            ended = await self._conclude(ended)
        if result.reason.code == StopReason.REFUSED:  # nothing moved
            result.at_rest = self._context.arm.is_seen_at_rest()
            if ended is not None and ended[0] == Result.CANCELLED:
                result.reason = reason_message(Reason.CANCELLED)
        result.error_code, result.message = ended or (Result.NONE, "")
        result.success = result.error_code == Result.NONE
        result.last_half_width = self._context.half_width()
        return result

    def _cause_of(self, error: EndedError) -> tuple[int, str]:
        """Return code and sentence of an end; where this goal called its motion off, why it did."""
        why = self.progress.why
        if why is not None and why[1] and error.code == Result.CANCELLED:
            return why
        return error.code, str(error)

    def _enter(self, state: int) -> None:
        """Go on to a stage, if nobody has called it off."""
        self._check_wanted()
        self.stages.enter(state)

    def _check_wanted(self) -> None:
        """Raise if somebody does not want this to go on, or time is over."""
        if why := self._arm.unwanted:
            raise EndedError(Result.CANCELLED, f"{why}.")
        if self._left() <= 0.0:
            said = f"time_limit ({self.asked.time_limit:g} s) is over."
            raise EndedError(Result.OUT_OF_TIME, said)

    def _left(self) -> float:
        """Return what is left of the time limit [s]; infinite without one."""
        limit = self.asked.time_limit
        return limit - (time.monotonic() - self._begun) if limit else math.inf

    def _check_time(self, moving: float) -> None:
        """Raise if so long a motion [s] does not fit into the time limit."""
        if moving + CLOSING > self._left():
            raise EndedError(
                Result.NO_TIME,
                f"The motion takes {moving:.1f} s and what follows about {CLOSING:g} s; of "
                f"time_limit {self._left():.1f} s are left. Allow more time, or ask for a shorter "
                "motion.",
            )

    # Checking

    async def _check(self) -> None:
        """Raise unless all can begin."""
        context, asked = self._context, self.asked
        with refused_as(Result.INVALID_GOAL):
            check_goal_fields(asked, context.robot.n, context.uncertainty.prior.mass_max)
            if asked.goal.limits:
                context.robot.limits_named(asked.goal.limits)
        await context.heard()
        self._check_wanted()
        with refused_as(Result.ARM_NOT_READY):
            context.start(asked.goal.limits or context.limits, own=True)
        if not await self._link.is_heard() or self._link.estimate is None:
            raise EndedError(
                Result.ESTIMATOR_NOT_READY,
                f"Nothing is heard of an estimator at {self._link.name}: start it, or set the "
                "parameter estimator.",
            )
        if context.disagreement:
            raise EndedError(Result.SETTINGS_DIFFER, context.disagreement)
        with refused_as(Result.INVALID_GOAL):
            limits = self._complete(asked.goal).limits
            if len(asked.start_positions):
                start = context.arm.in_present_turns(np.array(asked.start_positions), limits)
                allowed = context.arm.allowed(limits, context.arm.states.q)
                check_start(context.robot.joints, start, allowed, limits)
            if not asked.one_motion:
                rules_of(context, asked)
        await self._begin_run()
        self.result.first_half_width = context.half_width()

    def _complete(self, asked: ExcitationGoal) -> PlanningGoal:
        """Return a goal with all blanks filled in; raise where that needs an estimator."""
        try:
            return self._context.goal_of(asked)
        except NotReadyError as error:
            raise EndedError(Result.ESTIMATOR_NOT_READY, str(error)) from error

    async def _begin_run(self) -> None:
        """Have the estimator begin a run."""
        asked = self.asked
        with refused_as(Result.ESTIMATOR_NOT_READY):
            anew, known = not asked.continue_run, [] if self._is_bare else asked.known_mass
            answer = await self._link.begin(known, asked.enough, anew)
            if not answer.success and not (answer.running and asked.continue_run):
                raise InputError(answer.message)
        self._note(in_run=True, own_run=answer.success)
        self.result.tared, self.result.recording = answer.tared, answer.recording
        if not answer.recording and not asked.unrecorded:
            raise EndedError(
                Result.NOT_RECORDED,
                "The sampler makes no recording, so that the run could not be repeated: start it "
                "with the parameter bag, or set unrecorded.",
            )
        if asked.tare == Goal.TARE_REQUIRED and not answer.tared:
            raise EndedError(
                Result.NOT_TARED,
                "A tare was required, and the estimator knows none: identify with TARE_ONLY and "
                "nothing in the hand first.",
            )

    # Moving

    async def _excite(self) -> None:
        """Move the arm so that the payload shows itself."""
        asked = self.asked
        if len(asked.start_positions):
            await self._go_to(np.array(asked.start_positions, dtype=float))
        self._enter(Feedback.PLANNING)
        until_good = len(self.asked.enough) > 0
        watch = MotionWatch(self._link, until_good, self._is_bare, self._end, self._hold_out)
        self._note(watch=watch)
        begun = time.monotonic()
        if asked.one_motion:
            await self._follow_one()
        else:
            await self._follow_horizon()
        self.result.seconds = time.monotonic() - begun

    async def _follow_one(self) -> None:
        """Plan one motion, and follow it."""

        async def made() -> Planned:
            plan = await self._plans.made(self.asked.goal, lambda: self._arm.unwanted, own=True)
            self._plans.keep(plan)
            self.result.certificates = str(Path(plan.certificate_path).parent)
            self._check_time(plan.motion.trajectory.duration)
            return plan

        await self._follow(Feedback.EXCITING, made)
        self.result.pieces = 1

    async def _go_to(self, target: Array) -> None:
        """Bring the arm to a pose, shape (n,) [rad or m]."""
        self._enter(Feedback.MOVING_TO_START)
        arm = self._context.arm
        if arm.states.known:
            target = arm.in_present_turns(target, self.asked.goal.limits or self._context.limits)

        async def way() -> Planned | None:
            if arm.states.known and np.abs(arm.states.q - target).max() < NEAR:
                return None
            return await self._plans.way(self.asked.goal, target, lambda: self._arm.unwanted)

        await self._follow(Feedback.MOVING_TO_START, way)

    async def _follow(self, stage: int, planned: Callable[[], Awaitable[Planned | None]]) -> None:
        """Have a plan followed, and another one after each pause; raise unless it ended as asked.

        Args:
            stage: In which it moves.
            planned: Plans from where the arm stands; None: nothing needs to move.
        """
        while True:
            with refused_as(Result.NOT_PLANNED):
                plan = await planned()
            if plan is None:
                return
            self.stages.expect(stage, plan.motion.trajectory.duration)
            self._enter(stage)
            self._check_estimator()
            self._note(tightest=tightest_limit(plan.certificate), moved=True)
            with refused_as(Result.MOTION_FAILED):
                ended = await self._arm.follow(plan)
            if ended.reason is not Reason.PAUSED:
                return self._take(ended)
            await self._arm.resumed()
            self._check_wanted()

    def _check_estimator(self) -> None:
        """Raise where the estimator is lost: without it nothing needs to move."""
        self._check_wanted()
        if trouble := self._link.trouble:
            raise EndedError(Result.ESTIMATOR_LOST, f"{trouble}. Nothing was begun.")

    async def _follow_horizon(self) -> None:
        """Move in receding horizon."""
        context = self._context
        with refused_as(Result.NOT_PLANNED):
            rules = rules_of(context, self.asked)
            context.start(rules.goal.limits, own=True)
            context.check_payload(rules.goal)
        self._check_time(rules.goal.duration)
        self._check_estimator()
        if self.asked.most_pieces:
            length = self.asked.most_pieces * rules.handover + rules.goal.duration
            self.stages.expect(Feedback.EXCITING, length)
        self._enter(Feedback.EXCITING)
        name = context.new_name("identify")
        self.result.certificates = str(context.certificates_folder / name)
        horizon = Horizon(context, self._arm, name, rules)
        self._note(horizon=horizon)
        ended = await horizon.run()
        moved = self.progress.moved or ended.begun or bool(horizon.begun)
        self._note(horizon=None, moved=moved)
        self.result.pieces = len(horizon.begun)
        self.result.condition_numbers = [x.condition_number for x in horizon.begun]
        self._take(ended)

    def _take(self, ended: Ended) -> None:
        """Note why a motion has ended; raise if nothing else shall move."""
        result, reason, said = self.result, ended.reason, ended.message
        result.at_rest = ended.at_rest
        code, why = self.progress.why or (Result.CANCELLED, "")
        if code == Result.NONE and reason is Reason.CANCELLED:
            reason, said = Reason.TARGET_REACHED, Reason.TARGET_REACHED.value
        result.reason = reason_message(reason, said)
        if why and (reason.as_asked or reason is Reason.CANCELLED):
            raise EndedError(code, why)
        if reason.as_asked or (reason is Reason.NO_FURTHER_PLAN and result.pieces):
            return
        code = {
            Reason.CANCELLED: Result.CANCELLED,
            Reason.REFUSED: Result.NOT_PLANNED,
            Reason.NO_FURTHER_PLAN: Result.NOT_PLANNED,
        }.get(reason, Result.MOTION_FAILED)
        raise EndedError(code, said)

    # The tare

    async def _make_tare(self) -> None:
        """Keep what was seen without payload as knowledge of the arm."""
        self._enter(Feedback.SETTLING)
        await self._wait(SETTLE)
        self._enter(Feedback.TARING)
        with refused_as(Result.NOT_TARED):
            said = await keep_tare(self._link)
        self._note(in_run=False)
        self.result.tared = True
        raise EndedError(Result.NONE, said)

    # Afterwards

    async def _conclude(self, ended: tuple[int, str] | None) -> tuple[int, str] | None:
        """End the run, with all that its data say; return how the goal has ended, if not well."""
        if self._context.node.is_ending and ended is not None:  # solving may take longer
            if self.progress.own_run:
                self._link.end()
            said = "Its run is ended without a verdict; what was recorded is kept."
            return ended[0], f"{ended[1]} {said}"
        try:
            if not self.progress.moved or self._is_bare:
                return await self._give_up_run(ended)
            return await self._verdict(ended)
        except EstimatorLostError as error:
            return _after(ended, Result.ESTIMATOR_LOST, str(error))

    async def _give_up_run(self, ended: tuple[int, str] | None) -> tuple[int, str] | None:
        """End a run that says nothing of a payload."""
        if self.progress.own_run:
            await self._link.call("stop")
        if self.progress.moved and ended is not None and ended[0] != Result.NOT_TARED:
            return ended[0], f"{ended[1]} No tare was made."
        return ended

    async def _verdict(self, ended: tuple[int, str] | None) -> tuple[int, str]:
        """Solve for all data, validate and save; return how the goal has ended."""
        self.stages.enter(Feedback.SETTLING)
        await self._wait(SETTLE)
        if ended is None and (lost := self._link.ceased):
            ended = Result.ESTIMATOR_LOST, f"{lost}."
        await solve(self._link, self.stages, self.result)
        code, said = judge(self.result, self.asked)
        if self.result.reason.code != StopReason.ESTIMATE_INCONSISTENT:
            return _after(ended, code, said, "The data until then: ")
        if code == Result.INCONSISTENT:
            return code, said
        # Another payload since: the data before it do not count.
        said = f"{said} {self.result.estimate.message}".rstrip()
        return _after(ended, code, said, "What is found of the data: ")

    # What is looked at while the arm moves

    def watch(self) -> None:
        """Look whether the motion is to end, or its newest part to be held out."""
        watch, following, horizon = self.progress.watch, self._arm.following, self.progress.horizon
        if self.stages.state != Feedback.EXCITING or self.progress.why is not None or watch is None:
            return
        part = math.nan
        if following is not None:
            time = following.time(self._context.arm.states.now_ns)
            part = time / following.motion.trajectory.duration
        pieces, last = (1, 1) if horizon is None else (len(horizon.begun), self.asked.most_pieces)
        watch.look(self._left(), part, pieces, last)

    def _hold_out(self) -> None:
        """Have the estimator hold out what comes from now on."""
        self._context.node.executor.create_task(self._ask_to_hold_out())

    async def _ask_to_hold_out(self) -> None:
        """Note in the log where the estimator cannot."""
        try:
            said = await self._link.call("hold_out")
        except EstimatorLostError as error:
            self._context.node.get_logger().warning(str(error))
            return
        if not said.success:
            self._context.node.get_logger().warning(said.message)

    def _end(self, code: int, why: str) -> None:
        """Bring the arm to rest by the certified stop."""
        self._note(why=(code, why))
        self._arm.call_off(Reason.CANCELLED, why)

    async def _wait(self, seconds: float) -> None:
        """Let some time go by [s]."""
        await until(self._context.node, lambda: False, seconds)


def _after(ended: tuple[int, str] | None, code: int, said: str, so: str = "") -> tuple[int, str]:
    """Return a code and a sentence, behind those with which a goal had ended before, if it had."""
    return (code, said) if ended is None else (ended[0], f"{ended[1]} {so}{said}".rstrip())
