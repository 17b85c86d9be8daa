"""What one robot of a team measures at its grasp: checked once at the door, then trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ..arrays import Array, real_numbers
from ..errors import InputError, RecordingError
from ..samples.sample_checks import LARGEST, check_rotations
from ..samples.timed_arrays import TimedArrays

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
class RobotSamples(TimedArrays):
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

    COLUMNS: ClassVar[tuple[str, ...]] = tuple(SHAPES)

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
        self._take_in(arrays, *flat)
        check_rotations(self.rotation, f"the axes of the grasp frame of robot {self.name}")

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
        return array

    @classmethod
    def stacked(cls, parts: Sequence[RobotSamples]) -> RobotSamples:
        """Return samples one after the other; where only some hold an IMU's, NaN stands for it.

        A moment that only some hold is left out.
        """
        return super().stacked([part._as_all(parts) for part in parts])

    def _as_all(self, parts: Sequence[RobotSamples]) -> RobotSamples:
        """Return the samples with those optional arrays that samples of several parts have."""
        changed: dict[str, Any] = {}
        for name in OPTIONAL:
            held = [getattr(part, name) is not None for part in parts]
            if any(held) and not all(held):
                changed[name] = self._or_nan(name) if name in READ else None
        return self._with({**self._columns(), **changed})

    def _or_nan(self, name: str) -> Array:
        """Return an array; NaN for one that is None."""
        array = getattr(self, name)
        return np.full((len(self), *SHAPES[name]), np.nan) if array is None else array
