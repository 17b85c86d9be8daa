"""Plays the force-torque sensor between flange and payload of a simulated arm, for example 07."""

from __future__ import annotations

import sys
from collections import deque

import numpy as np
import pinocchio as pin
import rclpy
from geometry_msgs.msg import WrenchStamped
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import JointState

from payload_id import RobotFile, RobotModel

NOISE = np.array([0.05] * 3 + [0.002] * 3)  # largest [N, N m]
BIAS = np.array([3.0, -2.0, 5.0, 0.1, -0.2, 0.05])  # [N, N m]
QUEUE = 2000


class WrenchSensor(Node):
    """Publishes what the payload's motion asks for, by Pinocchio's dynamics of one body."""

    def __init__(self, robot: str, payload: list[float]) -> None:
        """Subscribe to the joint states of an arm that carries a payload, phi about the flange."""
        super().__init__("wrench_sensor")
        file = RobotFile.load(robot)
        self._joints, self._model = list(file.joints), RobotModel.from_robot_file(file)
        self._arm = self._model.pinocchio
        self._frame, self._name = self._arm.getFrameId(file.payload_frame), file.payload_frame
        self._gravity, self._random = file.gravity, np.random.default_rng(0)
        mass, com = payload[0], np.array(payload[1:4]) / payload[0]
        ixx, ixy, ixz, iyy, iyz, izz = payload[4:]
        about = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
        self._body = pin.Inertia(mass, com, about + mass * pin.skew(com) @ pin.skew(com))
        self._data, self._last = self._arm.createData(), deque[JointState](maxlen=3)
        self._wrenches = self.create_publisher(WrenchStamped, "wrench", QUEUE)
        self.create_subscription(JointState, "joint_states", self._on_state, QUEUE)

    def _on_state(self, message: JointState) -> None:
        """Publish the wrench at the state before this one: its acceleration is known now."""
        self._last.append(message)
        if len(self._last) < 3:
            return
        order = [message.name.index(name) for name in self._joints]
        times = [x.header.stamp.sec + 1e-9 * x.header.stamp.nanosec for x in self._last]
        before, now, after = (np.array(x.velocity)[order] for x in self._last)
        q = self._model.pinocchio_q(np.array(self._last[1].position)[order])
        ddq = (after - before) / (times[2] - times[0])
        pin.forwardKinematics(self._arm, self._data, q, now, ddq)
        pin.updateFramePlacements(self._arm, self._data)
        v = pin.getFrameVelocity(self._arm, self._data, self._frame, pin.LOCAL)
        a = pin.getFrameAcceleration(self._arm, self._data, self._frame, pin.LOCAL)
        a.linear = a.linear - self._data.oMf[self._frame].rotation.T @ self._gravity
        true = (self._body * a + v.cross(self._body * v)).vector
        shown = true + BIAS + self._random.uniform(-NOISE, NOISE)
        wrench = WrenchStamped(header=self._last[1].header)
        wrench.header.frame_id = self._name
        for axis, f, t in zip("xyz", shown[:3], shown[3:], strict=True):
            setattr(wrench.wrench.force, axis, float(f))
            setattr(wrench.wrench.torque, axis, float(t))
        self._wrenches.publish(wrench)


if __name__ == "__main__":
    rclpy.init()
    try:
        rclpy.spin(WrenchSensor(sys.argv[1], [float(x) for x in sys.argv[2:]]))
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
