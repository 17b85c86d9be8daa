"""The planner: certified exciting motions on request, handed to the bridge, which moves the arm.

`PlanServer` plans in a process of its own, `ExecuteServer` has plans followed, `IdentifyServer`
does both from the check to the saved run, `ArmLease` lets one goal at a time have the arm; this
node has the services, actions and timers. It commands nothing.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from payload_id_msgs.action import Execute, Identify
from payload_id_msgs.action import Plan as PlanAction
from payload_id_msgs.msg import PayloadEstimate
from rclpy.action import ActionServer, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from std_srvs.srv import Trigger

from ...files.robots.robot_file import RobotFile
from ..common.diagnostics import Condition, Level
from ..common.main_loop import run
from ..common.parameters import read_parameters
from ..common.shared_parameters import disagreement, stated_figures, uncertainty_of
from ..common.steady_timer import steady_timer
from ..common.throttled_log import ThrottledLog
from ..common.topics import LATCHED
from ..execution.start_check import NotReadyError
from ..execution.stop_reason import Reason
from ..lifecycle.managed_node import ManagedNode
from .arm_goal import ArmLease
from .bridge_client import Ended
from .context import PlannerContext
from .execute_server import ExecuteServer
from .identify_server import IdentifyServer
from .parameters import PLANNER_TABLE, PlannerParameters
from .plan_server import PlanServer

FEEDBACK_PERIOD = 0.1  # [s]
WATCH_PERIOD = 0.05  # [s]
PARTING = 0.2  # [s] that a last request is given to reach the bridge


class PlannerNode(ManagedNode):
    """Plans certified motions, and has the bridge follow them.

    Serves the actions `~/plan`, `~/execute` and `~/identify`, `~/stop`, `~/pause` and `~/resume`;
    hears joint states, estimates and the bridge; publishes markers and /diagnostics.

    Attributes:
        robot: The robot file.
    """

    def __init__(self, **options: Any) -> None:
        """Make the node; options are arguments of rclpy's Node, such as parameter_overrides."""
        super().__init__("payload_planner", PLANNER_TABLE, "motion", **options)

    def configure(self) -> None:
        """Read parameters and robot file, and start the planning process.

        Raises:
            PayloadIdError: A parameter or a file cannot be used.
        """
        values = read_parameters(self, PLANNER_TABLE)
        settings = PlannerParameters.of(values)
        self.robot = RobotFile.load(settings.robot_file)
        uncertainty = uncertainty_of(values, self.robot.uncertainty)
        self._shared = PlannerContext(self, settings, self.robot, uncertainty)
        self._log = ThrottledLog(self)
        self._ended: Ended | None = None  # of the last motion, and the plans until then
        self._kept = 0
        self._plans = PlanServer(self._shared)
        self._lease = ArmLease(self._shared)
        self._execute = ExecuteServer(self._shared, self._lease, self._plans)
        self._identify = IdentifyServer(self._shared, self._lease, self._plans)
        self.create_subscription(
            PayloadEstimate, f"{settings.estimator}/payload", self._on_estimate, LATCHED
        )
        self._stated = stated_figures(self.robot, uncertainty.prior)
        self._shared.estimator.told = self._on_condition
        self._serve()
        steady_timer(self, WATCH_PERIOD, self._on_watch_due)
        steady_timer(self, FEEDBACK_PERIOD, self._execute.on_feedback_due)
        steady_timer(self, FEEDBACK_PERIOD, self._identify.on_tick)
        signed = f"signed with {settings.signing_key}" if settings.signing_key else "not signed"
        self.get_logger().info(
            f"Planning for '{self.robot.name}' within the limits '{self._shared.limits}'; joint "
            f"states from {self._shared.arm.states.topic}, motions to {settings.bridge}; "
            f"certificates are {signed}."
        )

    def activate(self) -> None:
        """Look at the arm as it is from now on."""
        self._shared.arm.states.forget()

    async def leave(self) -> None:
        """Have a moving arm stopped, and give up what is planned."""
        self._lease.stop(Reason.SHUT_DOWN, "The planner was deactivated")
        self._shared.process.give_up("The planner was deactivated meanwhile.")

    def deactivate(self) -> None:
        """Have an arm that still moves stopped."""
        if self._lease.stop(Reason.SHUT_DOWN, ""):
            time.sleep(PARTING)

    def _serve(self) -> None:
        """Create all services and actions."""
        group = ReentrantCallbackGroup()
        for kind, name, callback in (
            (Trigger, "~/stop", self._lease.on_stop),
            (Trigger, "~/pause", self._lease.on_pause),
            (Trigger, "~/resume", self._lease.on_resume),
            (Trigger, "~/attach_payload", self._identify.on_attach),
        ):
            self.create_service(kind, name, callback, callback_group=group)
        self._actions = [
            ActionServer(
                self, kind, name, self.counted(execute),
                goal_callback=lambda goal: GoalResponse.ACCEPT,  # results say what is wrong
                cancel_callback=self._lease.on_cancel,
                callback_group=group,
            )
            for kind, name, execute in (
                (PlanAction, "~/plan", self._plans.on_plan),
                (Execute, "~/execute", self._execute.on_execute),
                (Identify, "~/identify", self._identify.on_identify),
            )
        ]  # fmt: skip

    def _on_watch_due(self) -> None:
        """Pass on the planning process's answers, and take in joint states."""
        self._shared.answers.pass_on()
        self._shared.arm.states.take(every=False)

    def _on_estimate(self, message: PayloadEstimate) -> None:
        """Take in an estimate, unless it is of another frame and so of nobody this node knows."""
        frame = self.robot.payload_frame
        if message.header.frame_id not in ("", frame):
            self._log.warn(
                "estimate",
                f"An estimate in the frame {message.header.frame_id[:80]!r} is not used: the robot "
                f"file's payload frame is '{frame}'. Who publishes on the estimator's topic?",
            )
            return
        self._shared.estimate = message
        self._identify.hear(message)

    def _on_condition(self, message: DiagnosticStatus) -> None:
        """Compare what the estimator rests on with what this node does."""
        self._identify.hear_condition(message)
        before = self._shared.disagreement
        figures = {x.key: x.value for x in message.values}
        who = f"The estimator ({self._shared.settings.estimator})"
        self._shared.disagreement = disagreement(self._stated, figures, who)
        if self._shared.disagreement not in ("", before):
            self.get_logger().warning(self._shared.disagreement)

    def condition(self) -> Condition:
        """Judge the planner."""
        following = None if self._lease.goal is None else self._lease.goal.following
        figures = {
            "phase": "idle" if following is None else following.told.phase,
            "plans": len(self._plans),
            "obstacles": len(self._shared.bridge.bodies),
            "joint states silent [s]": self._shared.arm.states.silence,
            "planning process": "runs" if self._shared.process.alive else "ended",
            "identifying": self._identify.stage or "no",
            **self._stated,
        }
        if self._shared.fault:
            return Condition(
                Level.ERROR, f"The bridge waits for ~/acknowledge. {self._shared.fault}", figures
            )
        if use := self._shared.in_use:
            return Condition(Level.OK, f"Busy: {use}.", figures)
        if self._shared.ended is not self._ended:
            self._ended, self._kept = self._shared.ended, self._plans.kept
        # What ended the last motion is no condition any more once another one was planned.
        planned = self._plans.kept > self._kept
        if (ended := self._ended) is not None and not ended.reason.as_asked and not planned:
            return Condition(Level.WARN, f"{ended.reason.name}: {ended.message}", figures)
        try:
            self._shared.arm.check_alive()
        except NotReadyError as error:
            return Condition(Level.WARN, str(error), figures)
        if absence := self._shared.bridge.absence:
            return Condition(Level.WARN, absence, figures)
        state = self._shared.bridge.state
        if state is not None and state.doubt:
            return Condition(Level.WARN, f"The bridge says: {state.doubt}", figures)
        if absence := self._shared.estimator.absence:
            return Condition(Level.WARN, absence, figures)
        if not self._shared.is_warm:
            return Condition(Level.OK, "The planning process is starting.", figures)
        if self._shared.disagreement:
            return Condition(Level.WARN, self._shared.disagreement, figures)
        if doubt := self._shared.arm.clock_doubt():
            return Condition(Level.WARN, doubt, figures)
        return Condition(Level.OK, "Ready.", figures)


def main(args: Sequence[str] | None = None) -> int:
    """Run the planner until SIGINT or SIGTERM; returns the exit code."""
    return run([PlannerNode], args)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
