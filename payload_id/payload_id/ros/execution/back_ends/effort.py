"""Motion as joint torques to a forward controller of ros2_control, from a loop in its own process.

Between motions the arm's resting controller, which follows positions, has the arm; for a motion the
torque controller takes it over, already with the torque that holds the arm, and gives it back where
the arm rests. A forward controller applies its last command for ever: whenever the loop dies, or
the arm must be held, the resting controller gets the arm back.
"""

from __future__ import annotations

import time

from controller_manager_msgs.msg import ControllerManagerActivity
from rcl_interfaces.srv import GetParameters
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
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
from ...common.topic_report import is_unnamed, publisher_names
from ...common.topics import LATCHED
from ...effort_loop.controller_switcher import ControllerSwitcher
from ...effort_loop.loop_process import LoopProcess
from ...effort_loop.messages import Follow, Hold, LoopSettings, LoopState, Rest
from ...effort_loop.switch_request import SwitchRequest
from ...effort_loop.torque_follower import STALE, Proof
from ..snapshot import ControllerReport, Found
from ..stop_reason import Reason
from .back_end import BackEnd

LOOK = 0.005  # [s] between two looks at the loop's process
OTHERS = 0.1  # [s] between two looks for who else sends torques
# Parameter of a joint_trajectory_controller, true unless it is set: its last position command, of
# before the torques, counts as where the arm is, and is commanded again at once.
GOES_BACK = "set_last_command_interface_value_as_state_on_activation"
RELIABLE = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)


class Effort(BackEnd):
    """Has torques sent while the arm moves, and another controller hold it otherwise."""

    goes_to_start = gives_back = True

    def __init__(self, node: Node, settings: LoopSettings) -> None:
        """Start the loop's process.

        Args:
            node: The node.
            settings: Of the loop, names resolved.
        """
        self._node, self._settings = node, settings
        self.target = settings.commands
        self._process = LoopProcess(settings)
        self._request = SwitchRequest(node, settings.manager)
        self._publisher = node.create_publisher(Float64MultiArray, settings.commands, RELIABLE)
        where = settings.manager.rpartition("/")[0]
        resting = f"{where}/{settings.resting_controller}/get_parameters"
        self._resting = node.create_client(GetParameters, resting)
        self._asked: RosFuture | None = None  # whether the resting controller goes back
        self._proof: Proof | None = None
        self._parts: list[tuple[int, Proof]] = []  # that take over, each from a stamp on [ns]
        self._switcher = ControllerSwitcher(
            self._request,
            settings.manager,
            settings.torque_controller,
            settings.resting_controller,
        )
        self._taken = self._moving = False  # moving: a motion was sent, and not given up
        self._number = 0
        self._trouble: Found | None = None
        self._next_look = self._next_question = 0.0
        self._others = self._refused = ""
        self._begins_ns = 0  # stamp at which the motion begins [ns]
        self._given_up = self._closed = False
        node.create_subscription(
            ControllerManagerActivity, f"{settings.manager}/activity", self._on_activity, LATCHED
        )
        steady_timer(node, LOOK, self._look)

    def get_ready(self, tube: TrackingTube, box: ParameterBox, torque_limit: Array) -> None:
        """Keep what the next motion was proved for."""
        if tube.kind != ROBUST or tube.reserve is None:
            raise InputError(
                f"The motion's certificate has a tube of kind '{tube.kind}'; the back_end 'effort' "
                f"keeps only that of a robust design, kind '{ROBUST}'. Certify it for that one."
            )
        self._proof, self._parts = Proof(tube, box, torque_limit), []

    def get_ready_for_more(self, box: ParameterBox, torque_limit: Array, begins_ns: int) -> None:
        """Keep what a part that takes over was proved for, for when it does."""
        if self._proof is not None:
            self._parts.append((begins_ns, Proof(self._proof.tube, box, torque_limit)))

    def leave_at(self, time_ns: int) -> None:
        """Forget parts that do not come: a stop was proved for what the part before it was."""
        self._parts = [part for part in self._parts if part[0] < time_ns]

    def take(self) -> None:
        """Note that a motion is to come; the arm is taken over with its first torque."""
        self._taken, self._trouble = True, None

    @property
    def is_taken(self) -> bool:
        """Whether the loop hears the arm, and the arm's controller is at rest."""
        state = self._process.state
        idle = state is not None and state.hears and not state.sends and not self._process.death
        return self._taken and idle and self._switcher.is_settled

    def look(self, with_others: bool) -> ControllerReport:
        """Return how the loop and the controllers are; who else publishes torques commands them."""
        others, switcher = self._other_publishers(), self._switcher
        return ControllerReport(
            fault=self._trouble if self._taken else None,
            foreign=others,
            others=others,
            way_back=switcher.way_back,
            has_arm=switcher.may_have_arm and not switcher.wanted,
        )

    def release(self) -> None:
        """Give the arm back to its resting controller."""
        self._taken = self._moving = False
        self._switcher.want(False)
        self._asked = None  # it may be set otherwise before the next motion

    def absence(self) -> str:
        """Say what is missing for torques to be followed; empty if nothing is."""
        settings, state = self._settings, self._process.state
        if not self._request.is_ready:
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

    def _other_publishers(self) -> str:
        """Say who else publishes torques; empty if nobody does."""
        now = time.monotonic()
        if now >= self._next_look:
            self._next_look = now + OTHERS
            own = self._node.get_fully_qualified_name()
            loop = f"{self._settings.namespace.rstrip('/')}/{self._settings.node}"
            strange = sorted(set(publisher_names(self._node, self.target)) - {own, loop})
            self._others = (
                f"The arm is in use: {self.target} has a publisher in {', '.join(strange)}; only "
                "one node may command it at a time"
                if strange
                else ""
            )
        return self._others

    def is_unnamed(self) -> bool:
        """Whether somebody publishes torques whose name is not known yet."""
        return is_unnamed(self._node, self.target)

    def hold(self) -> None:
        """Have the arm braked, and held by its resting controller."""
        self._process.order(Hold())
        if self._trouble is not None and self._trouble[0] is Reason.NOT_STARTED:
            self._trouble = None  # it was taken in
        self._moving = False
        self._switcher.want(False)
        self._look()

    def send(self, points: Motion, start_ns: int, tube: TrackingTube) -> None:
        """Have the loop follow points; the arm is taken over once it sends torques."""
        if not self._taken or self._proof is None:
            raise InputError("The arm was not taken: nothing can be sent to it.")
        self._number += 1
        trajectory = JointTrajectory(points.time, points.q, points.dq, points.ddq)
        begins = not self._moving
        self._process.order(
            Follow(trajectory, start_ns, self._proof, self._number, begins, tuple(self._parts))
        )
        if begins:
            self._begins_ns, self._trouble, self._refused = start_ns, None, ""
        self._moving = True
        self._switcher.want(True)

    def doubt(self) -> str:
        """Say that the loop does not keep the times that the proof counts on."""
        state = self._process.state
        if state is None or not state.sends:
            return ""
        return state.figures.doubt(state.design)

    def figures(self) -> dict[str, object]:
        """Return the loop's times, and what of the controller's assumptions did not hold."""
        state = self._process.state
        if state is None:
            return {"torque loop": self._process.death or "starting"}
        found = state.figures
        return {
            "torque loop": self._process.death or _doing(state),
            "torque loop's process": self._process.pid,
            "torque period, median [ms]": 1e3 * found.median,
            "torque period, error, 99th percentile [ms]": 1e3 * found.error,
            "torque period, largest [ms]": 1e3 * found.largest,
            "age of states, 99th percentile [ms]": 1e3 * found.delay,
            "real-time scheduling": "yes" if state.real_time else "not allowed",
            "controller's assumptions": ", ".join(f"{k} ({n})" for k, n in state.said.items()),
        }

    def close(self) -> None:
        """End the loop's process; one that still moves the arm ends once it rests."""
        self._closed = True
        self._process.close()

    def _look(self) -> None:
        """See how the loop is, and have the right controller active."""
        if self._closed:
            return
        self._process.look()
        if self._asked is None and time.monotonic() >= self._next_question:
            self._next_question = time.monotonic() + OTHERS
            if self._resting.service_is_ready():
                self._asked = self._resting.call_async(GetParameters.Request(names=[GOES_BACK]))
        state, death = self._process.state, self._process.death
        if death:
            if not self._given_up:
                self._after_death(death)
            state = None
        elif state is not None and self._moving and state.number == self._number and state.refusal:
            self._give_up(Reason.NOT_STARTED, state.refusal)
        elif state is not None and self._moving and state.sends:
            self._look_whether_it_hears(state)
        self._look_at_switcher(state)

    def _look_whether_it_hears(self, state: LoopState) -> None:
        """Have an arm given back that the loop alone hears no more; the bridge listens itself."""
        if state.deaf <= self._settings.silence + STALE:
            return
        self._give_up(
            Reason.JOINT_STATES_LOST,
            f"The torque loop has heard no joint state that goes on from those before for "
            f"{state.deaf:.2f} s",
        )
        self._process.order(Hold())

    def _look_at_switcher(self, state: LoopState | None) -> None:
        """Have the arm taken or given back, or the loop send nothing once it is back."""
        switcher, now = self._switcher, time.monotonic()
        if refused := switcher.hear(now):
            if refused != self._refused:  # what is asked again and again is told once
                self._node.get_logger().error(refused)
            self._refused = refused
            if switcher.wanted:
                self._give_up(Reason.NOT_STARTED, refused)
        if found := switcher.lost(now):
            self._lose(found)
        if doubt := switcher.settle(now):
            self._node.get_logger().error(doubt)
        late = state is not None and state.stamp_ns > self._begins_ns
        if switcher.wanted and not switcher.has_arm and late:  # also where nobody has answered yet
            self._give_up(
                Reason.NOT_STARTED,
                f"'{self._settings.torque_controller}' had not taken the arm over as the motion "
                "was to begin; raise start_delay",
            )
        sends = state is not None and state.sends
        switcher.ask(now, sends and state is not None and state.number == self._number)
        if sends and not self._moving and switcher.is_settled:
            self._process.order(Rest())

    def _give_up(self, trouble: Reason, why: str) -> None:
        """Note why torques are of no use, and give the arm back."""
        self._trouble = self._trouble or (trouble, why.rstrip("."))
        self._moving = False
        self._switcher.want(False)

    def _after_death(self, death: str) -> None:
        """Hold the arm up as well as one message can, have it given back, and start anew."""
        state = self._process.state
        if (
            (self._switcher.may_have_arm or self._switcher.wanted)
            and state is not None
            and state.holding is not None
        ):
            self._publisher.publish(Float64MultiArray(data=state.holding.tolist()))
        if self._moving or self._switcher.may_have_arm:
            to = self._settings.resting_controller
            self._give_up(Reason.CONTROLLER_FAULT, f"{death}; the arm is given to '{to}'")
        self._given_up = state is None  # it never came so far as to answer: nor would the next
        then = "Look at what it printed." if self._given_up else "It is started anew."
        self._node.get_logger().error(f"{death}. {then}")
        if not self._given_up:
            self._process.close()
            self._process = LoopProcess(self._settings)

    def _on_activity(self, message: ControllerManagerActivity) -> None:
        """Take in which controllers are active."""
        self._switcher.see({x.name: x.state.label for x in message.controllers}, time.monotonic())

    def _lose(self, found: str) -> None:
        """Stop, and have the arm given back: torques do not move it any more, as it seems."""
        name, to = self._settings.torque_controller, self._settings.resting_controller
        state = self._process.state
        if state is not None and state.alone:
            self._give_up(
                Reason.CONTROLLER_FAULT,
                f"The torque loop went on alone ({state.alone}) to the end of the motion, and "
                f"has given the arm to '{to}'",
            )
            return
        self._give_up(
            Reason.CONTROLLER_INACTIVE,
            f"The torque controller '{name}' is {found} in motion (between motions it is to be "
            "inactive)",
        )
        self._process.order(Hold())


def _doing(state: LoopState) -> str:
    """Return what the loop does."""
    if state.sends:
        return "sends"
    return "waits" if state.hears else "hears no joint states"


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
