"""Gravity is not where the description has it: a tilted base, another mounting, compensation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...arrays import Array
from ...rows.joint_torque.momentum import MomentumRows
from ..causes.cause import Finding
from ..causes.remade_rows import RemadeRows, Unchanged

STEP, REACH = 0.1, 3.0  # of differences, and of a round [m/s2]
TILT = 30.0  # [deg] up to which it is called a tilt
NONE = 0.2  # part of gravity below which it is called none
OTHER_SIZE = 1.25  # times as large or small, from which on that is what is said


class OtherGravity(Unchanged):
    """Gravity is the value, in the base frame [m/s2]."""

    def source(self, source: MomentumRows, value: Array) -> MomentumRows:
        """Return the source with the arm in that gravity."""
        return replace(source, model=replace(source.model, gravity=value))


class Gravity:
    """Any constant gravity; found from the stated one, from the axes, and from none at all."""

    name = "gravity direction"

    def findings(self, remade: RemadeRows) -> Iterator[Finding]:
        """See the protocol."""
        stated = remade.source.model.gravity
        size = float(np.linalg.norm(stated)) or 9.81
        few, other = remade.few(), OtherGravity()
        starts = [stated, *(size * np.eye(3)), *(-size * np.eye(3)), np.zeros(3)]
        left = [few.judged(other, start).factor for start in starts]
        for start in {0, int(np.argmin(left))}:
            yield self._finding(remade, stated, starts[start])

    def _finding(self, remade: RemadeRows, stated: Array, start: Array) -> Finding:
        """Follow gravity from one direction."""
        other, steps, reach = OtherGravity(), np.full(3, STEP), np.full(3, REACH)
        value, fit = remade.followed(other, start, steps, reach)
        return Finding(self.name, fit.factor, 3, _sentence(stated, value))


def _sentence(stated: Array, value: Array) -> str:
    """Say how gravity differs from what is stated."""
    size, found = float(np.linalg.norm(stated)), float(np.linalg.norm(value))
    where = f"({', '.join(f'{x:.2f}' for x in value)}) m/s2 in the base frame"
    if found < NONE * max(size, 1.0):
        return (
            "The torques look as if there were no gravity: they are compensated for it, or the "
            "base is not fixed. Record torques as they are measured."
        )
    if size > 0.0 and not 1.0 / OTHER_SIZE < found / size < OTHER_SIZE:
        return (
            f"Gravity seems to be {where}, {found / size:.2g} times what is stated: the torques "
            "are compensated for a part of it, or with the wrong sign, or gravity is stated in "
            "another unit. Record torques as they are measured."
        )
    cosine = stated @ value / (size * found) if size > 0.0 else 1.0
    angle = float(np.rad2deg(np.arccos(np.clip(cosine, -1.0, 1.0))))
    if angle <= TILT:
        return (
            f"Gravity seems to be {where}, {angle:.2g} deg off what is stated: level the base, "
            "or state gravity as it is, or a larger gravity_error."
        )
    return (
        f"Gravity seems to be {where}, {angle:.3g} deg off what is stated: the base is mounted "
        "another way, or gravity has another sign or axis. State gravity as it is."
    )
