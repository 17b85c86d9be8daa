"""The thread that follows joint states: what the gripper holds, and torques that carry the payload.

It empties the topic itself, a few hundred times a second; for an executor to be woken by each
message would cost more than what is done with it.
"""

from __future__ import annotations

from array import array
from collections import deque
from typing import TYPE_CHECKING

import numpy as np
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from std_msgs.msg import Float64MultiArray

from ...core.arm.arm_model import ArmModel
from ...core.control.carried_weight import CarriedWeight
from ...core.samples.stamps import NANOSECONDS
from ...files.robots.robot_file import RobotFile
from ..common.joint_state_reader import JointStateReader
from ..common.polled_subscription import joint_state_subscription
from ..runs.looping_thread import LoopingThread

if TYPE_CHECKING:
    from ...files.robots.robot_keys import Gripper

PERIOD = 0.0036  # [s] between two feed-forwards: 250 Hz, and some jitter
WAITING = 50  # joint states that may wait; older ones are let go
LATEST = 2.0  # [s]: what was seen longer ago is not known
STILL = 0.1  # [s]: fingers that close cross more than their tolerance in this time


class Fingers:
    """Tells from a gripper's joint whether it holds something."""

    def __init__(self, gripper: Gripper) -> None:
        """Know of no position."""
        self.gripper = gripper
        self._place, self._since_ns = np.nan, 0
        self._seen = deque[tuple[int, bool]](maxlen=1000)

    def look(self, stamp_ns: int, position: float) -> None:
        """Take in a position."""
        within, ends = self.gripper.tolerance, (self.gripper.open, self.gripper.closed)
        if not abs(position - self._place) <= within:
            self._place, self._since_ns = position, stamp_ns
        still = stamp_ns - self._since_ns >= STILL * NANOSECONDS
        held = still and all(abs(position - end) > within for end in ends)
        self._seen.append((stamp_ns, held))

    def at(self, stamp_ns: int) -> bool | None:
        """Return whether it held something at a time [ns]; None: that is not known."""
        oldest = stamp_ns - LATEST * NANOSECONDS
        newest = (held for seen, held in reversed([*self._seen]) if oldest < seen <= stamp_ns)
        return next(newest, None)


class StateFollower:
    """Looks at the gripper, and publishes `~/payload_feedforward`.

    Attributes:
        fingers: Of the gripper; may be asked by other threads.
        phi: What is carried, shape (10,); may be set by other threads.
    """

    def __init__(self, node: Node, robot: RobotFile, model: ArmModel, publishes: bool) -> None:
        """Start the thread.

        Args:
            node: The node.
            robot: The robot file.
            model: The arm.
            publishes: Whether torques are published; otherwise only the gripper is looked at.
        """
        self.fingers, self.phi = Fingers(robot.gripper), np.zeros(10)
        self._map, self._reader = robot.joint_map(), JointStateReader()
        self._carried = CarriedWeight(model, robot.limits.torque)
        self._torques = None
        if publishes:
            self._torques = node.create_publisher(
                Float64MultiArray, "~/payload_feedforward", qos_profile_sensor_data
            )
        self._states = joint_state_subscription(node, robot, WAITING, "best_effort")
        self._thread = LoopingThread("feedforward", self._step, PERIOD)

    def close(self) -> None:
        """End the thread."""
        self._thread.close()
        self._states.destroy()

    def _step(self) -> None:
        """Look at what has arrived; torques belong to the newest of it."""
        newest, gripper = None, self.fingers.gripper.joint
        for data, _ in self._states.take_all(WAITING):
            state = self._reader.read(data)
            if state is None or len(state.position) != len(state.names):
                continue
            if gripper in state.names:
                self.fingers.look(state.stamp_ns, state.position[state.names.index(gripper)])
            if (columns := self._map.columns(state.names)) is not None:
                newest = state.position[columns]
        if newest is None or self._torques is None or not np.isfinite(newest).all():
            return
        torque = self._carried.at(newest, self.phi)
        self._torques.publish(Float64MultiArray(data=array("d", torque.tobytes())))
