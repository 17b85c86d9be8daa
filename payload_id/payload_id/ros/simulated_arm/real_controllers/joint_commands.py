"""Commands of real controllers, as joint_state_topic_hardware_interface sends them.

Source: ros-controls/topic_based_hardware_interfaces, joint_state_topic_hardware_interface.cpp:
one message a cycle, all joints; interfaces that no controller has claimed are not numbers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState

from ....core.arrays import Array
from ....core.errors import InputError
from ....core.motion.joint_trajectory import JointTrajectory, column_order
from ....files.robots.robot_file import RobotFile
from ...common.conversions import stamp_of
from ...common.throttled_log import ThrottledLog
from ..controllers.controller import Command, Cycle, Follow
from .description import COMMANDS

LONGEST_PERIOD = 0.1  # [s] between two commands of one motion
ENDING = 3.0  # periods within which the drives come to rest when no command comes any more


class JointCommands:
    """Has the drives go where real controllers send them, a period after each command.

    Within a period they follow the cubic that joins what they were told to the new position and
    velocity. Positions without velocities: differences of positions are the velocities.
    """

    broadcasts = True  # joint states are what the controllers live on

    def __init__(
        self,
        node: Node,
        robot: RobotFile,
        write: Callable[[Sequence[Command]], None],
        period: float,
        lock: threading.Lock,
    ) -> None:
        """Subscribe to the commands.

        Args:
            node: The node.
            robot: The robot file.
            write: Tells the drives.
            period: Between two cycles of the arm [s].
            lock: Held by whoever touches the newest command.
        """
        self._joints, self._write = robot.joints, write
        self._period, self._lock = period, lock
        self._log = ThrottledLog(node)
        self._last: tuple[float, Array] | None = None  # time [s] and positions of the last command
        self._new: Follow | None = None
        node.create_subscription(JointState, COMMANDS, self._on_command, 1)

    def words(self) -> str:
        """Return where motion goes, in a few words."""
        return f"motion by controllers that command {COMMANDS}"

    def cycle(self, cycle: Cycle) -> None:
        """Tell the drives what has come."""
        with self._lock:
            command, self._new = self._new, None
        self._write([] if command is None else [command])

    def report(self) -> None:
        """Publish nothing: the controllers do."""

    def _on_command(self, message: JointState) -> None:
        """Take in a command."""
        try:
            order = column_order(message.name, self._joints)
            q = _in_order(message.position, order)
            if q is None:
                return  # no controller moves the arm
            command = self._towards(1e-9 * stamp_of(message.header.stamp), q, message, order)
        except InputError as error:
            self._log.warn(COMMANDS, f"A command on {COMMANDS} is dropped: {error}")
            return
        with self._lock:
            self._new = command

    def _towards(self, t: float, q: Array, message: JointState, order: list[int]) -> Follow:
        """Return the way to a command that was given at a time [s]."""
        t_last, q_last = self._last or (t, q)
        self._last = t, q
        period = float(np.clip(t - t_last, self._period, LONGEST_PERIOD))
        dq = _in_order(message.velocity, order)
        if dq is None:
            dq = (q - q_last) / period
        times = period * np.array([1.0, ENDING])
        there = np.stack([q, q + 0.5 * (ENDING - 1.0) * period * dq])
        return Follow(JointTrajectory(times, there, np.stack([dq, np.zeros_like(dq)])), None)


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
