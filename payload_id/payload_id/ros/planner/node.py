"""The planner: certified exciting motions on request, executed under watch.

`PlanServer` plans in a process of its own, `ExecuteServer` moves the arm and watches it,
`IdentifyServer` does both in receding horizon, `ObstacleServer` knows what is in the way; this node
has the services, actions and timers. Only certified motion leaves it.
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
from payload_id_msgs.srv import Acknowledge, Describe, Plan, SetObstacles
from rclpy.action import ActionServer, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from std_msgs.msg import Float64
from std_srvs.srv import Trigger

from ...files.robots.robot_file import RobotFile
from ..common.diagnostics import Condition, Level, publish_diagnostics
from ..common.main_loop import run
from ..common.parameters import read_parameters
from ..common.shared_parameters import disagreement, stated_figures, uncertainty_of
from ..common.steady_timer import steady_timer
from ..common.topics import LATCHED
from ..execution.back_ends.joint_trajectory_topic import JointTrajectoryTopic
from ..execution.controller_watch import ControllerWatch
from ..execution.speed_slider import SpeedSlider
from ..execution.start_check import NotReadyError
from ..execution.stop_reason import Reason, sentence
from .context import PlannerContext
from .execute_server import ExecuteServer
from .identify_server import IdentifyServer
from .obstacle_server import ObstacleServer
from .parameters import PLANNER_TABLE, PlannerParameters
from .pause_server import PauseServer
from .plan_server import PlanServer

FEEDBACK_PERIOD = 0.1  # [s]
PARTING = 0.2  # [s] that a last command is given to reach the arm's controller


class PlannerNode(Node):
    """Plans, describes and executes certified motions.

    Serves `~/plan` (service and action), `~/describe`, `~/set_obstacles`, `~/stop`,
    `~/pause`, `~/resume`, `~/acknowledge`, and the actions `~/execute` and `~/identify`; hears
    joint states, estimates and `~/obstacles`; publishes trajectories, markers and /diagnostics.

    Attributes:
        robot: The robot file.
    """

    def __init__(self, **options: Any) -> None:
        """Read parameters and robot file, and start the planning process.

        Args:
            options: Arguments of rclpy's Node, such as parameter_overrides.

        Raises:
            PayloadIdError: A parameter or a file cannot be used.
        """
        super().__init__(
            "payload_planner", automatically_declare_parameters_from_overrides=True, **options
        )
        values = read_parameters(self, PLANNER_TABLE)
        settings = PlannerParameters.of(values)
        self.robot = RobotFile.load(settings.robot_file)
        uncertainty = uncertainty_of(values, self.robot.uncertainty)
        self._shared = PlannerContext(self, settings, self.robot, uncertainty)
        self._plans = PlanServer(self._shared)
        topic = settings.trajectory_topic or self.robot.command.trajectory_topic
        back_end = JointTrajectoryTopic(self, topic, self.robot.joints)
        self._slider = SpeedSlider(settings.speed_scaling_topic)
        self._controller = ControllerWatch(
            self, settings.controller_manager, back_end.target, self.robot.joints
        )
        self._motion = ExecuteServer(
            self._shared, self._plans, back_end, self._slider, self._controller
        )
        self._pause = PauseServer(self._shared, self._motion)
        self._identify = IdentifyServer(self._shared, self._motion)
        self._obstacles = ObstacleServer(self._shared, self._motion.stop)
        self.create_subscription(
            PayloadEstimate, f"{settings.estimator}/payload", self._on_estimate, LATCHED
        )
        self._stated = stated_figures(self.robot, uncertainty.prior)
        self.create_subscription(
            DiagnosticStatus, f"{settings.estimator}/condition", self._on_condition, LATCHED
        )
        if settings.speed_scaling_topic:
            self.create_subscription(
                Float64, settings.speed_scaling_topic, self._on_slider, qos_profile_sensor_data
            )
        self._serve()
        steady_timer(self, settings.watch_period, self._on_watch_due)
        steady_timer(self, FEEDBACK_PERIOD, self._motion.on_feedback_due)
        publish_diagnostics(self, "motion", self.robot.name, self._condition)
        signed = f"signed with {settings.signing_key}" if settings.signing_key else "not signed"
        self.get_logger().info(
            f"Planning for '{self.robot.name}' within the limits '{self._shared.limits}'; joint "
            f"states from {self._shared.arm.topic}, trajectories to {back_end.target}; "
            f"certificates are {signed}."
        )

    def close(self) -> None:
        """Stop a moving arm, and end the planning process."""
        if self._motion.stop(Reason.SHUT_DOWN, ""):
            time.sleep(PARTING)
        self._shared.process.close()

    def _serve(self) -> None:
        """Create all services and actions."""
        group = ReentrantCallbackGroup()
        for kind, name, callback in (
            (Plan, "~/plan", self._plans.on_plan),
            (Describe, "~/describe", self._plans.on_describe),
            (SetObstacles, "~/set_obstacles", self._obstacles.on_set_obstacles),
            (Trigger, "~/stop", self._motion.on_stop),
            (Trigger, "~/pause", self._pause.on_pause),
            (Trigger, "~/resume", self._pause.on_resume),
            (Acknowledge, "~/acknowledge", self._motion.on_acknowledge),
        ):
            self.create_service(kind, name, callback, callback_group=group)
        self._actions = [
            ActionServer(
                self, kind, name, execute,
                goal_callback=lambda goal: GoalResponse.ACCEPT,
                cancel_callback=self._motion.on_cancel,
                callback_group=group,
            )
            for kind, name, execute in (
                (PlanAction, "~/plan", self._plans.on_plan_goal),
                (Execute, "~/execute", self._motion.on_execute),
                (Identify, "~/identify", self._identify.on_identify),
            )
        ]  # fmt: skip

    def _on_watch_due(self) -> None:
        """Pass on the planning process's answers, and look at the arm."""
        self._shared.answers.pass_on()
        self._shared.note_turns()
        self._motion.on_watch_due()

    def _on_slider(self, message: Float64) -> None:
        """Take in where the pendant's slider is [%]."""
        self._slider.hear(message.data, 1e-9 * self._shared.arm.now_ns)

    def _on_estimate(self, message: PayloadEstimate) -> None:
        """Take in an estimate."""
        self._shared.estimate = message
        self._motion.hear(message)

    def _on_condition(self, message: DiagnosticStatus) -> None:
        """Compare what the estimator rests on with what this node does."""
        before = self._shared.disagreement
        figures = {x.key: x.value for x in message.values}
        who = f"The estimator ({self._shared.settings.estimator})"
        self._shared.disagreement = disagreement(self._stated, figures, who)
        if self._shared.disagreement not in ("", before):
            self.get_logger().warning(self._shared.disagreement)

    def _condition(self) -> Condition:
        """Judge the planner."""
        execution = self._motion.execution
        figures = {
            "phase": "idle" if execution is None else execution.phase.value,
            "tube use [-]": 0.0 if execution is None else execution.watch.use,
            "largest tube use [-]": 0.0 if execution is None else execution.watch.largest_use,
            "speed slider [%]": self._slider.percent,
            "controller": self._controller.words(),
            "plans": len(self._plans),
            "obstacles": len(self._shared.obstacles.bodies),
            "joint states silent [s]": self._shared.arm.silence,
            "planning process": "runs" if self._shared.process.alive else "ended",
            **self._stated,
        }
        if self._shared.fault:
            return Condition(
                Level.ERROR, f"Waiting for ~/acknowledge. {self._shared.fault}", figures
            )
        if self._shared.busy:
            return Condition(Level.OK, f"Busy: {self._shared.busy}.", figures)
        if self._motion.ended is not None and not self._motion.ended[0].as_asked:
            reason, detail = self._motion.ended
            level = Level.WARN if reason is Reason.CANCELLED else Level.ERROR
            return Condition(level, f"{reason.name}: {sentence(reason, detail)}", figures)
        try:
            self._shared.check_alive()
        except NotReadyError as error:
            return Condition(Level.WARN, str(error), figures)
        if not self._shared.is_warm:
            return Condition(Level.OK, "The planning process is starting.", figures)
        if self._shared.disagreement:
            return Condition(Level.WARN, self._shared.disagreement, figures)
        return Condition(Level.OK, "Ready.", figures)


def main(args: Sequence[str] | None = None) -> int:
    """Run the planner until SIGINT or SIGTERM; returns the exit code."""
    return run([PlannerNode], args)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
