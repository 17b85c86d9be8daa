"""`~/identify`: one goal at a time, and its feedback."""

from __future__ import annotations

from payload_id_msgs.action import Identify
from rclpy.action.server import ServerGoalHandle

from ...core.errors import InputError, printable, shortened
from ..common.conversions import unsolved_message
from ..common.goal_end import end_goal
from ..execution.stop_reason import Reason, reason_message
from .arm_goal import ArmLease
from .context import PlannerContext
from .execute_messages import identify_feedback
from .identify_run import IdentifyRun
from .identifying.attached_object import AttachedObject
from .identifying.stages import NAMES
from .plan_server import PlanServer


class IdentifyServer:
    """Answers `~/identify` and `~/attach_payload`."""

    def __init__(self, context: PlannerContext, lease: ArmLease, plans: PlanServer) -> None:
        """Carry out no goal yet.

        Args:
            context: What all parts share.
            lease: Lets one goal have the arm.
            plans: Plans.
        """
        self._context, self._lease, self._plans = context, lease, plans
        settings, frame = context.settings, context.robot.payload_frame
        self._attached = AttachedObject(
            context.node, frame, settings.payload_box, settings.payload_box_centre
        )
        self._run: IdentifyRun | None = None

    @property
    def stage(self) -> str:
        """What the goal in progress is doing, in words; empty: there is none."""
        return "" if self._run is None else NAMES[self._run.stages.state]

    async def on_identify(self, handle: ServerGoalHandle) -> Identify.Result:
        """Carry out a goal, if the arm is free."""
        context, who = self._context, printable(shortened(handle.request.requested_by))
        what = f"a payload is identified for {who or 'somebody'}"
        try:
            with self._lease.taken(handle, what) as goal:
                self._run = IdentifyRun(context, goal, self._plans, context.estimator)
                result = await self._run.carry_out()
                self._run = None
        except InputError as error:
            result = Identify.Result(
                estimate=unsolved_message(context.robot.payload_frame),
                error_code=Identify.Result.ARM_NOT_READY,
                message=str(error),
                reason=reason_message(Reason.REFUSED),
                at_rest=context.arm.is_seen_at_rest(),
            )
        said = f"Identification ended ({result.error_code}): {result.message}"
        context.node.get_logger().info(said)
        end_goal(handle, result.success)
        return result

    def on_attach(self) -> str:
        """Attach the payload in MoveIt's planning scene; return a sentence."""
        return self._attached.publish(self._context.estimator.estimate)

    def on_tick(self) -> None:
        """Tell the goal in progress how far it is, and look whether its motion is to end."""
        run, goal, link = self._run, self._lease.goal, self._context.estimator
        if run is None:
            return
        run.watch()
        if goal is not None and goal.handle.is_active:
            goal.handle.publish_feedback(
                identify_feedback(
                    run.stages, run.progress.horizon, goal.following, link.estimate,
                    self._context.half_width(), run.progress.tightest,
                )
            )  # fmt: skip
