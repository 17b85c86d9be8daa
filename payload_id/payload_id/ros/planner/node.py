"""The planner: certified exciting motions on request, handed to the bridge, which moves the arm.

`PlanServer` plans in a process of its own, `ExecuteServer` has plans followed, `IdentifyServer`
does both from the check to the saved run, `ArmLease` lets one goal at a time have the arm; this
node has the services, actions and timers. It commands nothing.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from payload_id_msgs.action import Execute, Identify
from payload_id_msgs.action import Plan as PlanAction
from rclpy.action import ActionServer, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from std_srvs.srv import Trigger

from ...files.robots.robot_file import RobotFile
from ..common.diagnostics import Condition, Level
from ..common.goal_end import answering
from ..common.main_loop import run
from ..common.parameters import read_parameters
from ..common.shared_parameters import uncertainty_of
from ..common.steady_timer import steady_timer
from ..common.timeouts import FEEDBACK, LOOK, SENT
from ..execution.start_check import NotReadyError
from ..execution.stop_reason import Reason
from ..lifecycle.managed_node import ManagedNode
from .arm_goal import ArmLease
from .context import PlannerContext
from .execute_server import ExecuteServer
from .identify_server import IdentifyServer
from .parameters import PLANNER_TABLE, PlannerParameters
from .plan_server import PlanServer


@dataclass(frozen=True)
class Parts:
    """What a configured planner consists of."""

    shared: PlannerContext
    plans: PlanServer
    lease: ArmLease
    identify: IdentifyServer


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
        shared = PlannerContext(self, settings, self.robot, uncertainty)
        plans, lease = PlanServer(shared), ArmLease(shared)
        execute = ExecuteServer(shared, lease, plans)
        identify = IdentifyServer(shared, lease, plans)
        self._parts = Parts(shared, plans, lease, identify)
        self._serve(execute)
        steady_timer(self, LOOK, lambda: shared.arm.states.take(every=False))
        steady_timer(self, FEEDBACK, execute.on_feedback_due)
        steady_timer(self, FEEDBACK, identify.on_tick)
        signed = f"signed with {settings.signing_key}" if settings.signing_key else "not signed"
        self.get_logger().info(
            f"Planning for '{self.robot.name}' within the limits '{shared.limits}'; joint states "
            f"from {shared.arm.states.topic}, motions to {settings.bridge}; certificates are "
            f"{signed}."
        )

    def activate(self) -> None:
        """Look at the arm as it is from now on."""
        self._parts.shared.arm.states.forget()

    async def leave(self) -> None:
        """Have a moving arm stopped, and give up what is planned."""
        self._parts.lease.stop(Reason.SHUT_DOWN, "The planner was deactivated")
        self._parts.shared.process.give_up("The planner was deactivated meanwhile.")

    def deactivate(self) -> None:
        """Have an arm that still moves stopped."""
        if self._parts.lease.stop(Reason.SHUT_DOWN, ""):
            time.sleep(SENT)

    def _serve(self, execute: ExecuteServer) -> None:
        """Create all services and actions."""
        parts, group = self._parts, ReentrantCallbackGroup()
        for name, action in (
            ("~/stop", parts.lease.on_stop),
            ("~/pause", parts.lease.on_pause),
            ("~/resume", parts.lease.on_resume),
            ("~/attach_payload", parts.identify.on_attach),
        ):
            self.create_service(Trigger, name, answering(action), callback_group=group)
        for kind, name, carry_out in (
            (PlanAction, "~/plan", parts.plans.on_plan),
            (Execute, "~/execute", execute.on_execute),
            (Identify, "~/identify", parts.identify.on_identify),
        ):
            ActionServer(
                self, kind, name, self.counted(carry_out),
                goal_callback=lambda goal: GoalResponse.ACCEPT,  # results say what is wrong
                cancel_callback=parts.lease.on_cancel,
                callback_group=group,
            )  # fmt: skip

    def condition(self) -> Condition:
        """Judge the planner: the first thing that is to be said counts."""
        parts = self._parts
        following = None if parts.lease.goal is None else parts.lease.goal.following
        figures = {
            "phase": "idle" if following is None else following.told.phase,
            "plans": len(parts.plans),
            "obstacles": len(parts.shared.bridge.bodies),
            "joint states silent [s]": parts.shared.arm.states.silence,
            "planning process": "runs" if parts.shared.process.alive else "ended",
            "identifying": parts.identify.stage or "no",
            **parts.shared.stated,
        }
        return Condition.of(figures, *self._remarks(parts.shared))

    def _remarks(self, shared: PlannerContext) -> Iterator[tuple[Level, str]]:
        """Yield what there may be to say, the most important first; empty texts: nothing."""
        fault, ended, state = shared.fault, shared.ended, shared.bridge.state
        yield Level.ERROR, fault and f"The bridge waits for ~/acknowledge. {fault}"
        yield Level.OK, shared.in_use and f"Busy: {shared.in_use}."
        if ended is not None and not ended.reason.as_asked:
            yield Level.WARN, f"{ended.reason.name}: {ended.message}"
        yield Level.WARN, said_by(shared.arm.check_alive)
        yield Level.WARN, shared.bridge.absence
        yield Level.WARN, state.doubt and f"The bridge says: {state.doubt}" if state else ""
        yield Level.WARN, shared.estimator.absence
        yield Level.OK, "" if shared.process.is_warm else "The planning process is starting."
        yield Level.WARN, shared.disagreement
        yield Level.WARN, shared.arm.clock_doubt()
        yield Level.OK, "Ready."


def said_by(check: Callable[[], object]) -> str:
    """Return what a check says where it fails; empty: it does not."""
    try:
        check()
    except NotReadyError as error:
        return str(error)
    return ""


def main(args: Sequence[str] | None = None) -> int:
    """Run the planner until SIGINT or SIGTERM; returns the exit code."""
    return run([PlannerNode], args)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
