"""`~/identify`: one goal at a time, its feedback, and why others were rejected."""

from __future__ import annotations

import time

from diagnostic_msgs.msg import DiagnosticStatus
from payload_id_msgs.action import Identify
from payload_id_msgs.msg import PayloadEstimate
from rclpy.action import GoalResponse
from rclpy.action.server import ServerGoalHandle
from std_msgs.msg import String
from std_srvs.srv import Trigger

from ...core.errors import InputError, printable, shortened
from ..common.goal_end import end_goal
from ..common.topics import LATCHED
from .context import PlannerContext
from .execute_messages import identify_feedback
from .execute_server import ExecuteServer
from .identify_run import IdentifyRun
from .identifying.attached_object import AttachedObject
from .identifying.estimator_link import EstimatorLink
from .identifying.stages import NAMES
from .plan_server import PlanServer

BEGUN = 5.0  # [s] from the acceptance of a goal until it is carried out, at most


class IdentifyServer:
    """Answers `~/identify` and `~/attach_payload`.

    Attributes:
        refusal: Why the newest goal that was rejected was; empty: none was.
    """

    def __init__(self, context: PlannerContext, motion: ExecuteServer, plans: PlanServer) -> None:
        """Note who moves the arm, and find the estimator.

        Args:
            context: What all parts share.
            motion: Moves the arm and watches it.
            plans: Plans.
        """
        self._context, self._motion, self._plans = context, motion, plans
        self._link = EstimatorLink(context.node, context.settings.estimator)
        settings, frame = context.settings, context.robot.payload_frame
        self._attached = AttachedObject(
            context.node, frame, settings.payload_box, settings.payload_box_centre
        )
        self._refusals = context.node.create_publisher(String, "~/refusal", LATCHED)
        self._run: IdentifyRun | None = None
        self._handle: ServerGoalHandle | None = None
        self._accepted = float("-inf")  # when a goal was, that has not begun yet
        self.refusal = ""

    @property
    def stage(self) -> str:
        """What the goal in progress is doing, in words; empty: there is none."""
        return "" if self._run is None else NAMES[self._run.stages.state]

    def on_goal(self, goal: Identify.Goal) -> GoalResponse:
        """Accept a goal if the arm is free; a rejection has no text, so it is said elsewhere."""
        use = self._context.reserved or self._context.busy
        if not use and time.monotonic() - self._accepted < BEGUN:
            use = "a goal of ~/identify begins"
        why = self._context.node.inactivity
        if use and not why:
            stage = f" ({self.stage})" if self.stage else ""
            why = f"The arm is in use: {use}{stage}. Wait for its end, or call ~/stop."
        if not why:
            self._accepted = time.monotonic()
            return GoalResponse.ACCEPT
        who = printable(shortened(goal.requested_by)) or "somebody"
        self.refusal = f"A goal of ~/identify, asked for by {who}, was rejected. {why}"
        self._context.node.get_logger().warning(self.refusal)
        self._refusals.publish(String(data=self.refusal))
        return GoalResponse.REJECT

    async def on_identify(self, handle: ServerGoalHandle) -> Identify.Result:
        """Carry out a goal."""
        context, who = self._context, printable(shortened(handle.request.requested_by))
        context.reserved = f"a payload is identified for {who or 'somebody'}"
        self._accepted, self._handle = float("-inf"), handle
        run = self._run = IdentifyRun(context, self._motion, self._plans, self._link, handle)
        try:
            result = await run.carry_out()
        finally:
            self._run, self._handle, context.reserved = None, None, ""
        said = f"Identification ended ({result.error_code}): {result.message}"
        context.node.get_logger().info(said)
        end_goal(handle, result.success)
        return result

    def on_attach(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Attach the payload in MoveIt's planning scene."""
        try:
            response.message = self._attached.publish(self._link.estimate)
        except InputError as error:
            response.message = str(error)
            return response
        response.success = True
        return response

    def hear(self, estimate: PayloadEstimate) -> None:
        """Take in an estimate."""
        self._link.hear(estimate)

    def hear_condition(self, message: DiagnosticStatus) -> None:
        """Take in how the estimator is."""
        self._link.hear_condition(message)

    def on_tick(self) -> None:
        """Tell the goal in progress how far it is, and look whether its motion is to end."""
        self._link.look()
        run = self._run
        if run is None:
            return
        run.watch()
        if self._handle is not None and self._handle.is_active:
            moves = self._context.busy != ""
            self._handle.publish_feedback(
                identify_feedback(
                    run.stages, run.horizon, self._motion.followed if moves else None,
                    self._link.estimate, self._context.half_width(), run.tightest,
                )
            )  # fmt: skip
