"""Samples of a force-torque sensor and of its motion: checked once at the door, then trusted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..arm.arm_model import STANDARD_GRAVITY
from ..arrays import Array, real_numbers
from ..errors import RecordingError
from .sample_checks import check_rotations
from .timed_arrays import TimedArrays

AXES = ("fx", "fy", "fz", "tx", "ty", "tz")
MOTION = {
    "angular_velocity": (3,),
    "angular_acceleration": (3,),
    "linear_acceleration": (3,),
    "wrench": (6,),
}
HEAVIEST = 100.0  # [m/s2] of gravity
AXES_IN_WORLD = "the sensor's axes in the world"


@dataclass(frozen=True)
class WrenchSamples(TimedArrays):
    """Motion of a sensor, and the wrench that it exerts on the payload, at N increasing instants.

    All vectors are in the axes of the sensor frame, about its origin. Bad rows (not finite, same
    stamp as the row before, older than a row before) are left out and counted in `dropped`; wrong
    shapes raise.

    Attributes:
        stamp: Time of each sample, shape (N,) [s], strictly increasing.
        rotation: Axes of the sensor frame in the world, shape (N, 3, 3).
        angular_velocity: omega, shape (N, 3) [rad/s].
        angular_acceleration: alpha, shape (N, 3) [rad/s2].
        linear_acceleration: Acceleration of the sensor's origin, of its motion alone (zero at rest:
            gravity is not in it), shape (N, 3) [m/s2].
        wrench: Force, then torque, that the sensor exerts on the payload, shape (N, 6) [N, N m].
            At rest, and without bias, the force points up.
        gravity: Gravity in the world, three numbers [m/s2].
        dropped: Number of rows left out, by cause.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = ("stamp", "rotation", *MOTION)

    stamp: Array
    rotation: Array
    angular_velocity: Array
    angular_acceleration: Array
    linear_acceleration: Array
    wrench: Array
    gravity: tuple[float, float, float] = STANDARD_GRAVITY
    dropped: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        arrays = {x: real_numbers(getattr(self, x), x, RecordingError) for x in self.COLUMNS}
        _check_shapes(arrays)
        rotation = arrays["rotation"]
        flat = [
            arrays[name].reshape(len(rotation), math.prod(arrays[name].shape[1:]))
            for name in self.COLUMNS[1:]
        ]
        self._take_in(arrays, *flat)
        check_rotations(self.rotation, AXES_IN_WORLD)
        object.__setattr__(self, "gravity", checked_gravity(self.gravity))

    @property
    def gravity_in_sensor(self) -> Array:
        """Gravity in the sensor frame, R' g, shape (N, 3) [m/s2]."""
        return np.asarray(np.asarray(self.gravity) @ self.rotation)

    @property
    def proper_acceleration(self) -> Array:
        """What an accelerometer at the sensor's origin would show, a - R' g, shape (N, 3)."""
        return self.linear_acceleration - self.gravity_in_sensor

    def with_wrench(self, wrench: Array) -> WrenchSamples:
        """Return the same motion with other wrenches, shape (N, 6)."""
        columns: dict[str, Any] = {**self._columns(), "wrench": wrench}
        return WrenchSamples(**columns, gravity=self.gravity, dropped=self.dropped)

    def chosen(self, index: NDArray[np.int64], wrench: Array) -> WrenchSamples:
        """Return some of the samples, in order, with other wrenches, shape (K, 6)."""
        some = self.where(index)
        return some._with({**some._columns(), "wrench": wrench})


def _check_shapes(arrays: Mapping[str, Array]) -> None:
    """Raise unless every array has one row for each stamp, of the right shape."""
    stamp = arrays["stamp"]
    if stamp.ndim != 1:
        raise RecordingError(f"stamp must have shape (N,); found {stamp.shape}.")
    for name, shape in {"rotation": (3, 3), **MOTION}.items():
        wanted = (len(stamp), *shape)
        if arrays[name].shape != wanted:
            raise RecordingError(
                f"{name} must have shape {wanted}, one row per stamp; found {arrays[name].shape}."
            )


def checked_gravity(gravity: object) -> tuple[float, float, float]:
    """Return gravity as three finite numbers, not all zero.

    Raises:
        RecordingError: It is nothing of the kind, or larger than it is anywhere.
    """
    g = real_numbers(gravity, "gravity", RecordingError)
    if g.shape != (3,) or not (np.abs(g) <= HEAVIEST).all() or not g.any():
        raise RecordingError(
            f"gravity must be three finite numbers [m/s2], not all zero, up to {HEAVIEST:g}; found "
            f"{gravity!r}."
        )
    return (float(g[0]), float(g[1]), float(g[2]))
