"""Samples of a serial arm: checked once at the door, then trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from typing_extensions import Self

from ..arrays import Array, IntArray, real_numbers
from ..errors import RecordingError, brief, require_type
from .timed_arrays import TimedArrays


@dataclass(frozen=True)
class Samples(TimedArrays):
    """Joint positions, velocities and torques of n joints at N increasing instants.

    Bad rows (not finite, same stamp as the row before, older than a row before) are left out and
    counted in `dropped`; wrong shapes raise.

    Attributes:
        stamp: Time of each sample, shape (N,) [s], strictly increasing.
        q: Joint positions, shape (N, n) [rad or m].
        dq: Joint velocities, shape (N, n) [rad/s or m/s].
        tau: Joint torques or forces that the actuators apply, shape (N, n) [N m or N], positive
            about the joint axis.
        dropped: Number of rows left out, by cause.
        joints: Names of the n joints, in the order of the columns; empty if the columns are in the
            order of the arm's joints.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = ("stamp", "q", "dq", "tau")

    stamp: Array
    q: Array
    dq: Array
    tau: Array
    dropped: Mapping[str, int] = field(default_factory=dict)
    joints: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        stamp, *values = (real_numbers(getattr(self, x), x, RecordingError) for x in self.COLUMNS)
        arrays = dict(zip(self.COLUMNS[1:], values, strict=True))
        _check_shapes(stamp, arrays)
        object.__setattr__(self, "joints", _checked_names(self.joints, arrays["q"].shape[1]))
        self._take_in({"stamp": stamp, **arrays}, *values)

    @property
    def n(self) -> int:
        """Number of joints."""
        return int(self.q.shape[1])

    def of_joints(self, joints: Sequence[str]) -> Self:
        """Return the samples of these joints, in this order; columns without names are theirs.

        Raises:
            RecordingError: One of them is not among the named columns.
        """
        k = self.columns_of(joints)
        if k is None:
            return self
        columns = {name: getattr(self, name)[:, k] for name in ("q", "dq", "tau")}
        return replace(self, **columns, joints=tuple(joints))

    def columns_of(self, joints: Sequence[str]) -> IntArray | None:
        """Return which columns are those of the joints; None: all, in this order, or without names.

        Raises:
            RecordingError: One of them is not among the named columns.
        """
        require_type(joints, (list, tuple), "joints", "a list of names")
        for name in joints:
            require_type(name, str, "Each of the joints", "a name")
        if not self.joints or self.joints == tuple(joints):
            return None
        absent = [name for name in joints if name not in self.joints]
        if absent:
            raise RecordingError(
                f"The samples are of the joints {', '.join(self.joints)}; the robot's are "
                f"{', '.join(joints)}. There are no samples of {', '.join(absent)}: name the "
                "columns as the robot's description names its joints, whatever their order."
            )
        return np.array([self.joints.index(name) for name in joints], dtype=np.int64)


def _checked_names(joints: Sequence[str], n: int) -> tuple[str, ...]:
    """Return the names of n columns, or none."""
    names = tuple(joints) if isinstance(joints, list | tuple) else ()
    if not isinstance(joints, list | tuple) or not all(isinstance(x, str) for x in names):
        raise RecordingError(f"joints must be a list of names; found {brief(joints)}.")
    if names and len(names) != n:
        raise RecordingError(
            f"joints names {len(names)} joints ({', '.join(names)}), but q has {n} columns."
        )
    if len(set(names)) < len(names):
        raise RecordingError(f"joints must name every joint once; found {', '.join(names)}.")
    return names


def _check_shapes(stamp: Array, arrays: Mapping[str, Array]) -> None:
    """Raise unless stamp is (N,) and every array (N, n) with one n."""
    if stamp.ndim != 1:
        raise RecordingError(f"stamp must have shape (N,); found {stamp.shape}.")
    n = arrays["q"].shape[1] if arrays["q"].ndim == 2 else None
    for name, array in arrays.items():
        if array.ndim != 2 or len(array) != len(stamp) or array.shape[1] != n or n == 0:
            raise RecordingError(
                f"{name} must have shape (N, n) = ({len(stamp)}, {n or 'n'}), one row per stamp "
                f"and one column per joint, the same for q, dq and tau; found {array.shape}."
            )
