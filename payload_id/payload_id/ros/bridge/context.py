"""What all parts of the bridge share: robot, parameters, the arm, obstacles, estimates, faults."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rclpy.parameter import Parameter as RosParameter
from rclpy.task import Future as RosFuture
from std_msgs.msg import Bool

from ...core.arrays import Array
from ...core.errors import ConfigurationError, in_words
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...core.safety.speed.speed_limits import PRESETS
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ..certifying.case_parameters import case_settings, stated_cell
from ..certifying.prover import Prover
from ..certifying.worker_process import WorkerProcess
from ..common.awaited_answers import awaitable
from ..common.parameters import check_changes, current_values
from ..execution.standing_arm import StandingArm
from ..execution.start_check import NotReadyError
from ..lifecycle.managed_node import ManagedNode
from ..supervision.estimator_watch import EstimatorWatch
from .fault_memory import FaultMemory
from .obstacles.obstacle_messages import base_frames
from .obstacles.obstacles import Obstacles
from .parameters import BRIDGE_TABLE, SWITCH, BridgeParameters

ENABLE = "enable"  # of an enabling device
ENDED_IN_MOTION = (
    "The bridge ended while the arm moved: nobody watched it come to rest. See where it stands, "
    "and what its controller does."
)


class BridgeContext:
    """State and checks that the parts of the bridge need alike.

    Attributes:
        node: The node.
        settings: Its parameters.
        robot: The robot file.
        frames: Links that do not move, the base link first.
        obstacles: Those in force.
        estimator: What it says, and whether it is heard.
        holding: Where the last motion ended, which the controller holds; None if not known.
        faults: Where a fault is remembered.
        fault: Why nothing may move until somebody acknowledges; empty: nothing is wrong.
        cell_missing: Why nothing may move; empty: it is known what is around the arm.
        process: Proves.
        arm: Where it is, and whether it may set off.
    """

    def __init__(
        self,
        node: ManagedNode,
        settings: BridgeParameters,
        robot: RobotFile,
        uncertainty: Uncertainty,
    ) -> None:
        """Subscribe to joint states, and start the proving process."""
        self.node, self.settings, self.robot = node, settings, robot
        self.frames = base_frames(RobotModel.from_robot_file(robot))
        self.obstacles = Obstacles(settings.obstacles_lifetime)
        self.estimator = EstimatorWatch(node, settings.estimator)
        self.holding: Array | None = None
        name = node.get_fully_qualified_name()
        self.faults = FaultMemory(settings.state_folder, name, robot.name)
        self.fault = self.faults.read()
        if self.fault:
            node.get_logger().error(f"Nothing moves until ~/acknowledge: {self.fault}")
        cell, self.cell_missing = stated_cell(settings, "bridge")
        case = case_settings(settings, robot, uncertainty, cell, settings.by_torques)
        self.process = WorkerProcess("proof", Prover, case, longest=settings.longest_proof)
        node.resources.callback(self.process.close)
        tube = robot.control.stated_tube(PRESETS[settings.speed_limits])
        self.arm = StandingArm(node, robot, settings, uncertainty, tube, cell.joint_margin)
        self._note_turns(settings.turned)
        check_changes(node, BRIDGE_TABLE, self._check_turned)
        node.add_post_set_parameters_callback(self._on_set)
        self._device = False, -math.inf  # what the enabling device said last, and when [s]
        self._let_go = False  # since the last look
        enable = node.create_subscription(Bool, ENABLE, self._on_enable, 10)
        self._enable = enable.topic_name
        self._let_go_of = f"A 'false' came on {self._enable}"

    def latch(self, fault: str) -> None:
        """Let nothing move until somebody acknowledges a fault, in later processes neither.

        It is on the disk before anybody is told. Where the disk fails, that is logged: then the end
        of the process forgets it.
        """
        self._remember(lambda: self.faults.write(fault))
        self.fault = fault

    def begin_motion(self) -> None:
        """Note on the disk that the arm moves: a process that ends now leaves a fault behind.

        Raises:
            NotReadyError: The disk fails, so that the end of the process would be forgotten.
        """
        try:
            self.faults.write(ENDED_IN_MOTION)
        except OSError as error:
            raise NotReadyError(
                f"That the arm moves could not be noted in {self.faults.path}: {in_words(error)}. "
                "Make room there, or set state_folder to another folder."
            ) from error

    def end_motion(self) -> None:
        """Note that the arm rests, seen by this process, and without a fault."""
        self._remember(self.faults.forget)

    def unlatch(self) -> None:
        """Let the arm move again; where the controller holds it is not known."""
        self._remember(self.faults.forget)
        self.fault, self.holding = "", None

    def _remember(self, change: Callable[[], None]) -> None:
        """Change what is on the disk; log where that fails."""
        try:
            change()
        except OSError as error:
            self.node.get_logger().error(
                f"{self.faults.path} could not be changed: {in_words(error)}"
            )

    @property
    def base(self) -> str:
        """Name of the base frame."""
        return next(iter(self.frames))

    def _on_enable(self, message: Bool) -> None:
        """Note that the enabling device is held, or was let go, for however short a time."""
        self._device = bool(message.data), time.monotonic()
        self._let_go |= not message.data

    @property
    def obstacle_doubt(self) -> str:
        """Why it is not known what is in the way; empty if it is."""
        return self.obstacles.doubt(time.monotonic())

    def look_at_device(self) -> str:
        """Return why motion is forbidden, or was since the last look; empty if it is not."""
        let_go, self._let_go = self._let_go, False
        return self.forbidden or (self._let_go_of if let_go else "")

    @property
    def forbidden(self) -> str:
        """Why nothing may move now: dry run, switched off, or not enabled; empty if it may."""
        settings = self.settings
        if settings.dry_run:
            return "Dry run: motions are proved, and none is followed (parameter dry_run)"
        if not current_values(self.node, SWITCH)["allow_motion"]:
            return "Motion is switched off: the parameter allow_motion is false"
        held, when = self._device
        if when == -math.inf and not settings.enabling_device:
            return ""
        if time.monotonic() - when > settings.enable_timeout:
            return f"No 'true' came on {self._enable} within the last {settings.enable_timeout:g} s"
        return "" if held else self._let_go_of

    def check_usable(self) -> None:
        """Raise unless the node is active, and it is known what is around the arm."""
        if self.node.inactivity:
            raise NotReadyError(self.node.inactivity)
        if self.cell_missing:
            raise NotReadyError(self.cell_missing)
        if self.fault:
            raise NotReadyError(
                f"After a fault nothing moves until somebody calls ~/acknowledge: {self.fault}"
            )

    def _note_turns(self, said: Sequence[float] | None) -> None:
        """Take in how far joints are said to have turned."""
        if said:
            self.arm.states.turns = self.arm.states.turns.said_to_be(said)

    def _check_turned(self, values: Mapping[str, Any]) -> None:
        """Raise unless what is said of the turns is one number for each joint."""
        said = values["turned"]
        if said is not None and len(said) != self.robot.n:
            raise ConfigurationError(
                f"The parameter 'turned' takes {self.robot.n} numbers, one for each joint; found "
                f"{len(said)}."
            )

    def _on_set(self, changes: Sequence[RosParameter]) -> None:
        """Take in what is said of the turns; whether it can be true, the count judges."""
        if any(change.name == "turned" for change in changes):
            self._note_turns(current_values(self.node, BRIDGE_TABLE)["turned"])

    def ask(self, request: Any) -> RosFuture:
        """Hand a request to the proving process; the executor goes on meanwhile."""
        return awaitable(self.node, self.process.request(request))
