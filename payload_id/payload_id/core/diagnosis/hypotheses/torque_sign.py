"""The effort of one joint, of several or of all has the opposite sign."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from ...arrays import Array, BoolArray, IntArray
from ...samples.joint_samples import Samples
from ..evidence import Evidence, Relaxation
from ..hypothesis import Hypothesis, Reading, Recorded, Relaxed, said
from .gravity import hanging

REVERSED = np.array([-2.0])  # times the reading, that the torque is more than it


class TorqueSign(Hypothesis):
    """tau = -reading: a column of minus the reading, -2 times.

    Where several factors are nearer to -2 than to 0 with all of them free, these joints are tried
    together, without those that need not be reversed; or all, where that explains as much: what
    weighs nothing on a joint shows its sign by its friction, which is never negative.
    """

    name = "torque sign"

    def relaxations(self, evidence: Evidence) -> Iterator[Relaxed]:
        """See the base class."""
        rows = evidence.rows
        reading = np.where(evidence.own, rows.reading, 0.0)
        joints = np.unique(rows.joint[reading != 0.0])
        each = np.where(rows.joint[:, None] == joints, -reading[:, None], 0.0)
        for which in (*np.eye(len(joints), dtype=bool), _several(evidence, each)):
            yield Relaxed(
                _reversed(each, which), said(_sentence(joints, which)), 0,
                int(joints[which][0]) if which.sum() == 1 else None,
            )  # fmt: skip


class ReversedAndHanging(Hypothesis):
    """All efforts have the opposite sign, and the arm hangs otherwise than stated.

    But for motion and friction that looks like an arm as stated, with no sign reversed.
    """

    name = "torque sign and gravity"

    def readings(self, recorded: Recorded) -> Iterator[Reading]:
        """See the base class."""
        for mounted in hanging(recorded):
            yield replace(mounted, words=_both(mounted.words), samples=_all_reversed)


def _all_reversed(samples: Samples, _: Array) -> Samples:
    return replace(samples, tau=-samples.tau)


def _both(of_gravity: Callable[[Array], tuple[str, str]]) -> Callable[[Array], tuple[str, str]]:
    """Return what says that all efforts are reversed, and where gravity is."""

    def words(value: Array) -> tuple[str, str]:
        what, remedy = of_gravity(value)
        return f"All efforts are reversed, and {what[0].lower()}{what[1:]}", (
            f"reverse effort.sign in the robot file, and {remedy}"
        )

    return words


def _reversed(each: Array, which: BoolArray) -> Relaxation:
    """Return the rows with some of the readings, columns of shape (m, k), reversed."""
    return Relaxation(each[:, which].sum(axis=1)[:, None], REVERSED, REVERSED)


def _several(evidence: Evidence, each: Array) -> BoolArray:
    """Return which joints are likely to be reversed together, shape (k,)."""

    def left(which: BoolArray) -> float:
        return evidence.refit(_reversed(each, which)).factor

    most, every = np.tile(REVERSED, each.shape[1]), np.ones(each.shape[1], dtype=bool)
    which = evidence.refit(Relaxation(each, most, 0.0 * most)).values < most / 2
    factor, of_all = left(which), left(every)
    for joint in np.flatnonzero(which):
        fewer = which & (np.arange(len(which)) != joint)
        if (without := left(fewer)) <= max(factor, 1.0):
            which, factor = fewer, without
    return every if of_all <= max(factor, 1.0) else which


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
