"""Planning on request, and the plans that can be executed."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import replace

from payload_id_msgs.action import Plan as PlanAction
from payload_id_msgs.msg import ExcitationGoal, PlanDescription
from rclpy.action.server import ServerGoalHandle
from visualization_msgs.msg import MarkerArray

from ...core.arrays import Array
from ...core.errors import InputError, UnknownNameError
from ...planning.request import Goal, MoveRequest, Planned, PlanRequest
from ..common.goal_end import end_goal
from ..common.steady_timer import steady_timer
from ..common.timeouts import TELL
from ..common.topics import LATCHED
from .context import PlannerContext
from .plan_messages import description_message, swept_markers

KEPT = 10  # plans that can still be executed
NO_VOLUME = (
    "The payload's volume was not given (payload_box, payload_mesh): that it touches nothing was "
    "not checked."
)


class PlanServer:
    """Answers `~/plan`; shows plans when they are made."""

    def __init__(self, context: PlannerContext) -> None:
        """Keep no plan yet.

        Args:
            context: What all parts share.
        """
        self._context = context
        self._described = context.node.create_publisher(PlanDescription, "~/description", LATCHED)
        self._swept = context.node.create_publisher(MarkerArray, "~/swept_volume", LATCHED)
        self._plans: dict[str, tuple[Planned, PlanDescription]] = {}

    def __len__(self) -> int:
        """Return the number of plans that can be executed."""
        return len(self._plans)

    async def on_plan(self, handle: ServerGoalHandle) -> PlanAction.Result:
        """Plan one motion; may be cancelled."""
        result, begin = PlanAction.Result(), time.monotonic()
        timer = steady_timer(
            self._context.node,
            TELL,
            lambda: handle.publish_feedback(
                PlanAction.Feedback(
                    phase="planning and certifying", seconds=time.monotonic() - begin
                )
            ),
        )

        def unwanted() -> str:
            return "The goal was cancelled." if handle.is_cancel_requested else ""

        try:
            found = await self.made(handle.request.goal, unwanted)
        except InputError as error:
            result.message = str(error)
        else:
            result.success, result.description = True, self.keep(found)
            result.message = result.description.summary
        self._context.node.get_logger().info(result.message)
        self._context.node.destroy_timer(timer)
        if handle.is_cancel_requested:
            result.success, result.message = False, "Cancelled; the plan was dropped."
            self._plans.pop(result.description.plan_id, None)
        end_goal(handle, result.success)
        return result

    async def made(
        self, message: ExcitationGoal, unwanted: Callable[[], str], own: bool = False
    ) -> Planned:
        """Return a plan for what a goal asks for.

        Args:
            message: The goal.
            unwanted: Says why nobody waits for it any more; empty: somebody does.
            own: Whether for the goal that has the arm.

        Raises:
            InputError: Nothing may be planned now, nothing was certified, or it was called off.
        """
        request = self._request(self._context.goal_of(message), own)
        found: Planned = await self._context.answer(request, unwanted)
        return found

    async def way(
        self, message: ExcitationGoal, target: Array, unwanted: Callable[[], str]
    ) -> Planned:
        """Return the straight way to a pose, shape (n,) [rad or m]; see `made`, of one's own."""
        context = self._context
        request = MoveRequest(self._request(context.goal_of(message), True), target)
        found: Planned = await context.answer(request, unwanted)
        return found

    def _request(self, goal: Goal, own: bool) -> PlanRequest:
        """Return a request to plan from where the arm stands, with the obstacles of now."""
        context = self._context
        start = context.start(goal.limits, own)
        goal = replace(goal, turns=context.arm.states.turns.at(start))
        return PlanRequest(context.new_name("plan"), goal, start, context.bridge.bodies)

    def keep(self, plan: Planned) -> PlanDescription:
        """Remember a plan, show it, and return its description."""
        context = self._context
        stamp = context.node.get_clock().now().nanoseconds
        notes = [] if self._has_volume() else [NO_VOLUME]
        frame = self._context.base
        description = description_message(plan, self._context.robot.joints, frame, stamp, notes)
        description.token = f"t{secrets.token_hex(4)}"
        context.ended = None  # what ended the last motion is no condition any more
        self._plans[plan.request.plan_id] = (plan, description)
        while len(self._plans) > KEPT:
            self._plans.pop(next(iter(self._plans)))
        self._described.publish(description)
        self._swept.publish(swept_markers(plan, frame))
        return description

    def plan_named(self, name: str) -> tuple[Planned, PlanDescription]:
        """Return a plan that is kept; the newest one for an empty name."""
        if not self._plans:
            raise InputError("There is no plan yet: call ~/plan first.")
        key = name or next(reversed(self._plans))
        if key not in self._plans:
            raise UnknownNameError("plan", key, self._plans)
        return self._plans[key]

    def _has_volume(self) -> bool:
        """Whether the payload's volume is known."""
        return bool(self._context.settings.payload_box or self._context.settings.payload_mesh)
