"""Motion of the sensor from what was recorded: poses, or orientation and an accelerometer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..errors import RecordingError
from .filters import interpolated_rotation, resampled, savitzky_golay, smoothed_rotation
from .wrench_samples import WrenchSamples

LEAST_POSES = 8
KEPT = 3.0  # times the motion's bandwidth: what the filters of the poses keep


@dataclass(frozen=True)
class Poses:
    """Where the sensor was.

    Attributes:
        stamp: Times, increasing, shape (N,) [s].
        rotation: Axes in the world, shape (N, 3, 3).
        origin: Origin in the world, shape (N, 3) [m]; None where only the orientation is known.
    """

    stamp: Array
    rotation: Array
    origin: Array | None = None


@dataclass(frozen=True)
class Accelerometer:
    """What an accelerometer near the sensor's origin measured.

    Attributes:
        stamp: Times, increasing, shape (N,) [s].
        value: Proper acceleration (at rest: 1 g upwards) in the sensor frame, shape (N, 3) [m/s2].
        position: Where it is in the sensor frame, three numbers [m].
    """

    stamp: Array
    value: Array
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)


def wrench_samples(
    stamp: Array,
    wrench: Array,
    poses: Poses,
    gravity: tuple[float, float, float],
    accelerometer: Accelerometer | None = None,
    cutoff: float | None = None,
) -> WrenchSamples:
    """Return the samples of a wrench with the motion at their instants.

    Without an accelerometer the acceleration of the origin follows from the poses; without that
    either it is taken as zero, which is right only for turning about the sensor's origin.

    Args:
        stamp: Times of the wrench, increasing, shape (N,) [s].
        wrench: What the sensor exerts on the payload, shape (N, 6) [N, N m].
        poses: Of the sensor.
        gravity: In the world [m/s2].
        accelerometer: Replaces the acceleration from poses.
        cutoff: Low-pass of the poses, forwards and backwards [Hz]; None: no filter.

    Raises:
        RecordingError: There are too few poses, or no time that all of them cover.
    """
    if len(poses.stamp) < LEAST_POSES:
        raise RecordingError(
            f"{LEAST_POSES} poses are needed at the least; found {len(poses.stamp)}."
        )
    start, end = poses.stamp[0], poses.stamp[-1]
    if accelerometer is not None:
        start, end = max(start, accelerometer.stamp[0]), min(end, accelerometer.stamp[-1])
    inside = (stamp >= start) & (stamp <= end)
    if not inside.any():
        raise RecordingError(
            f"Wrench ({stamp.min(initial=np.inf):.6g} to {stamp.max(initial=-np.inf):.6g} s) and "
            f"motion ({start:.6g} to {end:.6g} s) share no time. Check that both have stamps of "
            "one clock."
        )
    at = stamp[inside]
    rotation = poses.rotation
    if cutoff is not None:
        rotation = smoothed_rotation(poses.stamp, rotation, cutoff)
    turning = interpolated_rotation(poses.stamp, rotation, at)
    proper = _proper(poses, accelerometer, at, cutoff)
    g = np.asarray(gravity) @ turning.rotation
    if accelerometer is None:
        linear = np.einsum("nji,nj->ni", turning.rotation, proper)
    else:
        arm = np.asarray(accelerometer.position, dtype=float)
        omega, alpha = turning.velocity, turning.acceleration
        lever = np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm))
        linear = proper + g - lever
    return WrenchSamples(
        at, turning.rotation, turning.velocity, turning.acceleration, linear, wrench[inside],
        gravity=gravity,
    )  # fmt: skip


def _proper(
    poses: Poses, accelerometer: Accelerometer | None, at: Array, cutoff: float | None
) -> Array:
    """Return the accelerometer's value, or the origin's acceleration in the world, shape (M, 3)."""
    if accelerometer is not None:
        return resampled(accelerometer.stamp, accelerometer.value, at)
    if poses.origin is None:
        return np.zeros((len(at), 3))
    bandwidth = None if cutoff is None else cutoff
    acceleration = savitzky_golay(poses.stamp, poses.origin, bandwidth, derivative=2)
    return resampled(poses.stamp, acceleration, at)
