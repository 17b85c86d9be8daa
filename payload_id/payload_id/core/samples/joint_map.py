"""From a joint-state message to a sample: one conversion for live messages and recordings.

It keeps no hidden state, so that a replay that feeds the same messages gets bit-equal samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.per_joint import PerJoint
from ..arrays import Array, real_numbers
from ..errors import InputError, brief
from .sample_checks import LARGEST, Drop


@dataclass(frozen=True)
class JointMap:
    """Picks joints by name, in the order asked for, and converts effort to joint torque.

        tau = effort_sign * effort - effort_offset

    Attributes:
        joints: Names of the n wanted joints.
        effort_sign: Factor of each effort: 1, or -1 where the driver reports the opposite of the
            torque about the joint's axis; other factors convert units. Per joint.
        effort_offset: What the driver reports, after the sign, when the torque is zero
            [N m or N]. Per joint.

    """

    joints: tuple[str, ...]
    effort_sign: PerJoint = 1.0
    effort_offset: PerJoint = 0.0
    _sign: Array = field(init=False, repr=False, compare=False)
    _offset: Array = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        joints = tuple(self.joints) if isinstance(self.joints, list | tuple) else ()
        if not all(isinstance(name, str) for name in joints):
            raise InputError(f"joints must be a list of names; found {list(joints)}.")
        if not joints or len(set(joints)) < len(joints):
            raise InputError(
                f"joints must name at least one joint, each once; found {brief(self.joints)}."
            )
        object.__setattr__(self, "joints", joints)
        object.__setattr__(self, "_sign", _per_joint("effort_sign", self.effort_sign, joints))
        object.__setattr__(self, "_offset", _per_joint("effort_offset", self.effort_offset, joints))
        if (self._sign == 0).any():
            raise InputError(
                f"effort_sign must not be zero; found {self.effort_sign!r}. Use 1, or -1 where the "
                "driver reports torque with the opposite sign."
            )

    def convert(
        self, names: Sequence[str], position: ArrayLike, velocity: ArrayLike, effort: ArrayLike
    ) -> tuple[Array, Array, Array] | Drop:
        """Return position, velocity and torque of the wanted joints, or why there are none.

        Args:
            names: Joint names of the message, in any order; further joints are ignored.
            position: Joint positions in the order of `names` [rad or m].
            velocity: Joint velocities [rad/s or m/s]; empty if not measured.
            effort: Efforts as the driver reports them; empty if not measured.

        Returns:
            q, dq and tau, each of shape (n,), NaN where the message left the array empty; or
            `Drop.UNKNOWN_JOINTS` (a wanted joint is absent or named twice), or
            `Drop.WRONG_LENGTH` (an array does not match the names).

        """
        columns = self.columns(names)
        if columns is None:
            return Drop.UNKNOWN_JOINTS
        rows = []
        for values in (position, velocity, effort):
            array = np.asarray(values, dtype=float)
            if array.shape == (len(names),):
                rows.append(array[columns])
            elif array.size == 0:
                rows.append(np.full(len(columns), np.nan))
            else:
                return Drop.WRONG_LENGTH
        return rows[0], rows[1], self.torque(rows[2])

    def columns(self, names: Sequence[str]) -> NDArray[np.intp] | None:
        """Return where each wanted joint is among names; None unless each is there exactly once."""
        return _columns(tuple(names), self.joints)

    def torque(self, effort: Array) -> Array:
        """Return joint torques for efforts in the order of `joints`, shape (n,) or (N, n)."""
        return self._sign * effort - self._offset

    def effort_is_zero(self, tau: Array) -> NDArray[np.bool_]:
        """Return where every effort behind the torques `tau`, shape (N, n), was exactly zero."""
        return np.asarray((tau == self._sign * 0.0 - self._offset).all(axis=1))


@lru_cache(maxsize=256)
def _columns(names: tuple[str, ...], wanted: tuple[str, ...]) -> NDArray[np.intp] | None:
    """Return where each wanted joint is among `names`; None unless each is there exactly once."""
    if any(names.count(joint) != 1 for joint in wanted):
        return None
    columns = np.array([names.index(joint) for joint in wanted], dtype=np.intp)
    columns.setflags(write=False)  # shared by every caller of the cache
    return columns


def _per_joint(name: str, value: PerJoint, joints: tuple[str, ...]) -> Array:
    """Return one finite number for each joint, shape (n,)."""
    array = real_numbers(value, name)
    if array.shape not in ((), (len(joints),)) or not (np.abs(array) <= LARGEST).all():
        raise InputError(
            f"{name} must be one finite number, or {len(joints)} (one for each of "
            f"{', '.join(joints)}); found {value!r}."
        )
    return np.broadcast_to(array, (len(joints),)).astype(float)
