"""Samples of a serial arm: checked once at the door, then trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from typing_extensions import Self

from ..arrays import Array, BoolArray, IntArray, real_numbers
from ..errors import InputError, RecordingError, brief, require_type
from .sample_checks import rows_to_keep


@dataclass(frozen=True)
class Samples:
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

    stamp: Array
    q: Array
    dq: Array
    tau: Array
    dropped: Mapping[str, int] = field(default_factory=dict)
    joints: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = ("stamp", "q", "dq", "tau")
        stamp, *values = (real_numbers(getattr(self, x), x, RecordingError) for x in names)
        arrays = dict(zip(names[1:], values, strict=True))
        _check_shapes(stamp, arrays)
        object.__setattr__(self, "joints", _checked_names(self.joints, arrays["q"].shape[1]))
        keep, dropped = rows_to_keep(stamp, *arrays.values())
        require_type(self.dropped, Mapping, "dropped", "numbers of samples by cause")
        for cause, count in self.dropped.items():
            dropped[cause] = dropped.get(cause, 0) + count
        object.__setattr__(self, "stamp", stamp[keep])
        for name, array in arrays.items():
            # Row by row in memory: sums must not depend on how the arrays came to be.
            object.__setattr__(self, name, np.ascontiguousarray(array[keep]))
        object.__setattr__(self, "dropped", dropped)

    def __len__(self) -> int:
        return len(self.stamp)

    @property
    def n(self) -> int:
        """Number of joints."""
        return int(self.q.shape[1])

    @property
    def step(self) -> float:
        """Typical time between samples (median) [s]; NaN with fewer than two."""
        return float(np.median(np.diff(self.stamp))) if len(self) > 1 else float("nan")

    def part(self, start: int, stop: int) -> Samples:
        """Return samples number start to stop - 1."""
        for name, value in (("start", start), ("stop", stop)):
            require_type(value, (int, np.integer), name, "the number of a sample")
        return self._rows(slice(start, stop))

    def joined(self, newer: Samples) -> Samples:
        """Return both; what is not newer than these is dropped and counted."""
        require_type(newer, Samples, "newer", "samples")
        return Samples(
            np.concatenate([self.stamp, newer.stamp]),
            np.concatenate([self.q, newer.q]),
            np.concatenate([self.dq, newer.dq]),
            np.concatenate([self.tau, newer.tau]),
            newer.dropped,
            self.joints,
        )

    def between(self, start: float, end: float) -> Samples:
        """Return the samples with start <= stamp <= end [s]."""
        return self.chosen((self.stamp >= start) & (self.stamp <= end))

    def chosen(self, keep: BoolArray) -> Samples:
        """Return some of the samples: those for which keep, shape (N,), is true.

        Raises:
            InputError: keep says nothing of the kind.
        """
        require_type(keep, np.ndarray, "keep", "an array of truth values")
        if keep.dtype != np.bool_ or keep.shape != (len(self),):
            raise InputError(
                f"keep must have one truth value for each of {len(self)} samples; found "
                f"{keep.dtype.name} of shape {keep.shape}."
            )
        return self._rows(keep)

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

    def _rows(self, rows: slice | BoolArray) -> Samples:
        """Return copies of some of the samples, which were checked when these were made."""
        some = object.__new__(Samples)
        arrays = {name: np.array(getattr(self, name)[rows]) for name in ("stamp", "q", "dq", "tau")}
        some.__dict__.update(arrays, dropped={}, joints=self.joints)
        return some


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
