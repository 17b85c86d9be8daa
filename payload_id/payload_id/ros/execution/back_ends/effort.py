"""Motion as joint torques to a forward controller of ros2_control, from a loop in its own process.

Between motions the arm's resting controller, which follows positions, has the arm; for a motion the
loop has the torque controller take it over, already with the torque that holds the arm, and give it
back where the arm rests. A forward controller applies its last command for ever: where the loop
dies, the resting controller is given the arm from here.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from rcl_interfaces.srv import GetParameters
from rclpy.node import Node
from rclpy.task import Future as RosFuture
from std_msgs.msg import Float64MultiArray

from ....core.arrays import Array
from ....core.errors import ConfigurationError, InputError
from ....core.motion.joint_trajectory import JointTrajectory
from ....core.motion.trajectory import Motion
from ....core.safety.torque.parameter_box import ParameterBox
from ....core.safety.tube.tracking_tube import ROBUST, TrackingTube
from ....files.robots.robot_file import RobotFile
from ...common.steady_timer import steady_timer
from ...effort_loop.handover import Handover
from ...effort_loop.loop_process import LoopProcess
from ...effort_loop.messages import Follow, Hold, LoopSettings, Rest
from ...effort_loop.torque_follower import Proof
from ..snapshot import ControllerReport, Found
from ..stop_reason import Reason
from .back_end import BackEnd, OtherPublishers

LOOK = 0.005  # [s] between two looks at the loop's process
# Parameter of a joint_trajectory_controller, true unless it is set: its last position command, of
# before the torques, counts as where the arm is, and is commanded again at once.
GOES_BACK = "set_last_command_interface_value_as_state_on_activation"


@dataclass(frozen=True)
class _Use:
    """What the arm is taken for.

    Attributes:
        parts: What the motion was proved for, each part from a stamp on [ns].
        taken: Whether the arm was taken.
        begun: Whether it was told to follow the motion.
        death: That the loop died while it may have had the arm; None: it did not.
    """

    parts: tuple[tuple[int, Proof], ...] = ()
    taken: bool = False
    begun: bool = False
    death: Found | None = None


class Effort(BackEnd):
    """Has torques sent while the arm moves, and another controller hold it otherwise."""

    gives_back = True

    def __init__(self, node: Node, settings: LoopSettings) -> None:
        """Start the loop's process.

        Args:
            node: The node.
            settings: Of the loop, names resolved.
        """
        self._node, self._settings = node, settings
        self.target = settings.commands
        loop = f"{settings.namespace.rstrip('/')}/{settings.node}"
        self.other_publishers = OtherPublishers(
            node, (self.target,), (node.get_fully_qualified_name(), loop)
        )
        self._process = LoopProcess(settings)
        self._handover = Handover(
            node, settings.manager, settings.torque_controller, settings.resting_controller
        )
        self._publisher = node.create_publisher(Float64MultiArray, settings.commands, 1)
        where = settings.manager.rpartition("/")[0]
        resting = f"{where}/{settings.resting_controller}/get_parameters"
        self._resting = node.create_client(GetParameters, resting)
        self._asked: RosFuture | None = None  # whether the resting controller goes back
        self._number = 0  # of the newest order to follow; 0: none since the arm was taken
        self._use = _Use()
        self._timer = steady_timer(node, LOOK, self._look)

    def get_ready(self, tube: TrackingTube, box: ParameterBox, torque_limit: Array) -> None:
        """Keep what the next motion was proved for."""
        if tube.kind != ROBUST or tube.reserve is None:
            raise InputError(
                f"The motion's certificate has a tube of kind '{tube.kind}'; the back_end 'effort' "
                f"keeps only that of a robust design, kind '{ROBUST}'. Certify it for that one."
            )
        self._use = replace(self._use, parts=((0, Proof(tube, box, torque_limit)),))

    def get_ready_for_more(self, box: ParameterBox, torque_limit: Array, begins_ns: int) -> None:
        """Keep what a part that takes over was proved for, for when it does."""
        parts = self._use.parts
        more = begins_ns, Proof(parts[0][1].tube, box, torque_limit)
        self._use = replace(self._use, parts=(*parts, more))

    def leave_at(self, time_ns: int) -> None:
        """Forget parts that do not come: a stop was proved for what the part before it was."""
        parts = tuple(part for part in self._use.parts if part[0] < time_ns)
        self._use = replace(self._use, parts=parts)

    def take(self) -> None:
        """Note that a motion is to come; the arm is taken over with its first torque."""
        self._use = _Use(self._use.parts, taken=True)

    @property
    def is_taken(self) -> bool:
        """Whether the loop hears the arm, and the arm's controller is at rest."""
        state = self._process.state
        return self._use.taken and state is not None and state.hears and not self._has_arm

    @property
    def _has_arm(self) -> bool:
        """Whether torques may have the arm."""
        state, asked = self._process.state, self._number
        if state is None:
            return self._handover.may_have or asked > 0
        return self._handover.may_have or state.sends or asked > state.number

    def look(self) -> ControllerReport:
        """Return how the loop and the controllers are; who else publishes torques commands them."""
        others, state, fault = self.other_publishers.look(), self._process.state, self._use.death
        if state is not None and state.number == self._number and state.trouble:
            reason = Reason.CONTROLLER_FAULT if state.started else Reason.NOT_STARTED
            fault = fault or (reason, state.trouble.rstrip("."))
        return ControllerReport(
            fault=fault if self._use.taken else None,
            foreign=others,
            others=others,
            way_back=self._handover.refusal or ("" if state is None else state.way_back),
            has_arm=self._has_arm,
        )

    def release(self) -> None:
        """Give the arm back to its resting controller."""
        self._process.order(Rest())
        self._use, self._asked = _Use(), None  # it may be set otherwise before the next motion

    def absence(self) -> str:
        """Say what is missing for torques to be followed; empty if nothing is."""
        settings, state = self._settings, self._process.state
        if not self._handover.is_ready:
            return (
                f"There is no controller manager '{settings.manager}': torques without somebody "
                f"who can give the arm to '{settings.resting_controller}' would last for ever if "
                "this node died. Start it, or set the parameter controller_manager."
            )
        if self._node.count_subscribers(self.target) == 0:
            return (
                f"Nobody subscribes to {self.target}: load and configure the controller "
                f"'{settings.torque_controller}' (inactive), or set the parameter "
                "effort_controller."
            )
        if state is None:
            return self._process.death or "The process of the torque loop is starting: try again."
        if not state.hears:
            return f"The torque loop hears no joint states on {settings.joint_states}."
        return self._going_back()

    def _going_back(self) -> str:
        """Say that the resting controller would drive the arm back; empty if it does not say so."""
        name = self._settings.resting_controller
        if self._asked is None:
            return ""  # a controller without parameters
        if not self._asked.done():
            return f"'{name}' has not said yet how it takes the arm back: try again."
        answer = self._asked.result()
        if answer is None or not any(value.bool_value for value in answer.values):
            return ""
        return (
            f"'{name}' would drive the arm back to its last position command when torques give the "
            f"arm back: set its parameter {GOES_BACK} to false."
        )

    def hold(self) -> None:
        """Have the arm braked, and given back to its resting controller."""
        self._process.order(Hold())

    def send(self, points: Motion, start_ns: int, tube: TrackingTube) -> None:
        """Have the loop follow points; the arm is taken over once it sends torques."""
        if not self._use.taken or not self._use.parts:
            raise InputError("The arm was not taken: nothing can be sent to it.")
        self._number += 1
        trajectory = JointTrajectory(points.time, points.q, points.dq, points.ddq)
        (_, proof), *parts = self._use.parts
        begins, self._use = not self._use.begun, replace(self._use, begun=True)
        order = Follow(trajectory, start_ns, proof, self._number, begins, tuple(parts))
        self._process.order(order)

    def doubt(self) -> str:
        """Say that the loop does not keep the times that the proof counts on."""
        state = self._process.state
        return state.doubt if state is not None and state.sends else ""

    def figures(self) -> dict[str, object]:
        """Return the loop's times, and what of the controller's assumptions did not hold."""
        state = self._process.state
        if state is None:
            return {"torque loop": self._process.death or "starting"}
        waits = "waits" if state.hears else "hears no joint states"
        return {
            "torque loop": self._process.death or ("sends" if state.sends else waits),
            "torque loop's process": self._process.pid,
            **state.figures,
            "real-time scheduling": "yes" if state.real_time else "not allowed",
            "controller's assumptions": ", ".join(f"{k} ({n})" for k, n in state.said.items()),
        }

    def close(self) -> None:
        """End the loop's process; one that still moves the arm ends once it rests."""
        self._timer.cancel()
        self._process.close()

    def _look(self) -> None:
        """See how the loop is, and what its resting controller does; give back what it has left."""
        self._process.look()
        if self._asked is None and self._resting.service_is_ready():
            self._asked = self._resting.call_async(GetParameters.Request(names=[GOES_BACK]))
        if self._process.death:
            self._after_death(self._process.death)
        if self._handover.may_have:  # a loop that died has left it
            now = time.monotonic()
            self._handover.give_back(now)
            self._handover.look(now)

    def _after_death(self, death: str) -> None:
        """Hold the arm up as well as one message can, have it given back, and start anew."""
        state = self._process.state
        if self._has_arm:
            if state is not None and state.holding is not None:
                self._publisher.publish(Float64MultiArray(data=state.holding.tolist()))
            self._handover.may_have = self._handover.has = True
            to = self._settings.resting_controller
            found = Reason.CONTROLLER_FAULT, f"{death}; the arm is given to '{to}'"
            self._use = replace(self._use, death=found)
        self._process.close()
        if state is None:  # it never came so far as to answer: nor would the next
            self._timer.cancel()
        else:
            self._process, self._number = LoopProcess(self._settings), 0
        self._node.get_logger().error(f"{death}.")


def full_name_of(node: Node, manager: str) -> str:
    """Return the full name of a controller manager's node."""
    return str(node.resolve_service_name(f"{manager}/switch_controller")).rpartition("/")[0]


def check_executes_torques(robot: RobotFile) -> None:
    """Raise unless a robot's driver has torques executed, and its rotors are known.

    Raises:
        ConfigurationError: It has not, as far as the robot file says.
    """
    driver = robot.driver
    if not driver.executes("effort"):
        ignored = "accepts torques and ignores them" if "effort" in driver.ignored else "takes none"
        known = ", ".join(driver.executed) or "not known"
        raise ConfigurationError(
            f"The back_end 'effort' cannot move '{robot.name}': its driver {ignored} "
            f"('driver.executed' of {robot.path.name}: {known}). Use 'follow_joint_trajectory'; or "
            "add effort to 'driver.executed' after seeing that this driver executes it."
        )
    if robot.control.rotor_inertia is None:
        raise ConfigurationError(
            f"The back_end 'effort' needs 'control.rotor_inertia' in {robot.path.name}: without "
            "rotors the robust controller's tube is of no use."
        )
