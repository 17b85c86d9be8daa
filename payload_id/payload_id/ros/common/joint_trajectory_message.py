"""trajectory_msgs/JointTrajectory as joint_trajectory_controller reads it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage
from trajectory_msgs.msg import JointTrajectoryPoint

from ...core.arrays import Array
from ...core.errors import InputError
from ...core.motion.joint_trajectory import JointTrajectory, column_order
from ...core.motion.trajectory import Motion, Trajectory, sampled
from .conversions import duration_message, time_message


def trajectory_from_message(
    message: JointTrajectoryMessage, joints: Sequence[str]
) -> JointTrajectory:
    """Return the trajectory with its columns in the arm's joint order.

    Unlike the controller, which decides for each segment, all points must have the same fields.

    Args:
        message: The message.
        joints: The arm's joints.

    Raises:
        InputError: The controller would reject the message.
    """
    if not message.points:
        raise InputError("Empty trajectory received: it has no points.")
    order = column_order(message.joint_names, joints)
    if any(point.effort for point in message.points):
        raise InputError(
            "The trajectory has efforts, and the arm has no effort interface; leave them empty."
        )
    time = [p.time_from_start.sec + 1e-9 * p.time_from_start.nanosec for p in message.points]
    if time[0] < 0:
        raise InputError(f"time_from_start must not be negative; the first one is {time[0]} s.")
    q = _field(message, "positions", order)
    if q is None:
        raise InputError("The trajectory has no positions; give them for every point.")
    velocities = _field(message, "velocities", order)
    return JointTrajectory(np.array(time), q, velocities, _field(message, "accelerations", order))


def message_of(
    trajectory: Trajectory, joints: Sequence[str], rate: float
) -> JointTrajectoryMessage:
    """Return a motion as a message, with velocities and accelerations (quintic interpolation).

    Args:
        trajectory: The motion.
        joints: Names of its joints.
        rate: Of the points [Hz].
    """
    return message_of_points(sampled(trajectory, rate), joints)


def message_of_points(
    motion: Motion, joints: Sequence[str], start_ns: int | None = None
) -> JointTrajectoryMessage:
    """Return points as a message.

    Args:
        motion: The points.
        joints: Names of its joints.
        start_ns: Stamp of time 0 [ns]; None: as soon as it arrives.
    """
    message = JointTrajectoryMessage(joint_names=list(joints))
    if start_ns is not None:
        message.header.stamp = time_message(start_ns)
    for time, q, dq, ddq in zip(motion.time, motion.q, motion.dq, motion.ddq, strict=True):
        point = JointTrajectoryPoint(positions=q, velocities=dq, accelerations=ddq)
        point.time_from_start = duration_message(time)
        message.points.append(point)
    return message


def _field(message: JointTrajectoryMessage, name: str, order: list[int]) -> Array | None:
    """Return one field of all points in the arm's order, shape (K, n); None where it is empty."""
    rows = [getattr(point, name) for point in message.points]
    if not any(len(row) for row in rows):
        return None
    for k, row in enumerate(rows):
        if len(row) != len(order):
            raise InputError(
                f"Point {k} of the trajectory has {len(row)} {name} for {len(order)} joints; give "
                f"as many as there are joints, for every point or (velocities, accelerations) none."
            )
    return np.array(rows, dtype=float)[:, order]
