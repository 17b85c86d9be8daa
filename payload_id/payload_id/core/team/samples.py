"""What one robot of a team measures at its grasp: checked once at the door, then trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from ..arrays import Array, BoolArray, real_numbers
from ..errors import InputError, RecordingError
from ..samples.sample_checks import LARGEST, rows_to_keep

ORTHONORMAL = 1e-3  # largest |R'R - 1| of a matrix that counts as a rotation
SHAPES: dict[str, tuple[int, ...]] = {
    "time": (),
    "rotation": (3, 3),
    "position": (3,),
    "twist": (6,),
    "force": (3,),
    "moment": (3,),
    "imu_angular_velocity": (3,),
    "imu_specific_force": (3,),
}
MOST = 5e5  # of any value: what no robot shows, nor in mm or mN, and what outweighs all others
READ = ("imu_angular_velocity", "imu_specific_force")  # by an IMU
OPTIONAL = ("moment", *READ)


@dataclass(frozen=True)
class RobotSamples:
    """Pose, twist and wrench of grasp frame {i} of one robot at k increasing instants.

    {i0} is the robot's own frame: at rest, level (z up), its origin and its yaw arbitrary and
    unknown to the other robots. Bad rows (not finite, or larger than any robot shows, not newer
    than the row before) are left out and counted in `dropped`; wrong shapes raise.

    Attributes:
        name: Of the robot.
        time: Of each sample on the robot's own clock, shape (k,) [s].
        rotation: R_i0i, axes of {i} in {i0}, shape (k, 3, 3).
        position: p_i0i, origin of {i} in {i0}, shape (k, 3) [m].
        twist: (omega_i, v_i) of {i} against {i0}, in the axes of {i}, shape (k, 6) [rad/s, m/s].
        force: That the robot exerts on the payload at the origin of {i}, in {i}, shape (k, 3) [N].
        moment: That it exerts about that origin, in {i}, shape (k, 3) [N m]; None for a passive
            gimbal, which transmits none.
        imu_angular_velocity: Of a gyroscope fixed to {i}, in {i}, shape (k, 3) [rad/s], or None.
        imu_specific_force: Of an accelerometer at the origin of {i}: a - g, in {i}, shape (k, 3)
            [m/s2], or None. At rest it points up.
        dropped: Number of rows left out, by cause.
    """

    name: str
    time: Array
    rotation: Array
    position: Array
    twist: Array
    force: Array
    moment: Array | None = None
    imu_angular_velocity: Array | None = None
    imu_specific_force: Array | None = None
    dropped: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and self.name):
            raise InputError(
                f"A robot's name must be a text, such as 'omnid1'; found {self.name!r}."
            )
        given = [x for x in SHAPES if x not in OPTIONAL or getattr(self, x) is not None]
        arrays = {x: self._array(x) for x in given}
        k = len(arrays["time"])
        with np.errstate(over="ignore"):
            flat = [
                a.reshape(k, int(np.prod(SHAPES[n]))) * (LARGEST / MOST)
                for n, a in arrays.items()
                if n != "time"
            ]
        keep, dropped = rows_to_keep(arrays["time"], *flat)
        _check_rotations(arrays["rotation"][keep], self.name)
        for cause, count in self.dropped.items():
            dropped[cause] = dropped.get(cause, 0) + count
        for name, array in arrays.items():
            object.__setattr__(self, name, array if keep.all() else array[keep])
        object.__setattr__(self, "dropped", dropped)

    def _array(self, name: str) -> Array:
        """Return one array, of the right shape."""
        where = f"{name} of robot {self.name}"
        if name not in OPTIONAL and getattr(self, name) is None:
            raise RecordingError(f"{where} is missing.")
        array = real_numbers(getattr(self, name), where, RecordingError)
        k = np.shape(self.time)[0] if np.ndim(self.time) else 0
        if array.shape != (k, *SHAPES[name]):
            raise RecordingError(
                f"{where} must have shape {(k, *SHAPES[name])}, one row for each time; found "
                f"{array.shape}."
            )
        return np.ascontiguousarray(array)  # sums over other layouts round otherwise

    def __len__(self) -> int:
        return len(self.time)

    @property
    def step(self) -> float:
        """Typical time between samples (median) [s]; NaN with fewer than two."""
        return float(np.median(np.diff(self.time))) if len(self) > 1 else float("nan")

    def where(self, keep: BoolArray | slice) -> RobotSamples:
        """Return some of the samples, in order."""
        return self._made({n: a[keep] for n, a in self._given().items()})

    def between(self, start: float, end: float) -> RobotSamples:
        """Return the samples with start <= time <= end [s]."""
        first, last = np.searchsorted(self.time, [start, np.nextafter(end, np.inf)])
        return self.where(slice(int(first), int(last)))

    def _given(self) -> dict[str, Array]:
        """Return the arrays that are not None."""
        return {n: getattr(self, n) for n in SHAPES if getattr(self, n) is not None}

    def _made(self, arrays: Mapping[str, Array]) -> RobotSamples:
        """Return samples made of rows that have been checked before."""
        made = object.__new__(RobotSamples)
        values: dict[str, Any] = {x.name: None for x in fields(RobotSamples)}
        values |= {"name": self.name, "dropped": {}} | dict(arrays)
        for name, value in values.items():
            object.__setattr__(made, name, value)
        return made

    @classmethod
    def joined(cls, parts: Sequence[RobotSamples]) -> RobotSamples:
        """Return samples one after the other; where only some hold an IMU's, NaN stands for it.

        A moment that only some hold is left out. Rows that are not newer than those before them are
        dropped and counted.
        """
        names = [n for n in SHAPES if all(getattr(part, n) is not None for part in parts)]
        names += [
            n for n in READ if n not in names and any(getattr(p, n) is not None for p in parts)
        ]
        arrays = {n: np.concatenate([part._or_nan(n) for part in parts]) for n in names}
        keep, dropped = rows_to_keep(arrays["time"])
        if keep.all():
            return parts[0]._made(arrays)
        some = parts[0]._made(arrays).where(keep)
        object.__setattr__(some, "dropped", dropped)
        return some

    def _or_nan(self, name: str) -> Array:
        """Return an array; NaN for one that is None."""
        array = getattr(self, name)
        return np.full((len(self), *SHAPES[name]), np.nan) if array is None else array


def _check_rotations(rotation: Array, name: str) -> None:
    """Raise unless every matrix is a rotation."""
    if not len(rotation):
        return
    error = np.abs(np.einsum("nji,njk->nik", rotation, rotation) - np.eye(3)).max(axis=(1, 2))
    bad = (error > ORTHONORMAL) | (np.linalg.det(rotation) < 0)
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        raise RecordingError(
            f"rotation of robot {name} holds {int(bad.sum())} matrices of {len(bad)} that are no "
            f"rotations, first number {first}: {rotation[first].tolist()}. Give the axes of the "
            "grasp frame as columns, orthonormal and right-handed."
        )
