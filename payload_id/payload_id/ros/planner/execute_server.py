"""Plans and receding horizons, handed to the bridge, which moves the arm and watches it.

A pause rests on the path by a certified stop, and the goal stays in progress; what is left is
certified anew, with the obstacles of then, before it is resumed.
"""

from __future__ import annotations

from collections.abc import Callable

from payload_id_msgs.action import Execute
from payload_id_msgs.msg import PayloadEstimate
from rclpy.action import CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.task import Future as RosFuture
from std_srvs.srv import Trigger

from ...core.errors import InputError, printable, shortened
from ...planning.request import Planned, ResumeRequest, ScaleRequest
from ..common.goal_end import end_goal
from ..execution.payload_intervals import estimate_intervals, is_usable
from ..execution.start_check import CalledOffError, NotReadyError
from ..execution.stop_reason import Reason, sentence
from .bridge_link import FollowedMotion
from .context import PlannerContext, checked
from .execute_messages import (
    check_confirmed,
    execute_feedback,
    message_of_reason,
)
from .horizon_execution import HorizonExecution
from .plan_messages import LEAST_SCALE
from .plan_server import PlanServer


class ExecuteServer:
    """Answers `~/execute` and `~/stop`.

    Attributes:
        followed: The newest motion; None before the first.
        ended: Why the last one ended, and that as a sentence; None while one is in progress.
        paused: Whether a plan rests on its path.
    """

    def __init__(self, context: PlannerContext, plans: PlanServer) -> None:
        """Nothing moves yet.

        Args:
            context: What all parts share.
            plans: Where plans are kept.
        """
        self._context, self._plans = context, plans
        self.followed: FollowedMotion | None = None
        self.ended: tuple[Reason, str] | None = None
        self.paused = False
        self._horizon: HorizonExecution | None = None
        self._finished: RosFuture | None = None
        self._goal: ServerGoalHandle | None = None
        self._plan: Planned | None = None  # that is executed
        self._who = ""
        self._preparing: ServerGoalHandle | None = None  # whose motion may begin later
        self._pending = 0  # goals of ~/execute whose motion has not begun
        self._called_off = ""  # why what is prepared or pending shall not begin
        self._grasped: RosFuture | None = None  # awaits ~/resume while nothing rests on a path

    async def on_execute(self, handle: ServerGoalHandle) -> Execute.Result:
        """Execute a plan."""
        self._pending += 1  # from here on ~/stop is heard
        try:
            plan = await self._checked(handle)
        except InputError as error:
            called_off = isinstance(error, CalledOffError)
            reason = Reason.CANCELLED if called_off else Reason.REFUSED
            self.finish(handle, reason)
            return self._execute_result(reason, str(error), moved=False)
        finally:
            self._pending -= 1
            if not self._pending and self._preparing is None:
                self._called_off = ""
        self.begin_goal(handle, "a plan is executed", handle.request.requested_by)
        self._follow(plan)
        reason, said = await self.finished()
        result = self._execute_result(reason, said)
        self.finish(handle, reason)
        return result

    async def _checked(self, handle: ServerGoalHandle) -> Planned:
        """Return the plan that a goal asks for, at its speed, if it may begin now.

        Raises:
            InputError: There is none, its certificate does not hold here and now, or it was called
                off meanwhile.
        """
        asked = handle.request
        await self._context.bridge.refresh()
        self._check_wanted(handle)
        self._context.check_free()
        plan, description, known = self._plans.plan_named(asked.plan_id)
        check_confirmed(asked, description)
        self._check_before(plan, known)
        plan = await self._at_scale(handle, plan, asked.speed_scale)
        self._check_wanted(handle)
        self._check_before(plan, known)
        return plan

    def _check_wanted(self, handle: ServerGoalHandle) -> None:
        """Raise if a goal was cancelled, or ~/stop called, before its motion began.

        Raises:
            CalledOffError: It was.
        """
        if why := self._unwanted(handle):
            raise CalledOffError(why)

    def _unwanted(self, handle: ServerGoalHandle) -> str:
        """Say why the motion of a goal shall not begin; empty: it may."""
        if handle.is_cancel_requested:
            return "The goal was cancelled before its motion began."
        return f"{self._called_off} before the motion began." if self._called_off else ""

    async def _at_scale(self, handle: ServerGoalHandle, plan: Planned, scale: float) -> Planned:
        """Return a plan at a fraction of its speed, certified as such.

        Raises:
            InputError: The scale is none, the slower motion is not certified, or it was called off.
        """
        if scale in (0.0, 1.0):
            return plan
        if not LEAST_SCALE <= scale < 1.0:
            raise InputError(
                f"speed_scale must be from {LEAST_SCALE:g} to 1; 10 % is 0.1; found {scale!r}."
            )
        self._context.busy = "a plan is certified at another speed"
        self._preparing = handle
        request = ScaleRequest(plan, scale, self._context.bridge.bodies)
        try:
            scaled: Planned = checked(
                await self._context.answer(request, lambda: self._unwanted(handle))
            )
        finally:
            self._context.busy, self._preparing = "", None
        self._check_wanted(handle)
        return scaled

    async def carried_out(
        self, handle: ServerGoalHandle, plan: Planned, known: str, what: str, who: str
    ) -> tuple[Reason, str]:
        """Have a plan followed for a goal that goes on afterwards; return why the motion ended.

        Args:
            handle: The goal, which reserves the arm.
            plan: The plan.
            known: The obstacles that it knows.
            what: It does.
            who: Asks.

        Raises:
            InputError: Its certificate does not hold here and now, or it was called off.
        """
        await self._context.bridge.refresh()
        self._check_wanted(handle)
        self._check_before(plan, known, own=True)
        self.begin_goal(handle, what, who)
        self._follow(plan)
        reason, said = await self.finished()
        self.release(handle)
        return reason, said

    async def slowed(self, handle: ServerGoalHandle, plan: Planned, scale: float) -> Planned:
        """Return a plan at a fraction of its speed; as `_at_scale`, for a goal that goes on."""
        scaled = await self._at_scale(handle, plan, scale)
        self.prepare(handle)
        return scaled

    def prepare(self, handle: ServerGoalHandle | None) -> None:
        """Note whose motion may begin later: ~/stop means that it shall not; None: nobody's."""
        self._preparing, self._called_off = handle, "" if handle is None else self._called_off
        if handle is None:
            self._grasped = None

    @property
    def called_off(self) -> str:
        """Why what is prepared shall not begin; empty: it may."""
        return self._called_off

    def await_resume(self) -> RosFuture:
        """Return what is done once somebody calls ~/resume."""
        self._grasped = RosFuture()
        return self._grasped

    def _check_before(self, plan: Planned, known: str, own: bool = False) -> None:
        """Raise unless a plan's certificate holds here and now, as far as the planner knows."""
        self._context.check_free(own)
        if known != self._context.bridge.obstacles:
            raise NotReadyError("The obstacles have changed since this plan was made. Plan again.")
        self._context.standing(plan.request.goal.limits)
        self._context.check_payload(plan.request.goal)

    def begin_goal(self, handle: ServerGoalHandle, what: str, who: str) -> None:
        """Note whose goal is in progress; `finished` waits for its end."""
        asker = printable(shortened(who)) or "somebody"
        self._context.node.get_logger().info(f"{what.capitalize()}, asked for by {asker}.")
        self._context.busy, self._goal, self._finished = what, handle, RosFuture()
        self._who, self.ended, self.followed = who, None, None

    async def finished(self) -> tuple[Reason, str]:
        """Wait for the end of what is in progress; return why it ended, and that as a sentence."""
        if self._finished is not None:
            await self._finished
        return self.ended or (Reason.SHUT_DOWN, sentence(Reason.SHUT_DOWN))

    def _follow(self, plan: Planned) -> None:
        """Have a plan followed."""
        self._plan, link = plan, self._context.bridge
        self.followed = link.follow(plan.name, plan.motion, plan.documents, self._who)

    def release(self, handle: ServerGoalHandle) -> None:
        """Note that a goal's motion has ended."""
        if self._goal is None or self._goal is handle:
            self._context.busy, self._goal = "", None

    def finish(self, handle: ServerGoalHandle, reason: Reason) -> None:
        """End a goal as its reason says."""
        self.release(handle)
        end_goal(handle, reason.as_asked)

    def _execute_result(self, reason: Reason, said: str, moved: bool = True) -> Execute.Result:
        """Return the result of an execution."""
        result = Execute.Result(success=reason is Reason.COMPLETED)
        result.message = said if moved else sentence(reason, said)
        result.reason = message_of_reason(reason, result.message)
        result.at_rest = self._context.arm.is_seen_at_rest()
        if moved and self.followed is not None:
            result.at_rest = self.followed.at_rest
            result.largest_tube_use = self.followed.largest_tube_use
        if self._context.arm.states.known:
            result.final_positions = self._context.arm.states.q
        return result

    def on_watch_due(self) -> None:
        """Take in joint states, and what the bridge has told."""
        states = self._context.arm.states
        states.take(every=False)
        followed, horizon = self.followed, self._horizon
        if followed is not None:
            followed.look(bool(self._context.bridge.absence))
        if horizon is not None:
            if horizon.execution is not None:
                horizon.execution.look()
                self.followed = horizon.execution
            horizon.advance(states.now_ns)
            if horizon.done:
                self._end(*horizon.reason)
        elif self._goal is not None and followed is not None and followed.done and not self.paused:
            if followed.reason is Reason.PAUSED and not followed.called_off:
                self.paused = True
                self._context.node.get_logger().info("Paused on the path; ~/resume goes on.")
            else:
                self._end(followed.reason or Reason.COMPLETED, followed.sentence)

    def _end(self, reason: Reason, said: str) -> None:
        """Note how a motion ended, and wake who waits for it."""
        self.ended, self.paused, self._plan, self._horizon = (reason, said), False, None, None
        text, logger = f"{reason.name}: {said}", self._context.node.get_logger()
        if reason.as_asked:
            logger.info(text)
        else:
            logger.warning(text)
        if self._finished is not None and not self._finished.done():
            self._finished.set_result(None)

    async def pause(self) -> bool:
        """Rest on the path by a certified stop; return whether that is possible yet."""
        if self._horizon is not None:
            return self._horizon.pause(self._context.arm.states.now_ns)
        followed = self.followed
        if followed is None or followed.stopping or self._goal is None:
            return False
        return await self._context.bridge.will_pause()

    async def resume(self) -> None:
        """Go on from where a pause rests, with what is certified now.

        Raises:
            InputError: Nothing rests, or it may not go on; it stays paused.
        """
        if self._grasped is not None and not self._grasped.done():
            self._grasped.set_result(None)
            return
        await self._context.bridge.refresh()  # so that what was just said to it counts
        horizon = self._horizon
        if horizon is not None and horizon.paused:
            horizon.resume(self._context.standing(horizon.limits))
            return
        plan, followed, context = self._plan, self.followed, self._context
        if not self.paused or plan is None or followed is None:
            raise NotReadyError("Nothing rests in a pause.")
        context.standing(plan.request.goal.limits)
        known = context.bridge.obstacles
        request = ResumeRequest(plan, followed.resting_place, context.bridge.bodies)
        rest: Planned = checked(await context.ask(request))
        if not self.paused or self.followed is not followed:
            raise NotReadyError("The motion was ended or resumed meanwhile.")
        if known != context.bridge.obstacles:
            raise NotReadyError("The obstacles have changed meanwhile. Resume again.")
        context.standing(plan.request.goal.limits)
        self.paused, largest = False, followed.largest_tube_use
        self._follow(rest)
        if self.followed is not None:
            self.followed.largest_tube_use = largest

    def stop(self, reason: Reason, detail: str) -> bool:
        """Have the certified stop commanded; return whether anything moves or will."""
        if self.paused:
            self._end(reason, sentence(reason, detail))
        elif self._horizon is not None:
            self._horizon.cancel(reason, detail, self._context.arm.states.now_ns)
        elif self._goal is not None and self.followed is not None and not self.followed.done:
            self.followed.stop(reason, detail)
        elif self._preparing is not None or self._pending:
            self._called_off = detail
        else:
            return False
        return True

    def on_stop(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Stop whatever moves."""
        response.success = self.stop(Reason.CANCELLED, "The service ~/stop was called")
        response.message = "Nothing moves."
        if response.success:
            response.message = (
                "What is prepared will not begin." if self._called_off else "The arm comes to rest."
            )
        return response

    def on_cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        """Accept any cancelling; a moving arm is stopped."""
        if self._goal is not None and handle.goal_id == self._goal.goal_id:
            self.stop(Reason.CANCELLED, "The goal was cancelled")
        return CancelResponse.ACCEPT

    def hear(self, message: PayloadEstimate) -> None:
        """Take in an estimate."""
        if self._horizon is not None and is_usable(message):
            lower, upper = estimate_intervals(message)
            self._horizon.estimated((upper - lower) / 2, self._context.arm.states.now_ns)

    def run_horizon(self, make: Callable[[], HorizonExecution]) -> HorizonExecution:
        """Begin a receding horizon."""
        self._horizon = horizon = make()
        return horizon

    def on_feedback_due(self) -> None:
        """Tell the plan in progress how far it is; `IdentifyServer` tells its own."""
        handle, followed = self._goal, self.followed
        if handle is None or followed is None or not handle.is_active:
            return
        if isinstance(handle.request, Execute.Goal):
            now = followed.time(self._context.arm.states.now_ns)
            handle.publish_feedback(execute_feedback(followed, now, self.paused))
