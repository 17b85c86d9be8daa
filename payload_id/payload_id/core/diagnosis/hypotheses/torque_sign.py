"""The effort of one joint, of several or of all has the opposite sign."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...arrays import Array, BoolArray, IntArray
from ..evidence import Evidence, Relaxation
from ..hypothesis import Hypothesis, Relaxed, said

REVERSED = np.array([-2.0])  # times the reading, that the torque is more than it


class TorqueSign(Hypothesis):
    """tau = -reading: a column of minus the reading, -2 times.

    Where several factors are nearer to -2 than to 0 with all of them free, these joints are tried
    together, without those that need not be reversed.
    """

    name = "torque sign"

    def relaxations(self, evidence: Evidence) -> Iterator[Relaxed]:
        """See the base class."""
        rows = evidence.rows
        reading = np.where(evidence.own, rows.reading, 0.0)
        joints = np.unique(rows.joint[reading != 0.0])
        each = np.where(rows.joint[:, None] == joints, -reading[:, None], 0.0)
        for which in (*np.eye(len(joints), dtype=bool), _several(evidence, each), joints >= 0):
            yield Relaxed(
                _reversed(each, which), said(_sentence(joints, which)), 0,
                int(joints[which][0]) if which.sum() == 1 else None,
            )  # fmt: skip


def _reversed(each: Array, which: BoolArray) -> Relaxation:
    """Return the rows with some of the readings, columns of shape (m, k), reversed."""
    return Relaxation(each[:, which].sum(axis=1)[:, None], REVERSED, REVERSED)


def _several(evidence: Evidence, each: Array) -> BoolArray:
    """Return which joints are likely to be reversed together, shape (k,)."""
    most = np.tile(REVERSED, each.shape[1])
    which = evidence.refit(Relaxation(each, most, 0.0 * most)).values < most / 2
    factor = evidence.refit(_reversed(each, which)).factor
    for joint in np.flatnonzero(which):
        fewer = which & (np.arange(len(which)) != joint)
        left = evidence.refit(_reversed(each, fewer)).factor
        if left <= max(factor, 1.0):
            which, factor = fewer, left
    return which


def _sentence(joints: IntArray, which: BoolArray) -> str:
    """Say which efforts are reversed, and what to do."""
    who, entry = "The effort of {joint} has the opposite sign", "its entry of effort.sign"
    if which.sum() != 1:
        listed = ", ".join(f"{{{joint}}}" for joint in joints[which])
        who, entry = f"The efforts of {listed} have the opposite sign", "their entries"
    if which.all():
        who = "All efforts are reversed (all joints have the opposite sign)"
        entry = "effort.sign"
    return f"{who}: reverse {entry} in the robot file (effort_sign in the columns of a table)."
