"""Identification in receding horizon on request: pieces that answer to the live estimator."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

import numpy as np
from payload_id_msgs.action import Identify
from payload_id_msgs.msg import ExcitationGoal, PayloadEstimate
from rclpy.action.server import ServerGoalHandle
from std_srvs.srv import Trigger

from ...core.arrays import Array
from ...core.errors import InputError
from ...core.excitation.receding_horizon import Settings as HorizonSettings
from ...core.motion.motion_state import MotionState
from ..execution.start_check import NotReadyError
from ..execution.stop_reason import Reason, reason_message
from .context import PlannerContext
from .execute_messages import message_of_reason
from .execute_server import ExecuteServer, check_wanted
from .horizon_execution import HorizonExecution
from .parameters import MOST_PROGRESS, PIECES
from .payload_intervals import check_goal
from .piece_mover import PieceMover
from .planning.request import Goal, PieceRequest

EARLY = 0.12  # [s] before the last moment at which a piece is handed to the bridge
MANY = 100_000  # pieces: no bound


class IdentifyServer:
    """Answers `~/identify`."""

    def __init__(self, context: PlannerContext, motion: ExecuteServer) -> None:
        """Note who moves the arm.

        Args:
            context: What all parts share.
            motion: Moves the arm and watches it.
        """
        self._context, self._motion = context, motion
        start = f"{context.settings.estimator}/start"
        self._starter = context.node.create_client(Trigger, start)

    async def on_identify(self, handle: ServerGoalHandle) -> Identify.Result:
        """Identify in receding horizon."""
        result, context, motion = Identify.Result(), self._context, self._motion
        await context.bridge.refresh()
        try:
            goal, rules = self._rules_of(handle.request)
            start = context.start(goal.limits)
            goal = replace(goal, turns=context.arm.states.turns.at(start))
            check_goal(context.estimate, goal)
            check_wanted(handle)
            self._start_estimator()
        except InputError as error:
            motion.finish(handle, Reason.REFUSED)
            result.message = str(error)
            result.reason = reason_message(Reason.REFUSED, str(error))
            return result
        name, who = f"{datetime.now():%Y%m%d_%H%M%S}_identify", handle.request.requested_by
        motion.begin_goal(handle, "a receding horizon runs", who)
        result.certificates = f"{context.settings.certificates_folder}/{name}"
        result.first_half_width = context.half_width()
        begun = time.monotonic()
        horizon = motion.run_horizon(partial(self._horizon, name, goal, rules, start, handle))
        reason, said = await motion.finished()
        result.success, result.message = reason.as_asked, said
        result.reason = message_of_reason(reason, said)
        result.pieces, result.seconds = len(horizon.condition_numbers), time.monotonic() - begun
        result.condition_numbers = horizon.condition_numbers
        result.at_rest = horizon.execution is None or horizon.execution.at_rest
        result.last_half_width = context.half_width()
        motion.finish(handle, reason)
        return result

    def _horizon(
        self,
        name: str,
        goal: Goal,
        rules: HorizonSettings,
        start: Array,
        handle: ServerGoalHandle,
    ) -> HorizonExecution:
        """Return a run from where the arm stands, whose first piece is being planned."""
        context = self._context
        pieces = PieceMover(context, name, goal.limits, handle.request.requested_by)
        return HorizonExecution.of(
            rules, start, self._asker(name, goal, handle.request.goal), pieces, goal.limits,
            goal.time_budget, self._reaction + EARLY, context.settings.proof_time,
        )  # fmt: skip

    def _rules_of(self, request: Identify.Goal) -> tuple[Goal, HorizonSettings]:
        """Return goal and rules of a run."""
        message, settings = request.goal, self._context.settings
        message.family = message.family or "wave"
        message.duration = message.duration or settings.piece_duration
        goal = self._context.goal_of(message)
        if goal.family not in PIECES or goal.dry_run_scale:
            raise InputError(
                f"Receding horizon takes the families {' and '.join(PIECES)} and no dry run; plan "
                "a single motion for anything else."
            )
        if settings.piece_time + self._reaction + EARLY >= goal.duration:
            raise InputError(
                f"A piece of {goal.duration:g} s is too short: the parameter piece_time is "
                f"{settings.piece_time:g} s, and its braking follows that."
            )
        target = np.array(request.target_half_width, dtype=float)
        if target.size not in (0, 10) or not (target > 0).all():
            raise InputError(
                "target_half_width takes ten numbers above 0 (inf for any), or none; found "
                f"{target.tolist()}."
            )
        least = request.least_progress
        if not 0.0 <= least <= MOST_PROGRESS:
            raise InputError(
                f"least_progress must be from 0 (for the default) to {MOST_PROGRESS:g}; found "
                f"{least!r}."
            )
        return goal, HorizonSettings(
            handover=settings.piece_time,
            pieces=request.most_pieces or MANY,
            target=target if target.size else None,
            least_gain=least or settings.least_progress,
        )

    def _asker(
        self, name: str, goal: Goal, message: ExcitationGoal
    ) -> Callable[[int, MotionState, float], Future[Any]]:
        """Return what asks the planning process for pieces, each with the intervals of then."""
        context = self._context

        def ask(index: int, start: MotionState, budget: float) -> Future[Any]:
            now = goal if index == 0 else context.goal_of(message)
            timed = replace(now, time_budget=budget, turns=goal.turns)
            handover, bodies = context.settings.piece_time, context.bridge.bodies
            return context.process.request(
                PieceRequest(name, index, timed, start, handover, bodies)
            )

        return ask

    @property
    def _reaction(self) -> float:
        """Longest time from a command until the arm's controller has taken it up [s]."""
        state = self._context.bridge.state
        return 0.0 if state is None else float(state.reaction)

    def _start_estimator(self) -> None:
        """Begin a run of the estimator if none is in progress.

        Raises:
            NotReadyError: There is no estimator.
        """
        estimate = self._context.estimate
        if estimate is None:
            raise NotReadyError(
                f"No estimate on {self._context.settings.estimator}/payload: start the estimator, "
                "or set the parameter estimator."
            )
        if estimate.status == PayloadEstimate.WAITING and self._starter.service_is_ready():
            self._starter.call_async(Trigger.Request())
