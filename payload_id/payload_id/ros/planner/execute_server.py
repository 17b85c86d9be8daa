"""`~/execute`: a plan whose description was read, followed at its speed or slower."""

from __future__ import annotations

from payload_id_msgs.action import Execute
from rclpy.action.server import ServerGoalHandle

from ...core.errors import InputError
from ...planning.request import Planned, ScaleRequest
from ..common.goal_end import end_goal
from ..execution.start_check import CalledOffError
from ..execution.stop_reason import Reason, reason_message, sentence
from .arm_goal import ArmGoal, ArmLease
from .bridge_client import Ended
from .context import PlannerContext
from .execute_messages import check_confirmed
from .plan_messages import LEAST_SCALE
from .plan_server import PlanServer


class ExecuteServer:
    """Answers `~/execute`."""

    def __init__(self, context: PlannerContext, lease: ArmLease, plans: PlanServer) -> None:
        """Nothing moves yet.

        Args:
            context: What all parts share.
            lease: Lets one goal have the arm.
            plans: Where plans are kept.
        """
        self._context, self._lease, self._plans = context, lease, plans

    async def on_execute(self, handle: ServerGoalHandle) -> Execute.Result:
        """Execute a plan."""
        try:
            with self._lease.taken(handle, "a plan is executed") as goal:
                ended = await goal.follow(await self._plan_of(goal))
        except InputError as error:
            called_off = isinstance(error, CalledOffError)
            reason = Reason.CANCELLED if called_off else Reason.REFUSED
            rests = self._context.arm.is_seen_at_rest()
            ended = Ended(reason, sentence(reason, str(error)), at_rest=rests)
        end_goal(handle, ended.reason.as_asked)
        result = Execute.Result(success=ended.reason is Reason.COMPLETED, message=ended.message)
        result.reason = reason_message(ended.reason, ended.message)
        result.at_rest, result.largest_tube_use = ended.at_rest, ended.largest_tube_use
        if self._context.arm.states.known:
            result.final_positions = self._context.arm.states.q
        return result

    async def _plan_of(self, goal: ArmGoal) -> Planned:
        """Return the plan that a goal asks for, at its speed.

        Raises:
            InputError: There is none, it does not hold here and now, or it was called off.
        """
        asked = goal.handle.request
        goal.check_wanted()
        plan, description = self._plans.plan_named(asked.plan_id)
        check_confirmed(asked, description)
        self._context.check_plan(plan)
        if asked.speed_scale in (0.0, 1.0):
            return plan
        return await slowed(self._context, goal, plan, asked.speed_scale)

    def on_feedback_due(self) -> None:
        """Tell the goal in progress how far it is."""
        goal = self._lease.goal
        if goal is None or not isinstance(goal.handle.request, Execute.Goal):
            return
        if (following := goal.following) is not None and goal.handle.is_active:
            told = following.told
            goal.handle.publish_feedback(
                Execute.Feedback(
                    phase=told.phase, time=told.time, remaining=told.remaining,
                    tube_use=told.tube_use,
                )
            )  # fmt: skip


async def slowed(context: PlannerContext, goal: ArmGoal, plan: Planned, scale: float) -> Planned:
    """Return a plan at a fraction of its speed, certified as such.

    Raises:
        InputError: The scale is none, the slower motion is not certified, or it was called off.
    """
    if not LEAST_SCALE <= scale < 1.0:
        raise InputError(
            f"speed_scale must be from {LEAST_SCALE:g} to 1; 10 % is 0.1; found {scale!r}."
        )
    request = ScaleRequest(plan, scale, context.bridge.bodies)
    found: Planned = await context.answer(request, lambda: goal.unwanted)
    goal.check_wanted()
    return found
