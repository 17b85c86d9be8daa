"""The bridge: between whoever plans motions and the arm, and the only one that commands it.

`FollowServer` has motions proved, moves the arm and watches it, `ObstacleServer` knows what is in
the way; this node has the services, the action and the timers. It takes no motion on trust: each is
proved anew, with this node's robot file, cell, bounds and obstacles.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from payload_id_msgs.action import Follow
from payload_id_msgs.srv import Acknowledge, SetObstacles
from rclpy.action import ActionServer, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from std_srvs.srv import Trigger

from ...core.errors import ConfigurationError
from ...files.drivers.driver_facts import namespace_of
from ...files.robots.robot_file import RobotFile
from ..access.interfaces import action_beside
from ..common.diagnostics import Condition, Level
from ..common.main_loop import run
from ..common.parameters import read_parameters
from ..common.shared_parameters import uncertainty_of
from ..common.steady_timer import steady_timer
from ..common.timeouts import FEEDBACK, SENT
from ..common.topics import JOINT_STATES, controller_topic
from ..effort_loop.messages import LoopSettings
from ..execution.arm_parameters import EFFORT, TEAM
from ..execution.back_ends.back_end import BackEnd
from ..execution.back_ends.effort import Effort, check_executes_torques, full_name_of
from ..execution.back_ends.follow_joint_trajectory import FollowJointTrajectory
from ..execution.back_ends.team_topics import TeamTopics
from ..execution.machine import State
from ..execution.monitors import Phase
from ..execution.start_check import NotReadyError
from ..execution.stop_reason import Reason, sentence
from ..lifecycle.managed_node import ManagedNode
from ..supervision.controller_manager import manager_of
from .context import BridgeContext
from .follow_server import FollowServer
from .obstacle_server import ObstacleServer
from .parameters import BRIDGE_TABLE, BridgeParameters
from .sources import Sources
from .state_publisher import StatePublisher

IDLE_PERIOD = 0.05  # [s] between two looks at an arm that nobody moves


class BridgeNode(ManagedNode):
    """Proves certified motions anew, and has the arm follow them.

    Serves the action `~/follow`, `~/set_obstacles`, `~/stop` and `~/acknowledge`; hears joint
    states, estimates and `~/obstacles`; publishes commands, `~/state`, markers and /diagnostics.

    Attributes:
        robot: The robot file.
    """

    def __init__(self, **options: Any) -> None:
        """Make the node; options are arguments of rclpy's Node, such as parameter_overrides."""
        super().__init__("payload_bridge", BRIDGE_TABLE, "motion", **options)

    def configure(self) -> None:
        """Read parameters and robot file, and start the proving process.

        Raises:
            PayloadIdError: A parameter or a file cannot be used.
        """
        values = read_parameters(self, BRIDGE_TABLE)
        settings = BridgeParameters.of(values)
        robot = RobotFile.load(settings.robot_file)
        # Of the arm's driver: where its controller is.
        space = namespace_of(controller_topic(self, robot), robot.command.trajectory_topic)
        self.robot = replace(robot, driver=robot.driver.within(space))
        uncertainty = uncertainty_of(values, self.robot.uncertainty)
        self._shared = BridgeContext(self, settings, self.robot, uncertainty)
        back_end = self._back_end(settings)
        self.resources.callback(back_end.close)
        manager = manager_of(self.robot, settings.controller_manager)
        by_torques = settings.back_end == EFFORT
        topic = controller_topic(self, self.robot) if by_torques else back_end.target
        slider = self.robot.driver.speed_scaling_topic or ""
        partner = settings.effort_controller if by_torques else None
        self._sources = Sources(self._shared, back_end, manager, topic, slider, partner)
        self._state = StatePublisher(self._shared, self._sources)
        self._motion = FollowServer(self._shared, back_end, self._sources, self._state)
        obstacles = ObstacleServer(self._shared, lambda: self._state.publish(self._motion.state))
        self._serve(obstacles)
        self._watch = steady_timer(self, settings.watch_period, self._on_watch_due)
        steady_timer(self, FEEDBACK, self._motion.on_feedback_due)
        self.get_logger().info(
            f"Bridge to '{self.robot.name}'; joint states from {self._shared.arm.states.topic}, "
            f"trajectories to {back_end.target}."
        )

    def _back_end(self, settings: BridgeParameters) -> BackEnd:
        """Return what moves the arm."""
        joints, topic = self.robot.joints, controller_topic(self, self.robot)
        if settings.back_end == EFFORT:
            return Effort(self, self._loop_settings(settings, topic))
        if settings.back_end == TEAM:
            states = self._shared.arm.states
            team = TeamTopics(self, settings.team_robot, joints, lambda: states.now_ns)
            _check_same_robot(states.topic, team.target)
            return team
        return FollowJointTrajectory(
            self, action_beside(topic), topic, joints, settings.settling, self.robot.driver.goal
        )

    def _loop_settings(self, settings: BridgeParameters, topic: str) -> LoopSettings:
        """Return what the torque loop needs to know; `topic` is that of trajectories.

        Raises:
            ConfigurationError: The arm does not execute torques, as far as its robot file says.
        """
        robot, trajectories = self.robot, PurePosixPath(topic)
        check_executes_torques(robot)
        source = robot.joint_states
        commands = trajectories.parent.parent / settings.effort_controller / "commands"
        return LoopSettings(
            node=f"{self.get_name()}_torques",
            namespace=self.get_namespace(),
            robot_file=str(robot.path),
            joint_states=self.resolve_topic_name(JOINT_STATES),
            reliable=(settings.reliability or source.reliability) == "reliable",
            commands=str(commands),
            manager=full_name_of(self, manager_of(robot, settings.controller_manager)),
            torque_controller=settings.effort_controller,
            resting_controller=trajectories.parent.name,
            period=robot.control.effort_period,
            silence=settings.silence,
        )

    def activate(self) -> None:
        """Look at the arm as it is from now on: others may have moved it meanwhile."""
        self._shared.arm.states.forget()
        self._shared.holding = None

    async def leave(self) -> None:
        """Bring a moving arm to rest by its certified stop."""
        self._motion.stop(Reason.SHUT_DOWN, "The bridge was deactivated")

    def deactivate(self) -> None:
        """Stop an arm that still moves, and say that nothing moves from now on."""
        if self._motion.stop(Reason.SHUT_DOWN, "The bridge was ended"):
            self._motion.on_cycle()
            time.sleep(SENT)
        self._state.publish(self._motion.state)

    def _serve(self, obstacles: ObstacleServer) -> None:
        """Create the services and the action."""
        group = ReentrantCallbackGroup()
        for kind, name, callback in (
            (SetObstacles, "~/set_obstacles", obstacles.on_set_obstacles),
            (Trigger, "~/stop", self._motion.on_stop),
            (Acknowledge, "~/acknowledge", self._motion.on_acknowledge),
        ):
            self.create_service(kind, name, callback, callback_group=group)
        ActionServer(
            self, Follow, "~/follow", self.counted(self._motion.on_follow),
            goal_callback=lambda goal: GoalResponse.ACCEPT,
            cancel_callback=self._motion.on_cancel,
            callback_group=group,
        )  # fmt: skip

    def _on_watch_due(self) -> None:
        """Look at the arm, less often while idle."""
        self._motion.on_cycle()
        idle = self._motion.state.phase is Phase.IDLE
        period = max(IDLE_PERIOD if idle else 0.0, self._shared.settings.watch_period)
        if self._watch.timer_period_ns != (wanted := round(1e9 * period)):
            self._watch.timer_period_ns = wanted

    def condition(self) -> Condition:
        """Judge the bridge."""
        state, shared = self._motion.state, self._shared
        self._sources.look_around()
        figures = {
            "phase": state.phase.value,
            "tube use [-]": state.use,
            "largest tube use [-]": state.largest_use,
            "speed slider [%]": self._sources.slider,
            "controller": self._sources.manager.words(),
            **self._sources.back_end.figures(),
            "not watched": "; ".join(self._sources.unwatched) or "nothing",
            "obstacles": len(shared.obstacles.bodies),
            "proof process": "runs" if shared.process.alive else "ended",
        }
        return Condition.of(figures, *self._judgements(state))

    def _judgements(self, state: State) -> tuple[tuple[Level, str], ...]:
        """Return what may be said of the bridge, the first first; empty: that is not so."""
        shared, fault, doubt = self._shared, self._shared.fault, self._sources.back_end.doubt()
        waits = "" if shared.process.is_warm else "The proof process is starting."
        dry = f"Ready. {shared.forbidden}." if shared.settings.dry_run else ""
        return (
            (Level.ERROR, fault and f"Nothing moves until ~/acknowledge is called: {fault}"),
            (Level.WARN, doubt and f"{doubt}."),
            (Level.OK, self._motion.in_use),
            (Level.WARN, self._unasked_end(state)),
            (Level.WARN, self._unusable()),
            (Level.WARN, shared.estimator.absence),
            (Level.WARN, shared.arm.clock_doubt()),
            (Level.OK, waits or dry or "Ready."),
        )

    def _unasked_end(self, state: State) -> str:
        """Say why the last motion ended otherwise than asked; a fault is one until acknowledged."""
        reason, detail = state.ended
        is_one = state.begun and not reason.as_asked
        return f"{reason.name}: {sentence(reason, detail)}" if is_one else ""

    def _unusable(self) -> str:
        """Say why no motion could begin now; empty if one could."""
        try:
            self._shared.check_usable()
            self._shared.arm.check_alive()
        except NotReadyError as error:
            return str(error)
        doubt = self._shared.obstacle_doubt
        return f"{doubt}. Nothing moves until they can be used." if doubt else ""


def _check_same_robot(topic: str, robot: str) -> None:
    """Raise if joint states in a robot's namespace go with set-points for another robot.

    Args:
        topic: Full name of the topic of joint states.
        robot: Full name of the namespace of the set-points.

    Raises:
        ConfigurationError: They do.
    """
    space = topic.rpartition("/")[0]
    if not (f"{robot}/".startswith(f"{space}/") or f"{space}/".startswith(f"{robot}/")):
        raise ConfigurationError(
            f"Joint states come from {topic}, but set-points would go to {robot}: the wrong robot "
            "would move. Set team_robot, and remap joint_states, to one robot."
        )


def main(args: Sequence[str] | None = None) -> int:
    """Run the bridge until SIGINT or SIGTERM; returns the exit code."""
    return run([BridgeNode], args)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
