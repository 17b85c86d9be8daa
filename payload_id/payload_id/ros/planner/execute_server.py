"""Moving the arm: certified motions and receding horizons, executed under watch."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from payload_id_msgs.action import Execute, Identify
from payload_id_msgs.msg import PayloadEstimate, PlanDescription
from payload_id_msgs.srv import Acknowledge
from rclpy.action import CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.task import Future as RosFuture
from std_srvs.srv import Trigger

from ...core.arrays import Array
from ...core.errors import InputError
from ...core.safety.certificate.certified_motion import CertifiedMotion
from ..execution.arm_watch import ArmWatch
from ..execution.back_ends.back_end import BackEnd
from ..execution.motion_execution import MotionExecution, Timing
from ..execution.start_check import NotReadyError, check_place
from ..execution.stop_reason import Reason, reason_message, sentence
from ..execution.turn_count import difference, in_turns_of
from .context import PlannerContext
from .horizon_execution import HorizonExecution
from .payload_intervals import check_payload, estimate_intervals, is_usable, is_within
from .plan_server import PlanServer
from .planning.process import Failure
from .planning.request import Goal, Planned, Refused, ScaleRequest

NOT_PROMISED = (
    "The estimator's intervals are not within those that the motion was certified for any more"
)


class ExecuteServer:
    """Answers `~/execute` and `~/stop`, and watches the arm while it moves."""

    def __init__(self, context: PlannerContext, plans: PlanServer, back_end: BackEnd) -> None:
        """Note where motion goes.

        Args:
            context: What all parts share.
            plans: Where plans are kept.
            back_end: Moves the arm.
        """
        self._context, self._plans, self._back_end = context, plans, back_end
        self.execution: MotionExecution | None = None
        self.ended: tuple[Reason, str] | None = None
        self._horizon: HorizonExecution | None = None
        self._finished: RosFuture | None = None
        self._goal: ServerGoalHandle | None = None
        self.promised: Goal | None = None  # whose intervals the certificates are for

    async def on_execute(self, handle: ServerGoalHandle) -> Execute.Result:
        """Execute a plan."""
        asked = handle.request
        try:
            plan, description, known = self._plans.plan_named(asked.plan_id)
            check_confirmed(asked, description)
            self._check_before(plan, known)
            plan = await self._at_scale(plan, asked.speed_scale)
            self._check_before(plan, known)
        except InputError as error:
            handle.abort()
            return self._execute_result(Reason.REFUSED, str(error))
        self.log_request(f"plan {asked.plan_id}", asked.requested_by)
        self._context.busy, self._goal, self._finished = "a plan is executed", handle, RosFuture()
        self.promised = plan.request.goal
        self.execution = self._begin(plan.motion)
        await self._finished
        reason, detail = self.ended or (Reason.SHUT_DOWN, "")
        result = self._execute_result(reason, detail)
        self.finish(handle, reason)
        return result

    async def _at_scale(self, plan: Planned, scale: float) -> Planned:
        """Return a plan at a fraction of its speed, certified as such.

        Raises:
            InputError: The scale is none, or the slower motion is not certified.
        """
        if scale in (0.0, 1.0):
            return plan
        if not 0.0 < scale < 1.0:
            raise InputError(
                f"speed_scale must be above 0 and at most 1; found {scale!r}. (10 % is 0.1.)"
            )
        self._context.busy = "a plan is certified at another speed"
        bodies = self._context.obstacles.bodies
        try:
            found = await self._context.ask(ScaleRequest(plan, scale, bodies))
        finally:
            self._context.busy = ""
        if isinstance(found, (Refused, Failure)):
            raise InputError(found.sentence)
        scaled: Planned = found
        return scaled

    def _check_before(self, plan: Planned, known: tuple[str, ...]) -> None:
        """Raise unless a plan's certificate holds here and now."""
        self._context.start(plan.request.goal.limits)
        if known != self._context.obstacles.digest:
            raise NotReadyError("The obstacles have changed since this plan was made. Plan again.")
        check_payload(self._context.estimate, plan.request.goal)
        self.check_controller()
        self._check_start(plan.motion, plan.request.goal)

    def _check_start(self, motion: CertifiedMotion, goal: Goal) -> None:
        """Raise unless the arm stands where a motion begins, whole turns included."""
        context, arm = self._context, self._context.arm
        start = motion.trajectory.at(np.zeros(1)).q[0]
        if turned := difference(goal.turns, arm.turns.at(start)):
            raise NotReadyError(turned)
        check_place(context.robot.joints, arm.q, start, context.tube, context.continuous, arm.topic)

    def check_controller(self) -> None:
        """Raise unless a controller would follow this node, and nobody else."""
        self._context.check_allowed()
        if absence := self._back_end.absence():
            raise NotReadyError(absence)
        if others := self._back_end.others():
            raise NotReadyError(f"{others}.")

    def log_request(self, what: str, who: str) -> None:
        """Log who moves the arm."""
        self._context.node.get_logger().info(f"Moving: {what}, asked for by {who or 'somebody'}.")

    def begin_from_rest(self, motion: CertifiedMotion, goal: Goal) -> MotionExecution:
        """Command the first motion of a receding horizon, or one after a pause.

        Raises:
            NotReadyError: The arm is not where it begins, or may not move.
        """
        self._context.standing(goal.limits)
        check_payload(self._context.estimate, goal)
        self.check_controller()
        self._check_start(motion, goal)
        return self._begin(motion)

    def _begin(self, motion: CertifiedMotion) -> MotionExecution:
        """Command a motion that begins shortly."""
        context, settings = self._context, self._context.settings
        timing = Timing(settings.point_rate, settings.reaction, settings.settling)
        encoder = context.uncertainty.per_joint("position_error", context.robot.n)
        watch = ArmWatch(context.robot.joints, context.continuous, settings.silence, encoder)
        start_ns = context.arm.now_ns + round(settings.start_delay * 1e9)
        self._back_end.foreign()  # what was heard before is of no account
        start = motion.trajectory.at(np.zeros(1)).q[0]
        send = in_turns_of(self._back_end.send, start, context.arm.q, context.continuous)
        execution = MotionExecution(motion, start_ns, timing, send, self._back_end.hold, watch)
        self.execution, self.ended = execution, None
        execution.begin()
        return execution

    def finish(self, handle: ServerGoalHandle, reason: Reason) -> None:
        """End a goal as its reason says."""
        self._context.busy, self._goal = "", None
        if handle.is_cancel_requested:
            handle.canceled()
        elif reason.as_asked:
            handle.succeed()
        else:
            handle.abort()

    def _execute_result(self, reason: Reason, detail: str) -> Execute.Result:
        """Return the result of an execution."""
        execution = None if reason is Reason.REFUSED else self.execution
        result = Execute.Result(success=reason is Reason.COMPLETED)
        result.message, result.reason = sentence(reason, detail), reason_message(reason, detail)
        if execution is not None:
            result.at_rest, result.largest_tube_use = execution.at_rest, execution.watch.largest_use
        if self._context.arm.known:
            result.final_positions = self._context.arm.q
        return result

    def on_watch_due(self) -> None:
        """Take in joint states, judge the motion, pass on the planner's answers."""
        execution, horizon = self.execution, self._horizon
        moving = execution is not None and not execution.done
        stamps, q, dq = self._context.arm.take(every=moving)
        now_ns = self._context.arm.now_ns
        if execution is not None and moving:
            fault = self._outside_fault()
            execution.advance(now_ns, self._context.arm.silence, stamps, q, dq, fault)
            self._look_around()
        if horizon is not None:
            horizon.advance(now_ns)
            if horizon.done:
                self._end(*horizon.reason)
        elif execution is not None and moving and execution.done:
            self._end(execution.reason or Reason.COMPLETED, execution.detail)

    def _outside_fault(self) -> tuple[Reason, str] | None:
        """Return a fault of clocks or held joints, or a foreign command; None if there is none."""
        if foreign := self._back_end.foreign():
            return Reason.FOREIGN_COMMAND, foreign
        if fault := self._context.arm.clock.fault:
            return Reason.CLOCK_FAULT, fault
        if doubt := self._context.arm.held.fault(time.monotonic()):
            return Reason.HELD_JOINT_OFF, doubt
        return None

    def _look_around(self) -> None:
        """Stop where motion is not allowed any more, or obstacles are not known any more."""
        if forbidden := self._context.forbidden:
            self.stop(Reason.NOT_ENABLED, forbidden)
        elif doubt := self._context.obstacles.doubt(time.monotonic()):
            self.stop(Reason.OBSTACLES_CHANGED, doubt)

    def on_acknowledge(
        self, request: Acknowledge.Request, response: Acknowledge.Response
    ) -> Acknowledge.Response:
        """Let the arm move again after a fault."""
        context = self._context
        if not context.fault:
            response.message = "There is no fault to acknowledge."
        elif not request.reason.strip():
            response.message = f"Say what was found and done. The fault is: {context.fault}"
        else:
            response.success = True
            response.message = f"Acknowledged ({request.reason.strip()}): {context.fault}"
            context.fault, context.holding = "", None
        context.node.get_logger().warning(response.message)
        return response

    def _end(self, reason: Reason, detail: str) -> None:
        """Note how a motion ended, and wake who waits for it."""
        self.ended, execution = (reason, detail), self.execution
        if execution is not None and execution.done:
            held = execution.held or reason.is_fault
            self._context.holding = None if held else execution.end_positions()
        if reason.is_fault:
            self._context.fault = f"{reason.name}: {sentence(reason, detail)}"
        self._horizon = self._goal = self.promised = None
        text = f"{reason.name}: {sentence(reason, detail)}"
        if reason.as_asked:
            self._context.node.get_logger().info(text)
        else:
            self._context.node.get_logger().warning(text)
        if self._finished is not None and not self._finished.done():
            self._finished.set_result(None)

    def stop(self, reason: Reason, detail: str) -> bool:
        """Have the certified stop commanded; return whether anything moves or will."""
        now_ns = self._context.arm.now_ns
        if self._horizon is not None:
            self._horizon.cancel(reason, detail, now_ns)
        elif self.execution is not None and not self.execution.done:
            self.execution.stop(reason, detail, now_ns)
        else:
            return False
        return True

    def on_stop(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Stop whatever moves."""
        response.success = self.stop(Reason.CANCELLED, "The service ~/stop was called")
        response.message = (
            "The certified stop was commanded." if response.success else "Nothing moves."
        )
        return response

    def on_cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        """Accept any cancelling; a moving arm is stopped."""
        if self._goal is not None and handle.goal_id == self._goal.goal_id:
            self.stop(Reason.CANCELLED, "The goal was cancelled")
        return CancelResponse.ACCEPT

    def hear(self, message: PayloadEstimate) -> None:
        """Take in an estimate."""
        if message.status == PayloadEstimate.INCONSISTENT:
            self.stop(Reason.ESTIMATE_INCONSISTENT, message.message)
        elif is_usable(message) and self.promised is not None:
            if not is_within(message, self.promised):
                self.stop(Reason.INTERVALS_LEFT, NOT_PROMISED)
            elif self._horizon is not None:
                lower, upper = estimate_intervals(message)
                self._horizon.estimated((upper - lower) / 2, self._context.arm.now_ns)

    async def run_horizon(
        self, handle: ServerGoalHandle, goal: Goal, make: Callable[[], HorizonExecution]
    ) -> tuple[HorizonExecution, Reason, str]:
        """Run a receding horizon to its end; return it, and why it ended."""
        self._context.busy, self._goal = "an identification runs", handle
        self._finished, self.execution, self.promised = RosFuture(), None, goal
        self._horizon = horizon = make()
        await self._finished
        reason, detail = self.ended or (Reason.SHUT_DOWN, "")
        return horizon, reason, detail

    def on_feedback_due(self) -> None:
        """Tell the goal in progress how far it is."""
        handle, execution, horizon = self._goal, self.execution, self._horizon
        if handle is None or not handle.is_active:
            return
        if horizon is not None:
            handle.publish_feedback(identify_feedback(horizon, self._context.half_width()))
        elif execution is not None:
            now = execution.time(self._context.arm.now_ns)
            handle.publish_feedback(
                Execute.Feedback(
                    phase=execution.phase.value,
                    time=now,
                    remaining=max(0.0, execution.commanded.duration - now),
                    tube_use=execution.watch.use,
                )
            )


def identify_feedback(horizon: HorizonExecution, half_width: Array) -> Identify.Feedback:
    """Return how far a receding horizon is."""
    seconds, execution = horizon.planning_seconds, horizon.execution
    return Identify.Feedback(
        phase="planning" if horizon.resting or execution is None else execution.phase.value,
        piece=len(horizon.condition_numbers),
        planning_seconds=seconds[-1] if seconds else 0.0,
        largest_planning_seconds=max(seconds, default=0.0),
        half_width=half_width,
        tube_use=0.0 if execution is None else execution.watch.use,
    )


def check_confirmed(asked: Execute.Goal, description: PlanDescription) -> None:
    """Raise unless who asks has read the description of the plan.

    Raises:
        NotReadyError: The plan is not named, or the token is not that of its description.
    """
    if not asked.plan_id:
        raise NotReadyError("Name the plan that is to be executed: plan_id, as ~/plan gave it.")
    if asked.token != description.token:
        raise NotReadyError(
            f"The token is not that of plan {asked.plan_id}: read its description (~/describe) and "
            "give the token that comes with it."
        )
