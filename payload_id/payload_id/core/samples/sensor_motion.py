"""Motion of the sensor from what was recorded: poses, or orientation and an accelerometer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array, one_number
from ..errors import RecordingError
from .filters import (
    fitted_turning,
    interpolated_rotation,
    resampled,
    resampled_between_gaps,
    savitzky_golay,
)
from .stamps import covered, even_grid, stretches
from .wrench_samples import WrenchSamples

LEAST_POSES = 8
PASSED = 2.0  # periods of the highest frequency that a recording must hold at the least
EDGE = 5  # steps of the poses from a gap, within which the spline's rates are not relied on


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

    def part(self, part: slice) -> Poses:
        """Return some of them."""
        origin = None if self.origin is None else self.origin[part]
        return Poses(self.stamp[part], self.rotation[part], origin)


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

    Poses whose steps are not equal are brought to equal ones. Nothing is interpolated across a gap
    of poses or accelerometer; wrenches in it are left out.

    Without an accelerometer the acceleration of the origin follows from the poses; without that
    either it is taken as zero, which is right only for turning about the sensor's origin.

    Args:
        stamp: Times of the wrench, increasing, shape (N,) [s].
        wrench: What the sensor exerts on the payload, shape (N, 6) [N, N m].
        poses: Of the sensor.
        gravity: In the world [m/s2].
        accelerometer: Replaces the acceleration from poses.
        cutoff: Highest frequency of the motion that is kept [Hz]; None: told from the poses.

    Raises:
        RecordingError: There are too few poses, or no time that all of them cover.
    """
    if len(poses.stamp) < LEAST_POSES:
        raise RecordingError(
            f"{LEAST_POSES} poses are needed at the least; found {len(poses.stamp)}."
        )
    if cutoff is not None:
        _check_cutoff(cutoff, poses.stamp)
    start, end = poses.stamp[0], poses.stamp[-1]
    inside = covered(poses.stamp, stamp)
    if accelerometer is not None:
        start, end = max(start, accelerometer.stamp[0]), min(end, accelerometer.stamp[-1])
        inside &= covered(accelerometer.stamp, stamp)
    if not inside.any():
        raise RecordingError(
            f"Wrench ({stamp.min(initial=np.inf):.6g} to {stamp.max(initial=-np.inf):.6g} s) and "
            f"motion ({start:.6g} to {end:.6g} s) share no time. Check that both have stamps of "
            "one clock."
        )
    stamp, wrench = stamp[inside], wrench[inside]
    return between_gaps(
        poses.stamp,
        LEAST_POSES,
        lambda part, at_gaps: _of_stretch(
            stamp, wrench, poses.part(part), gravity, accelerometer, cutoff, at_gaps
        ),
    )


def between_gaps(
    stamp: Array, least: int, make: Callable[[slice, tuple[bool, bool]], WrenchSamples]
) -> WrenchSamples:
    """Return the samples of all stretches of a motion between its gaps.

    Args:
        stamp: Times of the motion, shape (N,) [s].
        least: Instants of a stretch that is long enough.
        make: Returns the samples of a stretch; it is told whether there is a gap before and after.

    Raises:
        RecordingError: No stretch is long enough.
    """
    parts = stretches(stamp)
    made = [
        make(part, (number > 0, number < len(parts) - 1))
        for number, part in enumerate(parts)
        if part.stop - part.start >= least
    ]
    found = [samples for samples in made if len(samples)]
    if not found:
        raise RecordingError(
            f"The motion has {len(parts) - 1} gaps, and no stretch between them is long enough for "
            "accelerations. Record it at an even rate."
        )
    return WrenchSamples.stacked(found)


def _of_stretch(
    stamp: Array,
    wrench: Array,
    poses: Poses,
    gravity: tuple[float, float, float],
    accelerometer: Accelerometer | None,
    cutoff: float | None,
    at_gaps: tuple[bool, bool],
) -> WrenchSamples:
    """Return the samples within poses without gaps.

    Args:
        stamp: As `wrench_samples` has it, as are the others.
        wrench: The wrench.
        poses: Without gaps.
        gravity: In the world [m/s2].
        accelerometer: Replaces the acceleration from poses.
        cutoff: Highest frequency of the motion that is kept [Hz].
        at_gaps: Whether there is a gap before and after, near which rates would be extrapolated.
    """
    poses = _with_equal_steps(poses)
    reach = EDGE * float(np.median(np.diff(poses.stamp)))
    first, last = (reach * near for near in at_gaps)
    inside = (stamp >= poses.stamp[0] + first) & (stamp <= poses.stamp[-1] - last)
    at = stamp[inside]
    turning = fitted_turning(poses.stamp, poses.rotation, at, cutoff)
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


def _check_cutoff(cutoff: float, stamp: Array) -> None:
    """Raise unless poses hold motion of that frequency, and are fast enough to show it."""
    most, least = 0.5 / np.median(np.diff(stamp)), PASSED / (stamp[-1] - stamp[0])
    if not least <= one_number(cutoff, "cutoff", RecordingError) < most:
        raise RecordingError(
            f"cutoff must be from {least:.3g} Hz, for motions of this length, to below half the "
            f"rate of the poses, {most:.3g} Hz; found {cutoff:g} Hz."
        )


def _with_equal_steps(poses: Poses) -> Poses:
    """Return poses with exactly equal steps, as filters take them to have.

    Derivatives of filtered values at stamps that differ from these by microseconds would be rough.
    """
    grid = even_grid(poses.stamp)
    if grid is poses.stamp:
        return replace(poses, stamp=np.linspace(grid[0], grid[-1], len(grid)))
    origin = None if poses.origin is None else resampled(poses.stamp, poses.origin, grid)
    return Poses(grid, interpolated_rotation(poses.stamp, poses.rotation, grid).rotation, origin)


def _proper(
    poses: Poses, accelerometer: Accelerometer | None, at: Array, cutoff: float | None
) -> Array:
    """Return the accelerometer's value, or the origin's acceleration in the world, shape (M, 3)."""
    if accelerometer is not None:
        return resampled_between_gaps(accelerometer.stamp, accelerometer.value, at)
    if poses.origin is None:
        return np.zeros((len(at), 3))
    acceleration = savitzky_golay(poses.stamp, poses.origin, cutoff, derivative=2)
    return resampled(poses.stamp, acceleration, at)
