"""The torque loop: one state, one torque, every period; it waits in between.

It runs in a process of its own, without an executor: messages are taken when they are needed.
Forward controllers have no watchdog, so this process is watched by the bridge, and watches it: if
the bridge is gone, it follows the motion to its end, holds the arm there, gives it to its resting
controller and ends. A bridge that stood still, and orders again before, has the motion back. What
remains is the death of both at once.

A torque takes longer to compute where there is a new state than where there is none. So it is
computed before it is due and waits: what is sent keeps the beat, whatever computing it has taken.
"""

from __future__ import annotations

import gc
import math
import signal
import time
from array import array
from contextlib import suppress
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
from .messages import Ask, End, Follow, Hold, LoopSettings, LoopState, Order, Rest
from .order_reader import OrderReader
from .period_watch import PeriodWatch
from .real_time import scheduled_in_real_time, sleep_until
from .state_check import StampedState, StateCheck
from .switch_request import SwitchRequest
from .torque_follower import STALE, TorqueFollower, controller_of

QUEUE = 100  # joint states that may wait
LEAD = 0.6  # of the period by which a torque is computed before it is due [-], ...
LONGEST_LEAD = 1e-3  # [s] but no longer: its state grows old
IDLE = 0.01  # [s] between two looks for an order while no torques are sent
DEAF = 0.25  # [s] without joint states after which nothing is begun
GONE = 1.0  # [s] without an order after which the bridge counts as gone, ...
STOOD_STILL = f"The bridge has not asked for {GONE:g} s"  # ... unless it orders again
FIGURES = 0.5  # [s] between two looks at the loop's own times
AGAIN = 0.5  # [s] between two attempts to give the arm away
DEAD = 5.0  # [s] without joint states after which there is no arm that could be given away
OTHER_CLOCK = 10.0  # [s] of age above which stamps are of another clock: simulated time


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
        self._named = in_messages(robot.joints[0])  # one of which each of the arm's has
        policy = ReliabilityPolicy.RELIABLE if settings.reliable else ReliabilityPolicy.BEST_EFFORT
        profile = QoSProfile(depth=QUEUE, reliability=policy)
        self._states = PolledSubscription(node, JointState, settings.joint_states, profile)
        quality = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
        self._publisher = node.create_publisher(Float64MultiArray, settings.commands, quality)
        self._request = SwitchRequest(node, settings.manager)
        self._watch = PeriodWatch(settings.period)
        self._message = Float64MultiArray()
        self._follower: TorqueFollower | None = None
        self._newest: StampedState | None = None
        self._heard = -np.inf  # when that came, by the monotonic clock [s]
        self._asked = time.monotonic()
        self._zero_ns = 0  # stamp that the time of measurements counts from [ns]
        self._check = StateCheck.of(robot)
        self._number, self._refusal = 0, ""
        self._alone, self._gone = "", False  # why nobody may order any more; nobody ever will
        self._gives_away = self._ended = False
        self._next_try = self._next_figures = 0.0
        self._figures = self._watch.figures()
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
                if self._alone:
                    self._give_away(self._follower)
                # Steps that were missed are not made up for: the next one is that of now.
                missed = math.ceil((time.monotonic() - due) / period)
                due += max(1, missed) * period
            self._take_orders()  # once the torque is on its way
            sleep_until(due - lead)

    def _take_orders(self) -> None:
        """Carry out what the bridge has ordered, or note that it is gone."""
        if self._gone:
            return
        try:
            while order := self._orders.take():
                self._carry_out(order)
        except (EOFError, OSError):
            self._gone = True
            self._leave_alone("The bridge is gone")
            return
        silent = time.monotonic() - self._asked > GONE
        if silent and not self._alone and self._follower is not None:
            self._leave_alone(STOOD_STILL)

    def leave(self, number: int, frame: object) -> None:
        """Go on without the bridge: a signal has told this process to end."""
        self._leave_alone("This process was told to end")

    def _leave_alone(self, why: str) -> None:
        """Note that nobody orders any more, and tell who may ask again."""
        self._alone = why
        with suppress(OSError):
            self._connection.send(self._state())
        if self._follower is not None:
            self._node.get_logger().error(
                f"{why}: the motion is followed to its end, then "
                f"'{self._settings.resting_controller}' is given the arm."
            )

    def _carry_out(self, order: Order) -> None:
        """Carry out one order: of who stood still, too, unless the arm is being given away."""
        self._asked = time.monotonic()
        if self._alone == STOOD_STILL and not self._gives_away:
            self._alone = ""
            self._node.get_logger().warning("The bridge asks again, and has the motion back.")
        match order:
            case Ask():
                self._connection.send(self._state())
            case Follow():
                self._follow(order)
            case Hold() if self._follower is not None and self._newest is not None:
                self._follower.hold(self._measurement())
            case Rest():
                self._follower = None
            case End():
                self._follower, self._ended = None, True

    def _follow(self, order: Follow) -> None:
        """Follow a motion, or refuse to."""
        self._number, self._refusal = order.number, ""
        try:
            if self._alone and (order.begins or self._gives_away):
                raise InputError(f"The torque loop goes on alone ({self._alone}).")
            if self._follower is not None and not order.begins:
                start = seconds_since(order.start_ns, self._zero_ns)
                parts = [
                    (float(seconds_since(stamp, self._zero_ns)), controller_of(self._model, proof))
                    for stamp, proof in order.parts
                ]
                self._follower.replace(order.trajectory, float(start), parts)
                return
            if not order.begins:
                raise InputError("The motion that was to be replaced is over.")
            if self._newest is None or time.monotonic() - self._heard > STALE:
                raise InputError(f"No joint states come on {self._settings.joint_states}.")
            self._follower, self._zero_ns = None, order.start_ns
            controller = controller_of(self._model, order.proof)
            now = self._measurement()
            self._follower = TorqueFollower(controller, now, order.trajectory, 0.0)
            self._command(self._follower.holding_torque(now.q))  # not what was sent before
        except InputError as error:
            self._refusal = str(error)

    def _listen(self) -> bool:
        """Take in the newest joint state that can be the arm's; return whether there is a new one.

        Others may publish on the topic, too, such as a gripper: what does not name the arm is left
        out. So is, in a motion, what does not go on from the one before: as if nothing had come.
        """
        waiting, now = [data for data, _ in self._states.take_all(QUEUE)], time.monotonic()
        for data in reversed(waiting):
            if not any(name in data for name in self._named):
                continue
            if (seen := self._usable(data, now)) is None:
                continue
            self._newest, self._heard = seen, now
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
        elif time.monotonic() - self._heard > STALE:
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

    def _give_away(self, follower: TorqueFollower) -> None:
        """Give the arm to its resting controller: at the motion's end, or off the tube."""
        now, time_now = self._measurement(), time.monotonic()
        answer = self._request.answer()
        if answer is not None and answer[0]:
            self._node.get_logger().error(f"'{self._settings.resting_controller}' has the arm.")
            self._follower, self._ended = None, True
            return
        lost = time_now - self._heard
        if lost > DEAD:
            self._ended = True
            return
        why = (
            "the motion is over"
            if follower.is_over(now.time)
            else "joint states stay away"
            if lost > self._settings.silence
            else "the tube is left"
            if follower.has_left_tube(now)
            else ""
        )
        if why and not self._request.waits and time_now >= self._next_try:
            self._next_try, self._gives_away = time_now + AGAIN, True
            self._node.get_logger().error(f"The arm is given away: {why}.")
            self._request.ask(
                self._settings.resting_controller, self._settings.torque_controller, False
            )

    def _state(self) -> LoopState:
        """Return what the bridge wants to know."""
        follower, now = self._follower, time.monotonic()
        deaf = now - self._heard
        if now >= self._next_figures:  # they cost about as much as a step
            self._next_figures = now + FIGURES
            self._figures = self._watch.figures()
        holding: Array | None = None
        if follower is not None and self._newest is not None:
            holding = follower.holding_torque(self._newest.q)
        return LoopState(
            deaf < (DEAF if follower is None else STALE),
            0 if self._newest is None else self._newest.stamp,
            follower is not None,
            self._number,
            self._refusal,
            self._figures,
            0.0 if follower is None else follower.controller.tube.design.period,
            {} if follower is None else dict(follower.said),
            holding,
            self._real_time,
            self._alone,
            deaf,
        )


def in_messages(name: str) -> tuple[bytes, bytes]:
    """Return the bytes of a name in serialized messages (CDR), of either order."""
    text = name.encode() + b"\0"
    return len(text).to_bytes(4, "little") + text, len(text).to_bytes(4, "big") + text


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
