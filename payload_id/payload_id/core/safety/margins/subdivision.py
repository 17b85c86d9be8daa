"""Proof by subdivision: what is not proved on a slice of time is cut in two and tried again.

A bound on a slice holds for every instant of it, so that a motion is proved once every slice is. A
finer cut makes bounds closer; what no cut could prove is refused at once, and what is not proved on
the finest slices is refused, too. The same cuts bring reported margins close to the smallest ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from ...arrays import Array, BoolArray
from ...motion.trajectory import MotionRanges, Trajectory
from .margin import Margin, part_used

S = TypeVar("S")  # slices of time that wait for their proof
J = TypeVar("J", bound="Judged")  # what was found on them
R = TypeVar("R", covariant=True)  # why a motion is refused


class Judged(Protocol):
    """What a bound says of slices.

    Attributes:
        failed: Which are not proved, shape (I,).
        loose: Of which a finer cut would tell the margin better, shape (I,).
    """

    @property
    def failed(self) -> BoolArray:
        """See above."""

    @property
    def loose(self) -> BoolArray:
        """See above."""


class Bound(Protocol, Generic[S, J, R]):
    """What is to be proved of a motion.

    Attributes:
        depth: Times that a slice is cut in two before a proof is given up.
        report_depth: Times that it is cut only to tell the margin better.
    """

    depth: int
    report_depth: int

    def judge(self, slices: S) -> J:
        """Return what is found on slices."""

    def refused(self, found: J, last: bool) -> R | None:
        """Return why the motion is refused; None where a finer cut may prove it.

        Args:
            found: With slices that fail.
            last: Whether there is no finer cut.
        """

    def settle(self, found: J, done: BoolArray) -> None:
        """Keep the smallest margins of slices that are not cut any more."""

    def halves(self, found: J, again: BoolArray) -> S:
        """Return both halves of slices."""


def prove(bound: Bound[S, J, R], slices: S) -> R | None:
    """Return why a motion is refused; None once everything is proved, with its margins settled.

    Args:
        bound: What is to be proved.
        slices: The first ones, which cover the motion.
    """
    for depth in range(bound.depth + 1):
        found = bound.judge(slices)
        if found.failed.any():
            refused = bound.refused(found, depth == bound.depth)
            if refused is not None:
                return refused
        again = found.failed if depth >= bound.report_depth else found.failed | found.loose
        bound.settle(found, ~again)
        if not again.any():
            break
        slices = bound.halves(found, again)
    return None


@dataclass(frozen=True, eq=False)
class Slices:
    """Slices of time, by their beginnings and ends, shape (I,) each [s]."""

    start: Array
    end: Array

    @classmethod
    def between(cls, edges: Array) -> Slices:
        """Return those between edges, shape (I + 1,) [s]."""
        return cls(edges[:-1], edges[1:])

    @property
    def middle(self) -> Array:
        """Their middles, shape (I,) [s]."""
        return (self.start + self.end) / 2

    def take(self, which: BoolArray) -> Slices:
        """Return some of them."""
        return Slices(self.start[which], self.end[which])

    def halves(self, which: BoolArray) -> Slices:
        """Return both halves of some of them, in the order of time."""
        some = self.take(which)
        start = np.concatenate([some.start, some.middle])
        order = np.argsort(start)
        return Slices(start[order], np.concatenate([some.middle, some.end])[order])

    def ranges(self, trajectory: Trajectory, parts: int = 1) -> MotionRanges:
        """Return a motion's extrema on equal parts of each, side by side as if they were joined."""
        cuts = np.linspace(self.start, self.end, parts + 1, axis=1)
        edges = np.unique(cuts)
        which = np.searchsorted(edges, cuts[:, :-1].ravel())
        found = trajectory.ranges(edges)
        width = np.diff(found.edges)[which]
        return MotionRanges(
            np.concatenate([[0.0], np.cumsum(width)]),
            found.q_lower[which],
            found.q_upper[which],
            found.dq_lower[which],
            found.dq_upper[which],
            found.ddq_lower[which],
            found.ddq_upper[which],
        )


class SmallestMargins:
    """The smallest margin of each constraint, as a part of its limit.

    Attributes:
        found: By constraint.
    """

    def __init__(self) -> None:
        """There is none yet."""
        self.found: dict[str, Margin] = {}

    def take(
        self, constraint: str, where: Sequence[str], needed: Array, limit: Array, slices: Slices
    ) -> None:
        """Take in what slices need.

        Args:
            constraint: One of `CONSTRAINTS`.
            where: Joints or bodies.
            needed: Of each limit at most, shape (I, C).
            limit: Limits, shape (C,).
            slices: The slices, shape (I,).
        """
        used = part_used(needed, limit)
        if not used.size:
            return
        k, j = (int(x) for x in np.unravel_index(int(np.argmax(used)), used.shape))
        known = self.found.get(constraint)
        if known is None or used[k, j] > known.used:
            self.found[constraint] = Margin(
                constraint=constraint,
                where=(where[j],),
                value=float(limit[j] - needed[k, j]),
                used=float(used[k, j]),
                start=float(slices.start[k]),
                end=float(slices.end[k]),
            )
