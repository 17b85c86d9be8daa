"""Motion of a sensor that an arm carries, from joint positions and velocities."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..arm.arm_model import ArmModel
from ..arm.frames import frame_id
from ..arm.kinetics import body_motion, frames
from ..arrays import Array
from ..errors import ModelError, RecordingError, UnknownNameError
from .filters import (
    LEAST_WINDOW,
    bandwidth_of,
    even_step,
    resampled,
    savitzky_golay,
    savitzky_golay_window,
)
from .sensor_motion import between_gaps
from .stamps import covered, even_grid
from .wrench_samples import WrenchSamples


def model_at(model: ArmModel, frame: str) -> ArmModel:
    """Return the arm with another of its frames in the place of the payload's.

    Raises:
        UnknownNameError: The description has no such frame; lists those it has.
        ModelError: The frame does not move with the arm.
    """
    if frame == model.payload_frame:
        return model
    description = model.pinocchio
    if not description.existFrame(frame):
        known = [entry.name for entry in description.frames if entry.name != "universe"]
        raise UnknownNameError("sensor frame", frame, known, f"the description of {model.name}")
    entry = description.frames[frame_id(description, frame)]
    if entry.parentJoint == 0:
        raise ModelError(
            f"The sensor frame '{frame}' does not move with any joint of {model.name}; name the "
            "frame of the sensor at the flange."
        )
    return replace(
        model,
        payload_frame=frame,
        payload_joint=model.order[entry.parentJoint - 1],
        payload_rotation=np.array(entry.placement.rotation),
        payload_translation=np.array(entry.placement.translation),
    )


@dataclass(frozen=True)
class SensorMotion:
    """Motion at the instants of the joint states, in the sensor's axes; shape (N, 3) each.

    Attributes:
        rotation: Axes in the world, shape (N, 3, 3).
        angular_velocity: [rad/s].
        angular_acceleration: [rad/s2].
        linear_acceleration: Of the origin, gravity not in it [m/s2].
        reach: Time to either side of which the accelerations were made [s].
    """

    rotation: Array
    angular_velocity: Array
    angular_acceleration: Array
    linear_acceleration: Array
    reach: float


def motion_of(
    model: ArmModel, stamp: Array, q: Array, dq: Array, bandwidth: float | None = None
) -> SensorMotion:
    """Return the motion of the payload frame.

    Velocities follow from the joints'; accelerations are their derivatives, by Savitzky and Golay.

    Args:
        model: The arm, its payload frame that of the sensor.
        stamp: Times of the joint states, equal steps, shape (N,) [s].
        q: Joint positions, shape (N, n) [rad or m].
        dq: Joint velocities, shape (N, n) [rad/s or m/s].
        bandwidth: Highest frequency of the motion to be kept [Hz]; None: told from the velocities.
    """
    step = even_step(stamp)
    velocity = body_motion(model, q, dq).velocity[:, -1]
    if bandwidth is None:
        bandwidth = bandwidth_of(stamp, velocity, derivative=1)
    rate = savitzky_golay(stamp, velocity, bandwidth, derivative=1)
    linear, omega = velocity[:, :3], velocity[:, 3:]
    return SensorMotion(
        rotation=frames(model, q)[0][:, -1],
        angular_velocity=omega,
        angular_acceleration=rate[:, 3:],
        linear_acceleration=rate[:, :3] + np.cross(omega, linear),
        reach=step * (savitzky_golay_window(bandwidth, step, len(stamp)) // 2),
    )


def wrench_samples_of_arm(
    model: ArmModel,
    joint_stamp: Array,
    q: Array,
    dq: Array,
    stamp: Array,
    wrench: Array,
    bandwidth: float | None = None,
) -> WrenchSamples:
    """Return the samples of a wrench with the arm's motion at their instants.

    Args:
        model: The arm, its payload frame that of the sensor.
        joint_stamp: Times of the joint states, shape (M,) [s].
        q: Joint positions, shape (M, n) [rad or m].
        dq: Joint velocities, shape (M, n) [rad/s or m/s].
        stamp: Times of the wrench, shape (N,) [s].
        wrench: What the sensor exerts on the payload, shape (N, 6) [N, N m].
        bandwidth: Of the motion [Hz]; None: told from the joints, of each stretch by itself.

    Joint states whose steps are not equal are brought to equal ones. Nothing is interpolated across
    a gap of the joint states; wrenches in it, or so near that accelerations would need the other
    side, are left out.

    Raises:
        RecordingError: There is no time that both cover.
    """
    inside = covered(joint_stamp, stamp)
    if not inside.any():
        raise RecordingError(
            f"Wrench and joint states share no time: joint states run from {joint_stamp[0]:.3f} to "
            f"{joint_stamp[-1]:.3f} s, the wrench from {stamp[0]:.3f} to {stamp[-1]:.3f} s. Check "
            "that both drivers use one clock."
        )
    return between_gaps(
        joint_stamp,
        LEAST_WINDOW,
        lambda part, at_gaps: _of_stretch(
            model, joint_stamp[part], q[part], dq[part], stamp, wrench, bandwidth, at_gaps
        ),
    )


def _of_stretch(
    model: ArmModel,
    joint_stamp: Array,
    q: Array,
    dq: Array,
    stamp: Array,
    wrench: Array,
    bandwidth: float | None,
    at_gaps: tuple[bool, bool],
) -> WrenchSamples:
    """Return the samples within joint states without gaps.

    Args:
        model: The arm.
        joint_stamp: As `wrench_samples_of_arm` has it, as are the others.
        q: Positions.
        dq: Velocities.
        stamp: Of the wrench.
        wrench: The wrench.
        bandwidth: Of the motion [Hz].
        at_gaps: Whether there is a gap before and after.
    """
    grid = even_grid(joint_stamp)
    moving = motion_of(
        model, grid, resampled(joint_stamp, q, grid), resampled(joint_stamp, dq, grid), bandwidth
    )
    first, last = (moving.reach * near for near in at_gaps)
    inside = (stamp >= grid[0] + first) & (stamp <= grid[-1] - last)
    at = stamp[inside]
    omega, alpha, linear = (
        resampled(grid, value, at)
        for value in (
            moving.angular_velocity,
            moving.angular_acceleration,
            moving.linear_acceleration,
        )
    )
    rotation = frames(model, resampled(joint_stamp, q, at))[0][:, -1]
    gravity = (float(model.gravity[0]), float(model.gravity[1]), float(model.gravity[2]))
    return WrenchSamples(at, rotation, omega, alpha, linear, wrench[inside], gravity=gravity)
