"""Samples of a force-torque sensor and of its motion: checked once at the door, then trusted."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from ..arm.arm_model import STANDARD_GRAVITY
from ..arrays import Array, BoolArray, real_numbers
from ..errors import RecordingError, require_type
from .sample_checks import rows_to_keep

AXES = ("fx", "fy", "fz", "tx", "ty", "tz")
MOTION = {
    "angular_velocity": (3,),
    "angular_acceleration": (3,),
    "linear_acceleration": (3,),
    "wrench": (6,),
}
HEAVIEST = 100.0  # [m/s2] of gravity
# Largest |R'R - 1| of a matrix that counts as a rotation; logs round to four digits at the least.
ORTHONORMAL = 1e-3


@dataclass(frozen=True)
class WrenchSamples:
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

    stamp: Array
    rotation: Array
    angular_velocity: Array
    angular_acceleration: Array
    linear_acceleration: Array
    wrench: Array
    gravity: tuple[float, float, float] = STANDARD_GRAVITY
    dropped: Mapping[str, int] = field(default_factory=dict)
    # What `kept` was given, row by row; parts and stacks of samples take it along.
    _kept: ClassVar[Array | None] = None

    def __post_init__(self) -> None:
        arrays = {x: real_numbers(getattr(self, x), x, RecordingError) for x in _NAMES}
        _check_shapes(arrays)
        rotation = arrays["rotation"]
        flat = [
            arrays[name].reshape(len(rotation), math.prod(arrays[name].shape[1:]))
            for name in _NAMES[1:]
        ]
        keep, dropped = rows_to_keep(arrays["stamp"], *flat)
        check_rotations(rotation[keep])
        require_type(self.dropped, Mapping, "dropped", "numbers of samples by cause")
        for cause, count in self.dropped.items():
            dropped[cause] = dropped.get(cause, 0) + count
        for name, array in arrays.items():
            object.__setattr__(self, name, array if keep.all() else array[keep])
        object.__setattr__(self, "gravity", checked_gravity(self.gravity))
        object.__setattr__(self, "dropped", dropped)

    def __len__(self) -> int:
        return len(self.stamp)

    @property
    def step(self) -> float:
        """Typical time between samples (median) [s]; NaN with fewer than two."""
        return float(np.median(np.diff(self.stamp))) if len(self) > 1 else float("nan")

    @property
    def gravity_in_sensor(self) -> Array:
        """Gravity in the sensor frame, R' g, shape (N, 3) [m/s2]."""
        return np.asarray(np.asarray(self.gravity) @ self.rotation)

    @property
    def proper_acceleration(self) -> Array:
        """What an accelerometer at the sensor's origin would show, a - R' g, shape (N, 3)."""
        return self.linear_acceleration - self.gravity_in_sensor

    def kept(self, make: Callable[[WrenchSamples], Array]) -> Array:
        """Return what a function makes of every sample, shape (N, k), made once for each sample.

        Args:
            make: Always the same function; its rows depend on their own sample only.
        """
        if self._kept is None:
            object.__setattr__(self, "_kept", make(self))
        return cast(Array, self._kept)

    def part(self, start: int, stop: int) -> WrenchSamples:
        """Return samples number start to stop - 1."""
        chosen = self._checked({name: getattr(self, name)[start:stop] for name in _NAMES})
        if self._kept is not None:
            object.__setattr__(chosen, "_kept", self._kept[start:stop])
        return chosen

    def where(self, keep: BoolArray) -> WrenchSamples:
        """Return the samples for which keep, shape (N,), is true."""
        chosen = self._checked({name: getattr(self, name)[keep] for name in _NAMES})
        if self._kept is not None:
            object.__setattr__(chosen, "_kept", self._kept[keep])
        return chosen

    def between(self, start: float, end: float) -> WrenchSamples:
        """Return the samples with start <= stamp <= end [s]."""
        first, last = np.searchsorted(self.stamp, [start, np.nextafter(end, np.inf)])
        return self.part(int(first), int(last))

    def joined(self, newer: WrenchSamples) -> WrenchSamples:
        """Return both; what is not newer than these is dropped and counted."""
        return WrenchSamples.stacked([self, newer])

    @classmethod
    def stacked(cls, parts: Sequence[WrenchSamples]) -> WrenchSamples:
        """Return samples one after the other; at least one part, with the gravity of the first."""
        columns: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in parts]) for name in _NAMES
        }
        if not (np.diff(columns["stamp"]) > 0).all():
            return WrenchSamples(**columns, gravity=parts[0].gravity, dropped=parts[-1].dropped)
        whole = parts[0]._checked(columns)
        if all(part._kept is not None for part in parts):
            object.__setattr__(whole, "_kept", np.concatenate([part._kept for part in parts]))
        return whole

    def with_wrench(self, wrench: Array) -> WrenchSamples:
        """Return the same motion with other wrenches, shape (N, 6)."""
        columns: dict[str, Any] = {name: getattr(self, name) for name in _NAMES}
        columns["wrench"] = wrench
        return WrenchSamples(**columns, gravity=self.gravity, dropped=self.dropped)

    def chosen(self, index: NDArray[np.int64], wrench: Array) -> WrenchSamples:
        """Return some of the samples, in order, with other wrenches, shape (K, 6)."""
        return self._checked(
            {name: getattr(self, name)[index] for name in _NAMES[:-1]} | {"wrench": wrench}
        )

    def _checked(self, arrays: dict[str, Array]) -> WrenchSamples:
        """Return samples made of rows that have been checked before."""
        samples = object.__new__(WrenchSamples)
        for name, value in {**arrays, "gravity": self.gravity, "dropped": {}}.items():
            object.__setattr__(samples, name, value)
        return samples


_NAMES = ("stamp", "rotation", *MOTION)


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


def check_rotations(rotation: Array) -> None:
    """Raise unless every matrix, shape (N, 3, 3), is a rotation.

    Raises:
        RecordingError: Some are not.
    """
    if not len(rotation):
        return
    error = np.abs(np.einsum("nji,njk->nik", rotation, rotation) - np.eye(3)).max(axis=(1, 2))
    bad = (error > ORTHONORMAL) | (np.linalg.det(rotation) < 0)
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        raise RecordingError(
            f"rotation holds {int(bad.sum())} matrices of {len(bad)} that are no rotations, first "
            f"number {first}: {rotation[first].tolist()}. Give the sensor's axes in the world as "
            "columns, orthonormal and right-handed."
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
