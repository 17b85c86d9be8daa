"""The planner: certified exciting motions on request, executed under watch.

What it does is spread over modules without ROS: `planning_worker` plans and certifies in a process
of its own, `motion_execution` follows one motion, `horizon_execution` a receding horizon. This node
connects them with topics, services and actions. Only certified motion leaves it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import datetime
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from payload_id_msgs.action import Execute, Identify
from payload_id_msgs.action import Plan as PlanAction
from payload_id_msgs.msg import ExcitationGoal, ObstacleArray, PayloadEstimate, PlanDescription
from payload_id_msgs.srv import Describe, Plan, SetObstacles
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.task import Future as RosFuture
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory
from visualization_msgs.msg import MarkerArray

from ..core.errors import InputError, UnknownNameError
from ..core.excitation.receding_horizon import Settings as HorizonSettings
from ..core.excitation.state import State
from ..core.excitation.trajectory import Motion
from ..core.inertial import Array
from ..core.safety.certified_motion import CertifiedMotion
from ..files.robot_file import RobotFile
from ..files.robot_model import RobotModel
from .arm_feed import ArmFeed
from .diagnostics import Condition, Level, diagnostics_message
from .horizon_execution import HorizonExecution
from .joint_trajectory_message import message_of_points
from .main_loop import run
from .motion_execution import MotionExecution, Phase, Timing
from .obstacle_messages import base_frames, obstacles_from
from .obstacle_store import ObstacleStore
from .parameters import read_parameters
from .plan_messages import (
    description_message,
    estimate_intervals,
    goal_from,
    is_usable,
    obstacle_markers,
    swept_markers,
)
from .planner_parameters import PLANNER_TABLE, PlannerParameters, uncertainty_of
from .planner_setup import planning_settings
from .planning_process import Failure, PlanningProcess
from .planning_request import Goal, PieceRequest, Planned, PlanRequest, Refused
from .planning_worker import make_worker
from .sampler_node import LATCHED
from .start_check import NotReadyError, check_limits, check_place, check_rest, start_of
from .stop_reason import Reason, reason_message, sentence
from .topic_report import silence_report

KEPT = 10  # plans that can still be executed
MANY = 100_000  # pieces: no bound
FEEDBACK_PERIOD = 0.1  # [s]
DIAGNOSTICS_PERIOD = 1.0  # [s]
FRESH = 1.0  # [s] age of joint states with which a plan may begin


class PlannerNode(Node):
    """Plans, describes and executes certified motions.

    Serves `~/plan` (service and action), `~/describe`, `~/set_obstacles`, `~/stop`, and the actions
    `~/execute` and `~/identify`; hears joint states, estimates and `~/obstacles`; publishes
    trajectories, markers and /diagnostics.

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
        self._settings = settings = PlannerParameters.of(values)
        self.robot = RobotFile.load(settings.robot_file)
        self._uncertainty = uncertainty_of(values, self.robot.uncertainty)
        model = RobotModel.from_robot_file(self.robot)
        self._continuous = model.continuous
        self._frames = base_frames(self.robot.urdf, model)
        self._tube = self.robot.control.stated_tube()
        self._limits = settings.limits or self.robot.limits.name
        self.robot.limits_named(self._limits)
        self._obstacles = ObstacleStore()
        self._plans: dict[str, tuple[Planned, PlanDescription, tuple[str, ...]]] = {}
        self._estimate: PayloadEstimate | None = None
        self._execution: MotionExecution | None = None
        self._horizon: HorizonExecution | None = None
        self._holding: Array | None = None
        self._ended: tuple[Reason, str] | None = None
        self._asked: list[tuple[Future[Any], RosFuture]] = []
        self._finished: RosFuture | None = None
        self._goal: ServerGoalHandle | None = None
        self._busy = ""
        self._count = 0
        self._process = PlanningProcess(
            make_worker, planning_settings(settings, self.robot, self._uncertainty)
        )
        self._arm = ArmFeed(self, self.robot, settings.joint_states_topic, settings.reliability)
        self._open_topics()
        self._serve()
        wall = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(settings.watch_period, self._on_watch_due, clock=wall)
        self.create_timer(FEEDBACK_PERIOD, self._on_feedback_due, clock=wall)
        self.create_timer(DIAGNOSTICS_PERIOD, self._on_diagnostics_due, clock=wall)
        self.get_logger().info(
            f"Planning for '{self.robot.name}' within the limits '{self._limits}'; joint states "
            f"from {self._arm.topic}, trajectories to {self._trajectories.topic_name}."
        )

    def close(self) -> None:
        """Stop a moving arm, and end the planning process."""
        if self._execution is not None and not self._execution.done:
            self._execution.stop(Reason.SHUT_DOWN, "", self._arm.now_ns)
        self._process.close()

    # What the node is made of.

    def _open_topics(self) -> None:
        """Create all publishers and subscriptions."""
        settings, reliable = self._settings, ReliabilityPolicy.RELIABLE
        topic = settings.trajectory_topic or self.robot.command.trajectory_topic
        command = QoSProfile(depth=10, reliability=reliable)
        self._trajectories = self.create_publisher(JointTrajectory, topic, command)
        self._swept = self.create_publisher(MarkerArray, "~/swept_volume", LATCHED)
        self._shown = self.create_publisher(MarkerArray, "~/obstacle_markers", LATCHED)
        self._described = self.create_publisher(PlanDescription, "~/description", LATCHED)
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", 10)
        self.create_subscription(
            PayloadEstimate, f"{settings.estimator}/payload", self._on_estimate, LATCHED
        )
        self.create_subscription(
            ObstacleArray, "~/obstacles", self._on_obstacles, QoSProfile(depth=10)
        )
        self._starter = self.create_client(Trigger, f"{settings.estimator}/start")

    def _serve(self) -> None:
        """Create all services and actions."""
        group = ReentrantCallbackGroup()
        for kind, name, callback in (
            (Plan, "~/plan", self._on_plan),
            (Describe, "~/describe", self._on_describe),
            (SetObstacles, "~/set_obstacles", self._on_set_obstacles),
            (Trigger, "~/stop", self._on_stop),
        ):
            self.create_service(kind, name, callback, callback_group=group)
        self._actions = [
            ActionServer(
                self, kind, name, execute,
                goal_callback=lambda goal: GoalResponse.ACCEPT,
                cancel_callback=self._on_cancel,
                callback_group=group,
            )
            for kind, name, execute in (
                (PlanAction, "~/plan", self._on_plan_goal),
                (Execute, "~/execute", self._on_execute),
                (Identify, "~/identify", self._on_identify),
            )
        ]  # fmt: skip

    # Planning.

    async def _on_plan(self, request: Plan.Request, response: Plan.Response) -> Plan.Response:
        """Plan one motion."""
        await self._plan_into(request.goal, response)
        return response

    async def _on_plan_goal(self, handle: ServerGoalHandle) -> PlanAction.Result:
        """Plan one motion; may be cancelled."""
        result, begin = PlanAction.Result(), time.monotonic()
        timer = self.create_timer(
            5 * FEEDBACK_PERIOD,
            lambda: handle.publish_feedback(
                PlanAction.Feedback(
                    phase="planning and certifying", seconds=time.monotonic() - begin
                )
            ),
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )
        await self._plan_into(handle.request.goal, result)
        self.destroy_timer(timer)
        if handle.is_cancel_requested:
            result.success, result.message = False, "Cancelled; the plan was dropped."
            self._plans.pop(result.description.plan_id, None)
            handle.canceled()
        elif result.success:
            handle.succeed()
        else:
            handle.abort()
        return result

    async def _plan_into(self, message: ExcitationGoal, answer: Any) -> None:
        """Plan, and fill in an answer of service or action."""
        try:
            goal = self._goal_of(message)
            start = self._start(goal.limits)
        except InputError as error:
            answer.success, answer.message = False, str(error)
            return
        self._count += 1
        plan_id = f"{datetime.now():%Y%m%d_%H%M%S}_{self._count:03d}"
        known = self._obstacles.digest
        request = PlanRequest(plan_id, goal, start, self._obstacles.bodies)
        found = await self._ask(request)
        if isinstance(found, (Refused, Failure)):
            answer.success, answer.message = False, found.sentence
        else:
            answer.success, answer.description = True, self._keep(found, known)
            answer.message = answer.description.summary
        self.get_logger().info(answer.message)

    def _keep(self, plan: Planned, known: tuple[str, ...]) -> PlanDescription:
        """Remember a plan, show it, and return its description."""
        stamp = self.get_clock().now().nanoseconds
        notes = [] if self._has_volume() else [NO_VOLUME]
        frame = self._base
        description = description_message(plan, self.robot.joints, frame, stamp, notes)
        self._plans[plan.request.plan_id] = (plan, description, known)
        while len(self._plans) > KEPT:
            self._plans.pop(next(iter(self._plans)))
        self._described.publish(description)
        self._swept.publish(swept_markers(plan, frame))
        return description

    def _on_describe(
        self, request: Describe.Request, response: Describe.Response
    ) -> Describe.Response:
        """Describe a plan."""
        try:
            plan, response.description, _ = self._plan_named(request.plan_id)
        except InputError as error:
            response.message = str(error)
            return response
        response.success, response.message = True, response.description.summary
        response.swept_volume = swept_markers(plan, self._base)
        return response

    def _plan_named(self, name: str) -> tuple[Planned, PlanDescription, tuple[str, ...]]:
        """Return a plan that is kept; the newest one for an empty name."""
        if not self._plans:
            raise InputError("There is no plan yet: call ~/plan first.")
        key = name or next(reversed(self._plans))
        if key not in self._plans:
            raise UnknownNameError("plan", key, self._plans)
        return self._plans[key]

    def _goal_of(self, message: ExcitationGoal) -> Goal:
        """Return a goal with all blanks filled in."""
        prior = self._uncertainty.prior
        goal = goal_from(message, self._settings, self._limits, self._estimate, prior)
        self.robot.limits_named(goal.limits)
        return goal

    def _start(self, limits: str) -> Array:
        """Return the pose from which to plan.

        Raises:
            InputError: There are no joint states, or the arm moves, is out of limits, or busy.
        """
        if self._busy:
            raise NotReadyError(f"The arm is in use: {self._busy}. Wait, or call ~/stop.")
        self._check_alive()
        q, topic = self._arm.q, self._arm.topic
        check_rest(self.robot.joints, self._arm.speed, topic)
        start = start_of(q, self._holding, self._tube, self._continuous)
        check_limits(self.robot.joints, start, self.robot.limits_named(limits), topic)
        return start

    def _check_alive(self) -> None:
        """Raise unless joint states arrive."""
        self._arm.take(every=False)
        if self._arm.known and self._arm.silence <= FRESH:
            return
        silence = silence_report(
            self, self._arm.topic, "sensor_msgs/msg/JointState", self._arm.silence,
            self.robot.joint_states.rate,
        )  # fmt: skip
        raise NotReadyError(
            f"{silence} (Last one that could not be used: {self._arm.dropped.value}.)"
            if self._arm.dropped is not None
            else silence
        )

    # Execution.

    async def _on_execute(self, handle: ServerGoalHandle) -> Execute.Result:
        """Execute a plan."""
        try:
            plan, _, known = self._plan_named(handle.request.plan_id)
            self._check_before(plan, known)
        except InputError as error:
            handle.abort()
            return self._execute_result(Reason.REFUSED, str(error))
        self._busy, self._goal, self._finished = "a plan is executed", handle, RosFuture()
        self._execution = self._begin(plan.motion)
        await self._finished
        reason, detail = self._ended or (Reason.SHUT_DOWN, "")
        result = self._execute_result(reason, detail)
        self._finish(handle, reason)
        return result

    def _check_before(self, plan: Planned, known: tuple[str, ...]) -> None:
        """Raise unless a plan's certificate holds here and now."""
        self._start(plan.request.goal.limits)
        check_place(
            self.robot.joints, self._arm.q, plan.request.start, self._tube, self._continuous,
            self._arm.topic,
        )  # fmt: skip
        if known != self._obstacles.digest:
            raise NotReadyError("The obstacles have changed since this plan was made. Plan again.")
        self._check_intervals(plan.request.goal)
        self._check_controller()

    def _check_controller(self) -> None:
        """Raise unless somebody hears the trajectories."""
        if not self._trajectories.get_subscription_count():
            raise NotReadyError(
                f"Nobody subscribes to {self._trajectories.topic_name}: activate the arm's "
                "trajectory controller, or set the parameter trajectory_topic."
            )

    def _check_intervals(self, goal: Goal) -> None:
        """Raise if the estimator's intervals are now wider than the plan's, or inconsistent."""
        estimate = self._estimate
        if estimate is None:
            return
        if estimate.status == PayloadEstimate.INCONSISTENT:
            raise NotReadyError(f"The estimator finds the data inconsistent: {estimate.message}")
        if not is_usable(estimate):
            return
        lower, upper = estimate_intervals(estimate)
        if (lower > goal.payload_upper).any() or (upper < goal.payload_lower).any():
            raise NotReadyError(
                "The estimator's intervals lie outside those of this plan: it was made for another "
                "payload. Plan again."
            )

    def _begin(self, motion: CertifiedMotion) -> MotionExecution:
        """Command a motion that begins shortly."""
        settings = self._settings
        timing = Timing(settings.point_rate, settings.reaction, settings.silence, settings.settling)
        start_ns = self._arm.now_ns + round(settings.start_delay * 1e9)
        execution = MotionExecution(
            motion, start_ns, timing, self._command, self.robot.joints, self._continuous
        )
        self._execution, self._ended = execution, None
        execution.begin()
        return execution

    def _command(self, points: Motion, start_ns: int) -> None:
        """Send points to the arm's controller; the only place where motion leaves this node."""
        self._trajectories.publish(message_of_points(points, self.robot.joints, start_ns))

    def _finish(self, handle: ServerGoalHandle, reason: Reason) -> None:
        """End a goal as its reason says."""
        self._busy, self._goal = "", None
        if handle.is_cancel_requested:
            handle.canceled()
        elif reason.as_asked:
            handle.succeed()
        else:
            handle.abort()

    def _execute_result(self, reason: Reason, detail: str) -> Execute.Result:
        """Return the result of an execution."""
        execution = None if reason is Reason.REFUSED else self._execution
        result = Execute.Result(success=reason is Reason.COMPLETED)
        result.message, result.reason = sentence(reason, detail), reason_message(reason, detail)
        if execution is not None:
            result.at_rest, result.largest_tube_use = execution.at_rest, execution.largest_use
        if self._arm.known:
            result.final_positions = self._arm.q
        return result

    def _on_watch_due(self) -> None:
        """Take in joint states, judge the motion, pass on the planner's answers."""
        for answered, asked in [pair for pair in self._asked if pair[0].done()]:
            self._asked.remove((answered, asked))
            asked.set_result(answered.result())
        execution, horizon = self._execution, self._horizon
        moving = execution is not None and not execution.done
        stamps, q, dq = self._arm.take(every=moving)
        now_ns = self._arm.now_ns
        if execution is not None and moving:
            execution.advance(now_ns, self._arm.silence, stamps, q, dq)
        if horizon is not None:
            horizon.advance(now_ns)
            if horizon.done:
                self._end(*horizon.reason)
        elif execution is not None and moving and execution.done:
            self._end(execution.reason or Reason.COMPLETED, execution.detail)

    def _end(self, reason: Reason, detail: str) -> None:
        """Note how a motion ended, and wake who waits for it."""
        self._ended, execution = (reason, detail), self._execution
        if execution is not None and execution.done and reason is not Reason.TUBE_LEFT:
            self._holding = execution.end_positions()
        self._horizon = None
        log = self.get_logger().info if reason.as_asked else self.get_logger().warning
        log(f"{reason.name}: {sentence(reason, detail)}")
        if self._finished is not None and not self._finished.done():
            self._finished.set_result(None)

    def _stop(self, reason: Reason, detail: str) -> bool:
        """Have the certified stop commanded; return whether anything moves or will."""
        now_ns = self._arm.now_ns
        if self._horizon is not None:
            self._horizon.cancel(reason, detail, now_ns)
        elif self._execution is not None and not self._execution.done:
            self._execution.stop(reason, detail, now_ns)
        else:
            return False
        return True

    def _on_stop(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Stop whatever moves."""
        response.success = self._stop(Reason.CANCELLED, "The service ~/stop was called")
        response.message = (
            "The certified stop was commanded." if response.success else "Nothing moves."
        )
        return response

    def _on_cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        """Accept any cancelling; a moving arm is stopped."""
        if self._goal is not None and handle.goal_id == self._goal.goal_id:
            self._stop(Reason.CANCELLED, "The goal was cancelled")
        return CancelResponse.ACCEPT

    # Receding horizon.

    async def _on_identify(self, handle: ServerGoalHandle) -> Identify.Result:
        """Identify in receding horizon."""
        result = Identify.Result()
        try:
            goal, settings = self._horizon_of(handle.request)
            start = self._start(goal.limits)
            self._check_controller()
            self._check_intervals(goal)
            self._start_estimator()
        except InputError as error:
            handle.abort()
            result.message = str(error)
            result.reason = reason_message(Reason.REFUSED, str(error))
            return result
        self._busy, self._goal, self._finished = "an identification runs", handle, RosFuture()
        self._execution = None
        name = f"{datetime.now():%Y%m%d_%H%M%S}_identify"
        first = 0.5 * (goal.payload_upper - goal.payload_lower)
        horizon = HorizonExecution.of(
            settings, start, self._asker(name, goal, handle.request.goal), self._begin,
            goal.time_budget, self._settings.reaction,
        )  # fmt: skip
        self._horizon = horizon
        begin = time.monotonic()
        await self._finished
        reason, detail = self._ended or (Reason.SHUT_DOWN, "")
        result.success, result.message = reason.as_asked, sentence(reason, detail)
        result.reason = reason_message(reason, detail)
        result.pieces, result.seconds = len(horizon.condition_numbers), time.monotonic() - begin
        result.condition_numbers = horizon.condition_numbers
        result.at_rest = horizon.execution is None or horizon.execution.at_rest
        result.first_half_width, result.last_half_width = first, self._half_width(goal)
        result.certificates = f"{self._settings.certificates_folder}/{name}"
        self._finish(handle, reason)
        return result

    def _horizon_of(self, request: Identify.Goal) -> tuple[Goal, HorizonSettings]:
        """Return goal and rules of a run."""
        message, settings = request.goal, self._settings
        message.family = message.family or "bezier"
        message.duration = message.duration or settings.piece_duration
        goal = self._goal_of(message)
        if goal.family != "bezier" or goal.dry_run_scale:
            raise InputError(
                "Receding horizon takes the family 'bezier' and no dry run; plan a single motion "
                "for anything else."
            )
        if settings.piece_time + settings.reaction >= goal.duration:
            raise InputError(
                f"A piece of {goal.duration:g} s is too short: the parameter piece_time is "
                f"{settings.piece_time:g} s, and its braking follows that."
            )
        target = np.array(request.target_half_width, dtype=float)
        if target.size not in (0, 10) or not (target > 0).all():
            raise InputError(
                "target_half_width takes ten numbers above 0 (inf for any), or none; found "
                f"{target.tolist()}."
            )
        return goal, HorizonSettings(
            handover=settings.piece_time,
            pieces=request.most_pieces or MANY,
            target=target if target.size else None,
            least_gain=request.least_progress or settings.least_progress,
        )

    def _asker(
        self, name: str, goal: Goal, message: ExcitationGoal
    ) -> Callable[[int, State, float], Future[Any]]:
        """Return what asks the planning process for pieces, each with the intervals of then."""

        def ask(index: int, start: State, budget: float) -> Future[Any]:
            now = goal if index == 0 else self._goal_of(message)
            timed = Goal(**{**vars(now), "time_budget": budget})
            handover, bodies = self._settings.piece_time, self._obstacles.bodies
            return self._process.request(PieceRequest(name, index, timed, start, handover, bodies))

        return ask

    def _start_estimator(self) -> None:
        """Begin a run of the estimator if none is in progress.

        Raises:
            NotReadyError: There is no estimator.
        """
        if self._estimate is None:
            raise NotReadyError(
                f"No estimate on {self._settings.estimator}/payload: start the estimator, or set "
                "the parameter estimator."
            )
        if self._estimate.status == PayloadEstimate.WAITING and self._starter.service_is_ready():
            self._starter.call_async(Trigger.Request())

    def _half_width(self, goal: Goal) -> Array:
        """Return half widths of the intervals in force, shape (10,)."""
        lower, upper = goal.payload_lower, goal.payload_upper
        if is_usable(self._estimate):
            lower, upper = estimate_intervals(self._estimate)
        return np.asarray((upper - lower) / 2)

    # What is heard.

    def _on_estimate(self, message: PayloadEstimate) -> None:
        """Take in an estimate."""
        self._estimate = message
        if message.status == PayloadEstimate.INCONSISTENT:
            self._stop(Reason.ESTIMATE_INCONSISTENT, message.message)
        elif self._horizon is not None and is_usable(message):
            lower, upper = estimate_intervals(message)
            self._horizon.estimated((upper - lower) / 2, self._arm.now_ns)

    def _on_obstacles(self, message: ObstacleArray) -> None:
        """Take in all obstacles that the topic's publisher knows."""
        before = self._obstacles.digest
        try:
            self._obstacles.hear(obstacles_from(message.obstacles, self._frames))
        except InputError as error:
            self.get_logger().error(f"Obstacles on ~/obstacles were not taken: {error}")
            self._stop(Reason.OBSTACLES_CHANGED, f"Obstacles that cannot be used: {error}")
            return
        self._obstacles_now(before)

    def _on_set_obstacles(
        self, request: SetObstacles.Request, response: SetObstacles.Response
    ) -> SetObstacles.Response:
        """Change the obstacles."""
        before, store = self._obstacles.digest, self._obstacles
        try:
            if request.operation == SetObstacles.Request.REMOVE:
                response.message = store.remove(o.id for o in request.obstacles)
            elif request.operation in (SetObstacles.Request.ADD, SetObstacles.Request.REPLACE):
                bodies = obstacles_from(request.obstacles, self._frames)
                add = request.operation == SetObstacles.Request.ADD
                response.message = store.add(bodies) if add else store.replace(bodies)
            else:
                raise InputError(
                    f"The operation is 0 (add), 1 (replace) or 2 (remove); found "
                    f"{request.operation}."
                )
            response.success = True
        except InputError as error:
            response.message = f"Nothing was changed: {error}"
        response.ids = store.names
        self._obstacles_now(before)
        return response

    def _obstacles_now(self, before: tuple[str, ...]) -> None:
        """Show the obstacles, and stop a motion whose certificate does not know them."""
        if self._obstacles.digest == before:
            return
        self._shown.publish(obstacle_markers(self._obstacles.bodies, self._base))
        self._stop(Reason.OBSTACLES_CHANGED, "The obstacles changed during the motion")

    # What is told.

    @property
    def _base(self) -> str:
        """Name of the base frame."""
        return next(iter(self._frames))

    def _has_volume(self) -> bool:
        """Whether the payload's volume is known."""
        return bool(self._settings.payload_box or self._settings.payload_mesh)

    def _ask(self, request: Any) -> RosFuture:
        """Hand a request to the planning process; the executor goes on meanwhile."""
        asked = RosFuture()
        self._asked.append((self._process.request(request), asked))
        return asked

    def _on_feedback_due(self) -> None:
        """Tell the goal in progress how far it is."""
        handle, execution = self._goal, self._execution
        if handle is None or not handle.is_active:
            return
        phase = Phase.STARTING if execution is None else execution.phase
        if self._horizon is None and execution is not None:
            now = execution.time(self._arm.now_ns)
            left = max(0.0, execution.commanded.duration - now)
            handle.publish_feedback(
                Execute.Feedback(
                    phase=phase.value, time=now, remaining=left, tube_use=execution.use
                )
            )
        elif self._horizon is not None:
            horizon, seconds = self._horizon, self._horizon.planning_seconds
            goal = self._goal_of(handle.request.goal)
            handle.publish_feedback(
                Identify.Feedback(
                    phase="planning" if execution is None else phase.value,
                    piece=len(horizon.condition_numbers),
                    planning_seconds=seconds[-1] if seconds else 0.0,
                    largest_planning_seconds=max(seconds, default=0.0),
                    half_width=self._half_width(goal),
                    tube_use=0.0 if execution is None else execution.use,
                )
            )

    def _on_diagnostics_due(self) -> None:
        """Publish the condition."""
        name, stamp = f"{self.get_name()}: motion", self.get_clock().now().to_msg()
        condition = self._condition()
        self._diagnostics.publish(diagnostics_message(condition, name, self.robot.name, stamp))

    def _condition(self) -> Condition:
        """Judge the planner."""
        figures = {
            "phase": "idle" if self._execution is None else self._execution.phase.value,
            "tube use [-]": 0.0 if self._execution is None else self._execution.use,
            "largest tube use [-]": 0.0 if self._execution is None else self._execution.largest_use,
            "plans": len(self._plans),
            "obstacles": len(self._obstacles.bodies),
            "joint states silent [s]": self._arm.silence,
            "planning process": "runs" if self._process.alive else "ended",
        }
        if self._busy:
            return Condition(Level.OK, f"Busy: {self._busy}.", figures)
        if self._ended is not None and not self._ended[0].as_asked:
            reason, detail = self._ended
            level = Level.WARN if reason is Reason.CANCELLED else Level.ERROR
            return Condition(level, f"{reason.name}: {sentence(reason, detail)}", figures)
        try:
            self._check_alive()
        except NotReadyError as error:
            return Condition(Level.WARN, str(error), figures)
        return Condition(Level.OK, "Ready.", figures)


NO_VOLUME = (
    "The payload's volume was not given (payload_box, payload_mesh): that it touches nothing was "
    "not checked."
)


def main(args: Sequence[str] | None = None) -> int:
    """Run the planner until SIGINT or SIGTERM; returns the exit code."""
    return run([PlannerNode], args)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
