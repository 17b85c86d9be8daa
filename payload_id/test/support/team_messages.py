"""Samples of a made-up team as the messages that its robots would publish."""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import PoseStamped, TwistStamped, WrenchStamped
from rclpy.qos import QoSProfile, ReliabilityPolicy
from scipy.spatial.transform import Rotation
from sensor_msgs.msg import JointState

from payload_id.core.mechanism.delta import Delta
from payload_id.core.mechanism.gimbal import Gimbal
from payload_id.core.team.samples import RobotSamples

EPOCH = 1_700_000_000_000_000_000  # stamp of the time 0 [ns]
HOME = np.array([0.0, 0.0, 0.36])  # of the platforms [m]
RELIABLE = QoSProfile(depth=4000, reliability=ReliabilityPolicy.RELIABLE)
JOINTS = [f"{x}_{k}" for k in (1, 2, 3) for x in ("before", "after")]
NAMES = [*JOINTS, "x", "y", "z", "gimbal_x", "gimbal_y", "gimbal_z"]


def stamped(message, time_s: float):
    """Return a message with its stamp."""
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(
        EPOCH + round(float(time_s) * 1e9), 10**9
    )
    return message


def joint_states(samples: RobotSamples) -> list[JointState]:
    """Return what a weightless delta mechanism with a gimbal would publish of these samples."""
    delta, gimbal = Delta(), Gimbal()
    theta = delta.inverse(samples.position - samples.position.mean(axis=0) + HOME)
    angles = gimbal.angles(samples.rotation)
    force = np.einsum("nij,nj->ni", samples.rotation, samples.force)
    tau = np.einsum("nji,nj->ni", delta.jacobian(theta), force)
    found = []
    for k, t in enumerate(samples.time):
        pairs = np.stack([theta[k] + tau[k] / 1000.0, theta[k]], axis=1).ravel()
        message = JointState(name=NAMES, velocity=[0.0] * 9)
        message.position = [*map(float, pairs), 0.0, 0.0, 0.0, *map(float, angles[k])]
        message.effort = [*map(float, np.repeat(tau[k], 2)), 0.0, 0.0, 0.0]
        found.append(stamped(message, t))
    return found


def grasp_messages(samples: RobotSamples) -> list[tuple[PoseStamped, TwistStamped, WrenchStamped]]:
    """Return pose, twist and wrench of every sample."""
    turns, found = Rotation.from_matrix(samples.rotation).as_quat(), []
    moment = np.zeros_like(samples.force) if samples.moment is None else samples.moment
    for k, t in enumerate(samples.time):
        pose, twist, wrench = PoseStamped(), TwistStamped(), WrenchStamped()
        place, turn = pose.pose.position, pose.pose.orientation
        place.x, place.y, place.z = map(float, samples.position[k])
        turn.x, turn.y, turn.z, turn.w = map(float, turns[k])
        for vector, values in (
            (twist.twist.angular, samples.twist[k, :3]),
            (twist.twist.linear, samples.twist[k, 3:]),
            (wrench.wrench.force, samples.force[k]),
            (wrench.wrench.torque, moment[k]),
        ):
            vector.x, vector.y, vector.z = map(float, values)
        found.append(tuple(stamped(x, t) for x in (pose, twist, wrench)))
    return found
