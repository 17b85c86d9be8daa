"""Commands of real controllers, as joint_state_topic_hardware_interface sends them.

Source: ros-controls/topic_based_hardware_interfaces, joint_state_topic_hardware_interface.cpp:
one message a cycle, all joints; interfaces that no controller has claimed are not numbers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState

from ....core.arrays import Array
from ....core.errors import InputError
from ....core.motion.joint_trajectory import JointTrajectory, column_order
from ....files.robots.robot_file import RobotFile
from ...common.conversions import stamp_of
from ...common.timeouts import LOG
from ..controllers.controller import Command, Cycle, Follow
from .description import COMMANDS

LONGEST_PERIOD = 0.1  # [s] between two commands of one motion
AHEAD = 0.02  # [s] within which the drives are where a command leads: what its stamp is off by
SLOWING = 10.0  # periods within which the drives come to rest where no further command comes
# By how much faster than that of the stamps simulated time may pass, once it is behind [-].
CATCHING_UP = 0.3


@dataclass(frozen=True, eq=False)
class _Command:
    """A command: at time t [s] be at q, going at dq; the next one comes a period later."""

    t: float
    q: Array
    dq: Array
    period: float

    def way(self, cycle: Cycle) -> Follow:
        """Return the way there from what the drives are told now, and on."""
        ahead = max(self.t + AHEAD - cycle.time, self.period)
        times = np.cumsum([ahead, SLOWING * self.period])
        there = self.q + (cycle.time + ahead - self.t) * self.dq
        q = np.stack([there, there + 0.5 * SLOWING * self.period * self.dq])
        return Follow(JointTrajectory(times, q, np.stack([self.dq, np.zeros_like(self.dq)])), None)


class JointCommands:
    """Has the drives go where real controllers send them.

    A command says where to be at its stamp, and comes some milliseconds later, now more, now fewer.
    So the drives are told where its velocity leads from there a little later than now, and go that
    way along a cubic: what the way of the messages costs is neither a lag nor a jolt. Positions
    without velocities: differences of positions are the velocities.
    """

    broadcasts = True  # joint states are what the controllers live on

    def __init__(
        self,
        node: Node,
        robot: RobotFile,
        write: Callable[[Sequence[Command]], None],
        time: Callable[[], float],
        lock: threading.Lock,
    ) -> None:
        """Subscribe to the commands.

        Args:
            node: The node.
            robot: The robot file.
            write: Tells the drives.
            time: Returns the simulated time of now [s].
            lock: Held by whoever touches the newest command.
        """
        self._joints, self._write = robot.joints, write
        self._time, self._lock = time, lock
        self._log = node.get_logger()
        self._last: tuple[float, Array] | None = None  # stamp [s] and positions of the last command
        self._offset = np.inf  # of simulated time against stamps, of the commands that come soonest
        self._new: _Command | None = None
        node.create_subscription(JointState, COMMANDS, self._on_command, 1)

    def words(self) -> str:
        """Return where motion goes, in a few words."""
        return f"motion by controllers that command {COMMANDS}"

    def cycle(self, cycle: Cycle) -> None:
        """Tell the drives what has come."""
        with self._lock:
            command, self._new = self._new, None
        self._write([] if command is None else [command.way(cycle)])

    def report(self) -> None:
        """Publish nothing: the controllers do."""

    def _on_command(self, message: JointState) -> None:
        """Take in a command."""
        try:
            order = column_order(message.name, self._joints)
            q = _in_order(message.position, order)
            if q is None:
                return  # no controller moves the arm
            command = self._towards(q, message, order)
        except InputError as error:
            self._log.warning(
                f"A command on {COMMANDS} is dropped: {error}", throttle_duration_sec=LOG
            )
            return
        with self._lock:
            self._new = command

    def _towards(self, q: Array, message: JointState, order: list[int]) -> _Command | None:
        """Return what a command asks for, in simulated time; None: it tells no velocity yet."""
        t, dq = 1e-9 * stamp_of(message.header.stamp), _in_order(message.velocity, order)
        last, self._last = self._last, (t, q)
        if last is None or not 0.0 < t - last[0] < LONGEST_PERIOD:
            return None
        period = t - last[0]
        self._offset = min(self._time() - t, self._offset + CATCHING_UP * period)
        return _Command(t + self._offset, q, (q - last[1]) / period if dq is None else dq, period)


def _in_order(values: object, order: list[int]) -> Array | None:
    """Return a command's numbers in the arm's order, shape (n,); None: not all are finite numbers.

    Raises:
        InputError: Their number is not that of the joints.
    """
    numbers = np.array(values, dtype=float)
    if len(numbers) not in (0, len(order)):
        raise InputError(f"It has {len(order)} names and {len(numbers)} numbers.")
    if len(numbers) == 0 or not np.isfinite(numbers).all():
        return None
    return numbers[order]
