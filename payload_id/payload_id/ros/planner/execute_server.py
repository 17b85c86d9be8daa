"""Moving the arm: certified motions and receding horizons, executed under watch.

A pause rests on the path by a certified stop, and the goal stays in progress; what is left is
certified anew, with the obstacles of then, before it is resumed.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from payload_id_msgs.action import Execute
from payload_id_msgs.msg import PayloadEstimate
from payload_id_msgs.srv import Acknowledge
from rclpy.action import CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.task import Future as RosFuture
from std_srvs.srv import Trigger

from ...core.arrays import Array
from ...core.errors import InputError, printable, shortened
from ...core.safety.certificate.certified_motion import CertifiedMotion
from ..execution.arm_watch import ArmWatch
from ..execution.back_ends.back_end import BackEnd
from ..execution.controller_watch import ControllerWatch
from ..execution.motion_execution import MotionExecution, Phase, Timing
from ..execution.speed_slider import SpeedSlider
from ..execution.start_check import NotReadyError, check_place
from ..execution.stop_reason import Reason, reason_message, sentence
from ..execution.turn_count import difference, in_turns_of
from .arm_use import ArmUse
from .context import PlannerContext
from .execute_messages import check_confirmed, execute_feedback, identify_feedback
from .horizon_execution import HorizonExecution
from .payload_intervals import check_payload, estimate_intervals, is_usable, is_within
from .plan_server import PlanServer
from .planning.process import Failure
from .planning.request import Goal, Planned, Refused, ResumeRequest, ScaleRequest

LEAST_SCALE = 0.05  # of the speed: a slower motion takes too long to certify
NOT_PROMISED = (
    "The estimator's intervals are not within those that the motion was certified for any more"
)


class ExecuteServer:
    """Answers `~/execute` and `~/stop`, and watches the arm while it moves.

    Attributes:
        use: Takes the arm for this node.
        execution: The newest motion; None before the first.
        ended: Why the last one ended; None while one is in progress.
        paused: Whether a plan rests on its path.
    """

    def __init__(
        self,
        context: PlannerContext,
        plans: PlanServer,
        back_end: BackEnd,
        slider: SpeedSlider,
        controller: ControllerWatch,
    ) -> None:
        """Note where motion goes.

        Args:
            context: What all parts share.
            plans: Where plans are kept.
            back_end: Moves the arm.
            slider: What may slow it down.
            controller: Whether it would follow.
        """
        self._context, self._plans, self._back_end = context, plans, back_end
        self._controller = controller
        self.use = ArmUse(context, back_end, controller)
        self.execution: MotionExecution | None = None
        self.ended: tuple[Reason, str] | None = None
        self._horizon: HorizonExecution | None = None
        self._finished: RosFuture | None = None
        self._goal: ServerGoalHandle | None = None
        self._slider = slider
        self._plan: Planned | None = None  # that is executed
        self.paused = False

    async def on_execute(self, handle: ServerGoalHandle) -> Execute.Result:
        """Execute a plan."""
        asked = handle.request
        try:
            plan, description, known = self._plans.plan_named(asked.plan_id)
            check_confirmed(asked, description)
            self._context.start(plan.request.goal.limits)
            await self._controller.check()
            self._check_before(plan, known)
            self.use.prepare(handle)
            plan = await self._at_scale(plan, asked.speed_scale)
            await self.use.take()
            self.use.check_wanted()
            self._check_before(plan, known)
        except InputError as error:
            return self._execute_result(self.use.give_up(handle, error), str(error), moved=False)
        self.log_request(f"plan {asked.plan_id}", asked.requested_by)
        self._context.busy, self._goal, self._finished = "a plan is executed", handle, RosFuture()
        self._plan = plan
        self._begin(plan.motion)
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
        if not LEAST_SCALE <= scale < 1.0:
            raise InputError(
                f"speed_scale must be from {LEAST_SCALE:g} to 1; 10 % is 0.1; found {scale!r}."
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
        self._context.check_free()
        if known != self._context.obstacles.digest:
            raise NotReadyError("The obstacles have changed since this plan was made. Plan again.")
        self._check_now(plan.request.goal)
        self._check_start(plan.motion, plan.request.goal)

    def _check_now(self, goal: Goal) -> Array:
        """Return the pose from which a motion may begin now.

        Raises:
            InputError: None may.
        """
        pose = self._context.standing(goal.limits)
        check_payload(self._context.estimate, goal)
        self.use.check()
        return pose

    def _check_start(self, motion: CertifiedMotion, goal: Goal) -> None:
        """Raise unless the arm stands where a motion begins, whole turns included."""
        context, arm = self._context, self._context.arm
        start = motion.trajectory.at(np.zeros(1)).q[0]
        if turned := difference(goal.turns, arm.turns.at(start)):
            raise NotReadyError(turned)
        check_place(
            context.robot.joints, arm.q, start, motion.tube, context.continuous, arm.topic,
            context.encoder_error,
        )  # fmt: skip

    def log_request(self, what: str, who: str) -> None:
        """Log who moves the arm."""
        asker = printable(shortened(who)) or "somebody"
        self._context.node.get_logger().info(f"Moving: {what}, asked for by {asker}.")

    def begin_from_rest(self, motion: CertifiedMotion, goal: Goal) -> MotionExecution:
        """Command the first motion of a receding horizon, or one after a pause.

        Raises:
            NotReadyError: The arm is not where it begins, or may not move.
        """
        self._check_now(goal)
        self._check_start(motion, goal)
        return self._begin(motion)

    def _begin(self, motion: CertifiedMotion) -> MotionExecution:
        """Command a motion that begins shortly."""
        context, settings = self._context, self._context.settings
        timing = Timing(settings.point_rate, settings.reaction, settings.settling)
        self._slider.begin()
        self._controller.begin()
        watch = ArmWatch(
            context.robot.joints, context.continuous, settings.silence, context.encoder_error,
            self._slider,
        )  # fmt: skip
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
        self.use.release()
        if handle.is_cancel_requested:
            handle.canceled()
        elif reason.as_asked:
            handle.succeed()
        else:
            handle.abort()

    def _execute_result(self, reason: Reason, detail: str, moved: bool = True) -> Execute.Result:
        """Return the result of an execution."""
        execution = self.execution if moved else None
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
        self.use.look()
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
            if execution.reason is Reason.PAUSED:
                self.paused = True
                self._note_rest(execution, Reason.PAUSED)
                self._context.node.get_logger().info("Paused on the path; ~/resume goes on.")
            else:
                self._end(execution.reason or Reason.COMPLETED, execution.detail)

    def _outside_fault(self) -> tuple[Reason, str] | None:
        """Return a fault of controller, clocks or held joints, or a foreign command; else None."""
        if inactive := self._controller.fault():
            return Reason.CONTROLLER_INACTIVE, inactive
        if foreign := self._back_end.foreign():
            return Reason.FOREIGN_COMMAND, foreign
        starting = self.execution is not None and self.execution.phase is Phase.STARTING
        if starting and (others := self._back_end.others()):
            return Reason.FOREIGN_COMMAND, others
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
            reason = printable(request.reason.strip())
            response.message = f"Acknowledged ({reason}): {context.fault}"
            context.fault, context.holding = "", None
        context.node.get_logger().warning(response.message)
        return response

    def _end(self, reason: Reason, detail: str) -> None:
        """Note how a motion ended, and wake who waits for it."""
        self.ended, execution = (reason, detail), self.execution
        if execution is not None and execution.done and not self.paused:
            self._note_rest(execution, reason)
        self.paused, self._plan = False, None
        during = None if execution is None else execution.fault  # a stop for another reason
        if fault := (reason, detail) if reason.is_fault else during:
            self._context.fault = f"{fault[0].name}: {sentence(*fault)}"
        self._horizon = self._goal = None
        text = f"{reason.name}: {sentence(reason, detail)}"
        if reason.as_asked:
            self._context.node.get_logger().info(text)
        else:
            self._context.node.get_logger().warning(text)
        if self._finished is not None and not self._finished.done():
            self._finished.set_result(None)

    def _note_rest(self, execution: MotionExecution, reason: Reason) -> None:
        """Note what the controller holds after a motion, if that is known."""
        held = execution.held or reason.is_fault
        self._context.holding = None if held else execution.end_positions()

    def pause(self) -> bool:
        """Rest on the path by a certified stop; return whether that is possible yet."""
        now_ns = self._context.arm.now_ns
        if self._horizon is not None:
            return self._horizon.pause(now_ns)
        return self.execution is not None and self.execution.pause(now_ns)

    async def resume(self) -> None:
        """Go on from where a pause rests, with what is certified now.

        Raises:
            InputError: Nothing rests, or it may not go on; it stays paused.
        """
        await self._controller.check()
        horizon = self._horizon
        if horizon is not None and horizon.paused:
            pose = self._context.standing(horizon.goals.newest.limits)
            self.use.check()
            horizon.resume(pose)  # the payload's intervals are those of then
            return
        plan, execution = self._plan, self.execution
        if not self.paused or plan is None or execution is None:
            raise NotReadyError("Nothing rests in a pause.")
        self._check_now(plan.request.goal)
        obstacles = self._context.obstacles
        bodies, known = obstacles.bodies, obstacles.digest
        found = await self._context.ask(ResumeRequest(plan, execution.resting_place, bodies))
        if isinstance(found, (Refused, Failure)):
            raise InputError(found.sentence)
        if not self.paused or self.execution is not execution:
            raise NotReadyError("The motion was ended or resumed meanwhile.")
        if known != obstacles.digest:
            raise NotReadyError("The obstacles have changed meanwhile. Resume again.")
        self._check_now(plan.request.goal)
        self._check_start(found.motion, plan.request.goal)
        self.paused, self._plan = False, found
        largest = execution.watch.largest_use
        self._begin(found.motion).watch.largest_use = largest

    def stop(self, reason: Reason, detail: str) -> bool:
        """Have the certified stop commanded; return whether anything moves or will."""
        now_ns = self._context.arm.now_ns
        resting = self.paused or (self._horizon is not None and self._horizon.paused)
        if resting and reason is Reason.OBSTACLES_CHANGED:
            return False  # what is left is certified with those of then
        if self.paused:
            self._end(reason, detail)
        elif self._horizon is not None:
            self._horizon.cancel(reason, detail, now_ns)
        elif self.execution is not None and not self.execution.done:
            self.execution.stop(reason, detail, now_ns)
        else:
            return reason is Reason.CANCELLED and self.use.call_off(detail)
        return True

    def on_stop(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Stop whatever moves."""
        response.success = self.stop(Reason.CANCELLED, "The service ~/stop was called")
        response.message = "Nothing moves."
        if response.success:
            response.message = (
                "What is prepared will not begin."
                if self.use.preparing
                else "The arm comes to rest."
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
        elif is_usable(message):
            if not all(is_within(message, goal) for goal in self._promised()):
                self.stop(Reason.INTERVALS_LEFT, NOT_PROMISED)
            elif self._horizon is not None:
                lower, upper = estimate_intervals(message)
                self._horizon.estimated((upper - lower) / 2, self._context.arm.now_ns)

    def _promised(self) -> tuple[Goal, ...]:
        """Return the goals whose intervals the certificates in use are for."""
        if self._horizon is not None:
            return self._horizon.promised(self._context.arm.now_ns)
        return () if self._plan is None else (self._plan.request.goal,)

    async def run_horizon(
        self, handle: ServerGoalHandle, make: Callable[[], HorizonExecution]
    ) -> tuple[HorizonExecution, Reason, str]:
        """Run a receding horizon to its end; return it, and why it ended."""
        self._context.busy, self._goal = "an identification runs", handle
        self._finished, self.execution = RosFuture(), None
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
            handle.publish_feedback(execute_feedback(execution, now, self.paused))
