"""The torque loop: one state, one torque, every period; it waits in between.

It runs in a process of its own, without an executor: messages are taken when they are needed.
Forward controllers have no watchdog, so this process is watched by the bridge, and watches itself:
it has the controllers switched, and gives the arm back where it is told to, where joint states stay
away or the tube is left. If the bridge is gone, it follows the motion to its end, gives the arm
back and ends. What remains is the death of both at once.

A torque takes longer to compute where there is a new state than where there is none. So it is
computed before it is due and waits: what is sent keeps the beat, whatever computing it has taken.
"""

from __future__ import annotations

import gc
import math
import signal
import time
from array import array
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection

import numpy as np
import rclpy
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from ...core.arrays import Array
from ...core.control.controller import Measurement
from ...core.errors import InputError
from ...core.samples.joint_map import JointMap
from ...core.samples.sample_checks import FASTEST, LARGEST, Drop
from ...core.samples.stamps import seconds_since
from ...core.threads import one_thread
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ..common.conversions import decoded, stamp_of
from ..common.polled_subscription import PolledSubscription
from .handover import Handover
from .messages import Ask, End, Follow, Hold, LoopSettings, LoopState, Order, Rest
from .order_reader import OrderReader
from .period_watch import PeriodWatch
from .real_time import scheduled_in_real_time, sleep_until
from .state_check import StampedState, StateCheck
from .torque_follower import STALE, TorqueFollower, controller_of

QUEUE = 100  # joint states that may wait
LEAD = 0.6  # of the period by which a torque is computed before it is due [-], ...
LONGEST_LEAD = 1e-3  # [s] but no longer: its state grows old
IDLE = 0.01  # [s] between two looks for an order while no torques are sent
GONE = 1.0  # [s] without an order after which a bridge does not end a motion that is over
DEAD = 5.0  # [s] without joint states after which there is no arm that could be given back
OTHER_CLOCK = 10.0  # [s] of age above which stamps are of another clock: simulated time


@dataclass(frozen=True)
class _Order:
    """The newest order to follow, and what has become of it; see `LoopState`."""

    number: int = 0
    started: bool = False
    trouble: str = ""
    gives_back: bool = False


class TorqueLoop:
    """Carries out what the bridge orders, until it is told to end or the bridge is gone."""

    def __init__(
        self, node: Node, connection: Connection, settings: LoopSettings, real_time: bool
    ) -> None:
        """Read the robot file, and listen.

        Args:
            node: The node; nobody else uses it.
            connection: To the bridge.
            settings: Of the loop.
            real_time: Whether this process is scheduled in real time.
        """
        self._node, self._connection, self._settings = node, connection, settings
        self._orders = OrderReader(connection)
        robot = RobotFile.load(settings.robot_file)
        self._model = RobotModel.from_robot_file(robot)
        self._map = JointMap(robot.joints, 1.0, 0.0)
        policy = ReliabilityPolicy.RELIABLE if settings.reliable else ReliabilityPolicy.BEST_EFFORT
        profile = QoSProfile(depth=QUEUE, reliability=policy)
        self._states = PolledSubscription(node, JointState, settings.joint_states, profile)
        quality = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
        self._publisher = node.create_publisher(Float64MultiArray, settings.commands, quality)
        self._handover = Handover(
            node, settings.manager, settings.torque_controller, settings.resting_controller
        )
        self._watch = PeriodWatch(settings.period)
        self._message = Float64MultiArray()
        self._follower: TorqueFollower | None = None
        self._newest: StampedState | None = None
        self._asked = time.monotonic()
        self._zero_ns = 0  # stamp that the time of measurements counts from [ns]
        self._check = StateCheck.of(robot)
        self._order = _Order()
        self._alone = ""  # why nobody orders any more
        self._ended = False
        self._real_time = real_time

    def run(self) -> None:
        """Run until the end."""
        due, period = time.monotonic(), self._settings.period
        lead = min(LEAD * period, LONGEST_LEAD)
        while not self._ended:
            fresh = self._listen()
            if self._follower is None:
                self._watch.pause()
                due = time.monotonic() + IDLE
                self._ended |= bool(self._alone)
            else:
                self._prepare(self._follower, fresh)
                sleep_until(due)
                self._send()
                self._hand_over(self._follower)
                # Steps that were missed are not made up for: the next one is that of now.
                missed = math.ceil((time.monotonic() - due) / period)
                due += max(1, missed) * period
            self._take_orders()  # once the torque is on its way
            sleep_until(due - lead)

    def _take_orders(self) -> None:
        """Carry out what the bridge has ordered, or note that it is gone."""
        try:
            while order := self._orders.take():
                self._carry_out(order)
        except (EOFError, OSError):
            self._leave_alone("The bridge is gone")

    def leave(self, number: int, frame: object) -> None:
        """Go on without the bridge: a signal has told this process to end."""
        self._leave_alone("This process was told to end")

    def _leave_alone(self, why: str) -> None:
        """Note that nobody orders any more."""
        self._alone = why
        if self._follower is not None:
            self._node.get_logger().error(
                f"{why}: the motion is followed to its end, then "
                f"'{self._settings.resting_controller}' is given the arm."
            )

    def _carry_out(self, order: Order) -> None:
        """Carry out one order."""
        self._asked = time.monotonic()
        match order:
            case Ask():
                self._connection.send(self._state())
            case Follow():
                self._follow(order)
            case Hold() if self._follower is not None:
                self._order = replace(self._order, gives_back=True)
                self._follower.hold(self._measurement())
            case Rest():
                self._order = replace(self._order, gives_back=True)
            case End():
                self._follower, self._ended = None, True

    def _follow(self, order: Follow) -> None:
        """Follow a motion, or refuse to."""
        self._order = (
            _Order(order.number) if order.begins else replace(self._order, number=order.number)
        )
        try:
            if order.begins:
                self._begin(order)
            elif self._follower is None or self._order.gives_back:
                raise InputError("The motion that was to be replaced is over.")
            else:
                self._replace(self._follower, order)
        except InputError as error:
            self._give_up(str(error))

    def _begin(self, order: Follow) -> None:
        """Begin to follow a motion from rest."""
        if self._alone or self._handover.may_have:
            raise InputError(f"The torque loop begins nothing. {self._alone}".rstrip())
        if self._deaf > STALE:
            raise InputError(f"No joint states come on {self._settings.joint_states}.")
        self._zero_ns = order.start_ns
        controller, now = controller_of(self._model, order.proof), self._measurement()
        self._follower = TorqueFollower(controller, now, order.trajectory, 0.0)
        self._command(self._follower.holding_torque(now.q))  # not what was sent before

    def _replace(self, follower: TorqueFollower, order: Follow) -> None:
        """Follow another motion from now on."""
        parts = [
            (float(seconds_since(stamp, self._zero_ns)), controller_of(self._model, proof))
            for stamp, proof in order.parts
        ]
        start = float(seconds_since(order.start_ns, self._zero_ns))
        follower.replace(order.trajectory, start, parts)

    def _give_up(self, trouble: str) -> None:
        """Give the arm back though nobody has ordered that; the first cause counts."""
        self._node.get_logger().error(trouble)
        self._order = replace(self._order, trouble=self._order.trouble or trouble, gives_back=True)

    def _hand_over(self, follower: TorqueFollower) -> None:
        """Have the torque controller take the arm, or the resting controller take it back."""
        arm, now = self._handover, time.monotonic()
        arm.look(now)
        self._order = replace(self._order, started=self._order.started or arm.has)
        if not self._order.gives_back and (why := self._trouble(follower, now)):
            self._give_up(why)
        if not self._order.gives_back:
            arm.take(now)
            return
        arm.give_back(now)
        if not arm.may_have:
            self._follower = None
        self._ended = bool(self._alone) and (not arm.may_have or self._deaf > DEAD)

    def _trouble(self, follower: TorqueFollower, now: float) -> str:
        """Return why torques cannot go on, at a time [s]; empty if they can."""
        arm, seen, deaf = self._handover, self._measurement(), self._deaf
        if arm.refusal:
            return arm.refusal
        if not arm.has and seen.time > 0.0:
            return (
                f"'{self._settings.torque_controller}' had not taken the arm over as the motion "
                "was to begin; raise start_delay"
            )
        if deaf > self._settings.silence:
            return f"No joint state that goes on from those before came for {deaf:.2f} s"
        if follower.has_left_tube(seen):
            return "The torque loop finds the arm outside its tube"
        is_left = bool(self._alone) or now - self._asked > GONE
        over = is_left and follower.is_over(seen.time)
        return "The motion is over, and nobody has given the arm back" if over else ""

    def _listen(self) -> bool:
        """Take in the newest joint state that can be the arm's; return whether there is a new one.

        Others may publish on the topic, too, such as a gripper: what does not name the arm is left
        out. So is, in a motion, what does not go on from the one before: as if nothing had come.
        """
        waiting, now = [data for data, _ in self._states.take_all(QUEUE)], time.monotonic()
        for data in reversed(waiting):
            if (seen := self._usable(data, now)) is None:
                continue
            self._newest = seen
            return True
        return False

    def _usable(self, data: bytes, now: float) -> StampedState | None:
        """Return a message's joint state; None if it is of no use now."""
        message = decoded(data, JointState)
        if message is None:
            return None
        found = self._map.convert(message.name, message.position, message.velocity, ())
        if isinstance(found, Drop) or not (np.abs(found[0]) <= LARGEST).all():
            return None
        seen = StampedState(stamp_of(message.header.stamp), found[0], found[1], now)
        if self._follower is None or self._newest is None:
            return seen
        if seen.stamp == self._newest.stamp:
            return None
        slow = (np.abs(seen.dq) <= FASTEST).all()
        return seen if slow and self._check.follows(self._newest, seen) else None

    @property
    def _deaf(self) -> float:
        """Time since the newest joint state that goes on from those before came [s]."""
        return np.inf if self._newest is None else time.monotonic() - self._newest.now

    def _measurement(self) -> Measurement:
        """Return the newest state."""
        if self._newest is None:
            raise InputError("There is no joint state yet.")
        seen = self._newest
        return Measurement(float(seconds_since(seen.stamp, self._zero_ns)), seen.q, seen.dq)

    def _prepare(self, follower: TorqueFollower, fresh: bool) -> None:
        """Compute the torque for the newest state; an old state gets what holds it up."""
        now = self._measurement()
        if fresh:
            self._command(follower.step(now).torque)
        elif self._deaf > STALE:
            self._command(follower.holding_torque(now.q))

    def _send(self) -> None:
        """Send the torque, and note when, and how old its state is."""
        self._publisher.publish(self._message)
        stamp = 0 if self._newest is None else self._newest.stamp
        age = 1e-9 * (time.time_ns() - stamp)
        self._watch.step(time.monotonic(), age if abs(age) < OTHER_CLOCK else np.nan)

    def _command(self, torque: Array) -> None:
        """Set the torque that is sent from now on."""
        self._message.data = array("d", torque.tobytes())

    def _state(self) -> LoopState:
        """Return what the bridge wants to know."""
        follower, order = self._follower, self._order
        holding: Array | None = None
        if follower is not None:
            holding = follower.holding_torque(self._measurement().q)
        design = np.inf if follower is None else follower.controller.tube.design.period
        figures, doubt = self._watch.judged(design)
        return LoopState(
            self._deaf < self._settings.silence,
            follower is not None,
            order.number,
            order.started,
            order.trouble,
            self._handover.refusal if order.gives_back else "",
            figures,
            doubt,
            {} if follower is None else dict(follower.said),
            holding,
            self._real_time,
        )


def serve(connection: Connection, settings: LoopSettings) -> None:
    """Run the loop until it ends."""
    for number in (signal.SIGINT, signal.SIGHUP):  # ctrl-C, the end of a terminal:
        signal.signal(number, signal.SIG_IGN)  # the bridge ends this process in order
    real_time = scheduled_in_real_time()  # the middleware's threads, begun later, are as well
    context = rclpy.Context()
    rclpy.init(context=context, signal_handler_options=rclpy.SignalHandlerOptions.NO)
    node = rclpy.create_node(
        settings.node, namespace=settings.namespace, context=context, use_global_arguments=False
    )
    try:
        loop = TorqueLoop(node, connection, settings, real_time)
        signal.signal(signal.SIGTERM, loop.leave)
        gc.collect()
        gc.freeze()
        gc.disable()  # a collection takes longer than a period; nothing here makes cycles
        with one_thread():
            loop.run()
    finally:
        node.destroy_node()
        rclpy.shutdown(context=context)
