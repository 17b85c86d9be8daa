"""What all parts of the planner share: robot, parameters, joint states, obstacles, estimates."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from payload_id_msgs.msg import ExcitationGoal, PayloadEstimate
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter
from rclpy.task import Future as RosFuture
from std_msgs.msg import Bool

from ...core.arrays import Array
from ...core.errors import ConfigurationError
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...core.safety.speed.speed_limits import PRESETS
from ...files.cells.cell_file import Cell
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ..common.awaited_answers import AwaitedAnswers
from ..common.parameters import check_changes
from ..common.topic_report import silence_report
from ..execution.joint_state_listener import JointStateListener
from ..execution.start_check import NotReadyError, check_limits, check_rest, start_of
from ..execution.stop_reason import Reason
from .obstacles.obstacle_messages import base_frames
from .obstacles.obstacle_store import ObstacleStore
from .parameters import PLANNER_TABLE, PlannerParameters
from .payload_intervals import ESTIMATED, estimate_intervals, is_usable
from .plan_messages import goal_from
from .planning.process import PlanningProcess
from .planning.request import Goal
from .planning.worker import make_worker
from .planning_settings import planning_settings

FRESH = 1.0  # [s] age of joint states with which a plan may begin


class PlannerContext:
    """State and checks that planning and moving need alike.

    Attributes:
        node: The node.
        settings: Its parameters.
        robot: The robot file.
        uncertainty: Bounds on the arm and prior of the payload.
        continuous: Joints without limits.
        frames: Links that do not move, the base link first.
        tube: Tracking errors that the robot file states, at the speeds that are allowed.
        encoder_error: Largest error of a measured position, its zero's included, shape (n,)
            [rad or m].
        limits: Name of the set of joint limits for goals that name none.
        obstacles: Those in force.
        estimate: The estimator's newest; None before the first.
        holding: Where the last motion ended, which the controller holds; None if not known.
        busy: What the arm is used for; empty if it is free.
        disagreement: In what the estimator rests on something else; empty: nothing is known of it.
        fault: Why nothing may move until somebody acknowledges; empty: nothing is wrong.
        cell_missing: Why nothing may be planned; empty: it is known what is around the arm.
        joint_margin: Distance that joints keep from their position limits [rad or m].
        process: Plans.
        answers: What the callbacks await of it.
        arm: Joint states.
    """

    def __init__(self, node: Node, settings: PlannerParameters, robot: RobotFile,
                 uncertainty: Uncertainty) -> None:  # fmt: skip
        """Subscribe to joint states, and start the planning process."""
        self.node, self.settings, self.robot, self.uncertainty = node, settings, robot, uncertainty
        model = RobotModel.from_robot_file(robot)
        self.continuous = model.continuous
        self.frames = base_frames(robot.urdf, model)
        self.tube = robot.control.stated_tube(PRESETS[settings.speed_limits])
        errors = (uncertainty.per_joint(x, robot.n) for x in ("position_error", "joint_zero"))
        self.encoder_error = np.sum(list(errors), axis=0)
        self.limits = settings.limits or robot.limits.name
        robot.limits_named(self.limits)
        self.obstacles = ObstacleStore(settings.obstacles_lifetime)
        self.estimate: PayloadEstimate | None = None
        self.holding: Array | None = None
        self.busy = self.fault = self.disagreement = ""
        self.answers = AwaitedAnswers()
        self.cell_missing, cell = "", Cell("unknown", settings.clearance, ())
        try:
            cell = Cell.of(settings.cell, settings.clearance)
        except ConfigurationError as error:
            self.cell_missing = f"{error} (The planner's parameter 'cell'.)"
        self.joint_margin = cell.joint_margin
        worker = planning_settings(settings, robot, uncertainty, cell)
        self.process = PlanningProcess(make_worker, worker)
        self._warm = self.process.request(None)  # so that the first plan does not wait for modules
        self.arm = JointStateListener(
            node,
            robot,
            settings.joint_states_topic,
            settings.reliability,
            settings.clock_tolerance,
        )
        # What was said of the turns and not noted yet.
        self._said: tuple[float, ...] = tuple(node.get_parameter("turned").value or ())
        check_changes(node, PLANNER_TABLE, self._check_turned)
        node.add_post_set_parameters_callback(self._on_set)
        self._enabled = -np.inf
        if settings.enable_topic:
            node.create_subscription(Bool, settings.enable_topic, self._on_enable, 10)

    @property
    def is_warm(self) -> bool:
        """Whether the planning process has loaded all that it needs."""
        return self._warm.done()

    @property
    def base(self) -> str:
        """Name of the base frame."""
        return next(iter(self.frames))

    def goal_of(self, message: ExcitationGoal) -> Goal:
        """Return a goal with all blanks filled in."""
        prior = self.uncertainty.prior
        goal = goal_from(message, self.settings, self.limits, self.estimate, prior)
        if goal.intervals == ESTIMATED and self.disagreement:
            raise NotReadyError(f"The estimator's intervals cannot be used. {self.disagreement}")
        self.robot.limits_named(goal.limits)
        return goal

    def _on_enable(self, message: Bool) -> None:
        """Note that the enabling device is held, or was let go."""
        self._enabled = time.monotonic() if message.data else -np.inf

    @property
    def not_enabled(self) -> str:
        """Why the enabling device forbids motion; empty if it does not."""
        topic, longest = self.settings.enable_topic, self.settings.enable_timeout
        if not topic or time.monotonic() - self._enabled <= longest:
            return ""
        return f"No 'true' came on {topic} within the last {longest:g} s"

    def start(self, limits: str) -> Array:
        """Return the pose from which to plan.

        Raises:
            InputError: There are no joint states, or the arm moves, is out of limits, or busy.
        """
        self.check_free()
        return self.standing(limits)

    def check_free(self) -> None:
        """Raise unless the arm is free, and it is known what is around it."""
        if self.busy:
            raise NotReadyError(f"The arm is in use: {self.busy}. Wait, or call ~/stop.")
        if self.cell_missing:
            raise NotReadyError(self.cell_missing)

    def standing(self, limits: str) -> Array:
        """Return the pose that a motion may begin from now.

        Raises:
            InputError: There are no joint states, the arm moves or is out of limits, there was a
                fault, or clocks or obstacles cannot be relied on.
        """
        if self.fault:
            raise NotReadyError(
                f"After a fault nothing moves until somebody calls ~/acknowledge: {self.fault}"
            )
        self.check_alive()
        q, topic = self.arm.q, self.arm.topic
        if self.arm.clock.fault:
            raise NotReadyError(f"{self.arm.clock.fault}. {Reason.CLOCK_FAULT.value}")
        if doubt := self.arm.held.doubt(time.monotonic()):
            raise NotReadyError(f"{doubt}. {Reason.HELD_JOINT_OFF.value}")
        if doubt := self.obstacles.doubt(time.monotonic()):
            raise NotReadyError(f"{doubt}. Publish obstacles that can be used.")
        check_rest(self.robot.joints, self.arm.speed, topic)
        if self.arm.turns.doubt:
            raise NotReadyError(f"{self.arm.turns.doubt}.")
        start = start_of(q, self.holding, self.tube, self.continuous, self.encoder_error)
        present = self.robot.limits_at(limits, self.arm.turns.at(start))
        present = present.narrowed(self.joint_margin)
        check_limits(self.robot.joints, start, present, topic)
        return start

    def note_turns(self) -> None:
        """Take in what the parameter `turned` says, each time it is set."""
        said, self._said = self._said, ()
        if said and said == tuple(self.node.get_parameter("turned").value or ()):
            self.arm.turns = self.arm.turns.said_to_be(said)

    def _check_turned(self, values: Mapping[str, Any]) -> None:
        """Raise unless what is said of the turns is one number for each joint."""
        said = values["turned"]
        if said is not None and len(said) != self.robot.n:
            raise ConfigurationError(
                f"The parameter 'turned' takes {self.robot.n} numbers, one for each joint; found "
                f"{len(said)}."
            )

    def _on_set(self, changes: Sequence[RosParameter]) -> None:
        """Note that something is said of the turns; whether it can be true is judged elsewhere."""
        for change in changes:
            if change.name == "turned":
                self._said = tuple(change.value or ())

    @property
    def forbidden(self) -> str:
        """Why nothing may move now: switched off, or not enabled; empty if it may."""
        if not self.node.get_parameter("allow_motion").value:
            return "Motion is switched off: the parameter allow_motion is false"
        return self.not_enabled

    def check_allowed(self) -> None:
        """Raise unless motion is allowed at all, and the enabling device is held."""
        if self.forbidden:
            raise NotReadyError(f"{self.forbidden}. {Reason.NOT_ENABLED.value}")

    def check_alive(self) -> None:
        """Raise unless joint states arrive."""
        self.arm.take(every=False)
        if self.arm.known and self.arm.silence <= FRESH:
            return
        silence = silence_report(
            self.node, self.arm.topic, "sensor_msgs/msg/JointState", self.arm.silence,
            self.robot.joint_states.rate,
        )  # fmt: skip
        raise NotReadyError(
            f"{silence} (Last one that could not be used: {self.arm.dropped.value}.)"
            if self.arm.dropped is not None
            else silence
        )

    def half_width(self) -> Array:
        """Return half widths of the payload's intervals in force, shape (10,)."""
        lower, upper = self.uncertainty.prior.box()
        if is_usable(self.estimate):
            lower, upper = estimate_intervals(self.estimate)
        return np.asarray((upper - lower) / 2)

    def ask(self, request: Any) -> RosFuture:
        """Hand a request to the planning process; the executor goes on meanwhile."""
        return self.answers.awaitable(self.process.request(request))
