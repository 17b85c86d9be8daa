"""Proof by subdivision: what is not proved on a slice of time is cut in two and tried again.

A bound on a slice holds for every instant of it, so that a motion is proved once every slice is. A
finer cut makes bounds closer; what no cut could prove is refused at once, and what is not proved on
the finest slices is refused, too. The same cuts bring reported margins close to the smallest ones.

A constraint is a function that says what slices need of limits, for a `LimitBound`; or, where
slices are more than time, another class with `Bound`'s methods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Generic, Protocol, TypeVar

import numpy as np
from typing_extensions import Self

from ...arrays import Array, BoolArray
from ...motion.trajectory import MotionRanges, Trajectory
from .margin import CONSTRAINTS, DESIGN, Margin, Refusal, part_used


@dataclass(frozen=True, eq=False)
class Slices:
    """Slices of time, by their beginnings and ends, shape (I,) each [s]."""

    start: Array
    end: Array

    @classmethod
    def between(cls, edges: Array) -> Slices:
        """Return those between edges, shape (I + 1,) [s]."""
        return Slices(edges[:-1], edges[1:])

    @property
    def middle(self) -> Array:
        """Their middles, shape (I,) [s]."""
        return (self.start + self.end) / 2

    def take(self, which: Array) -> Self:
        """Return some of them."""
        return type(self)(*(getattr(self, entry.name)[which] for entry in fields(self)))

    def halves(self, which: BoolArray) -> Self:
        """Return both halves of some of them, in the order of time."""
        some = self.take(which)
        twice = {x.name: np.concatenate([getattr(some, x.name)] * 2) for x in fields(some)}
        twice["start"][len(some.start) :] = twice["end"][: len(some.start)] = some.middle
        return type(self)(**twice).take(np.argsort(twice["start"], kind="stable"))

    def ranges(self, trajectory: Trajectory, parts: int = 1) -> MotionRanges:
        """Return a motion's extrema on equal parts of each, side by side as if they were joined."""
        cuts = np.linspace(self.start, self.end, parts + 1, axis=1)
        edges = np.unique(cuts)
        which = np.searchsorted(edges, cuts[:, :-1].ravel())
        return trajectory.ranges(edges).take(which)


class Judged(Protocol):
    """What a bound says of slices, those of the kind S."""

    @property
    def slices(self) -> Slices:
        """The slices, shape (I,), with what is known of them now."""

    @property
    def failed(self) -> BoolArray:
        """Which are not proved, shape (I,)."""

    @property
    def loose(self) -> BoolArray:
        """Of which a finer cut would tell the margin better, shape (I,)."""


S = TypeVar("S", bound=Slices, contravariant=True)
J = TypeVar("J", bound=Judged)


class Bound(Protocol, Generic[S, J]):
    """What is to be proved of a motion.

    Attributes:
        depth: Times that a slice is cut in two before a proof is given up.
        report_depth: Times that it is cut only to tell the margin better.
    """

    depth: int
    report_depth: int

    def judge(self, slices: S) -> J:
        """Return what is found on slices."""

    def refused(self, found: J, last: bool) -> Refusal | None:
        """Return why the motion is refused; None where a finer cut may prove it.

        Args:
            found: With slices that fail.
            last: Whether there is no finer cut.
        """

    def settle(self, found: J, done: BoolArray) -> None:
        """Keep the smallest margins of slices that are not cut any more."""


def prove(bound: Bound[S, J], slices: S) -> Refusal | None:
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
        slices = found.slices.halves(again)  # type: ignore[assignment]  # of the kind that came in
    return None


@dataclass(frozen=True, eq=False)
class Need:
    """What slices need of some limits of one kind.

    Attributes:
        constraint: One of `CONSTRAINTS`.
        where: Joints or bodies, C of them.
        left: What is left of each limit, shape (I, C).
        used: Part of it that is used, shape (I, C) [-]; above 1: it may be exceeded; NaN: all.
        certain: Where every payload and tracking error exceeds it, shape (I, C).
    """

    constraint: str
    where: Sequence[str]
    left: Array
    used: Array
    certain: BoolArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "used", np.where(np.isnan(self.used), np.inf, self.used))

    @classmethod
    def within(
        cls,
        constraint: str,
        where: Sequence[str],
        most: Array,
        limit: Array,
        least: Array | None = None,
    ) -> Need:
        """Return what is needed of limits, shape (C,): at most, and at least by all, (I, C)."""
        certain = np.zeros(most.shape, dtype=bool) if least is None else least > limit
        return cls(constraint, where, limit - most, part_used(most, limit), certain)


@dataclass(frozen=True, eq=False)
class Needs:
    """What slices need, judged.

    Attributes:
        slices: The slices, shape (I,).
        needs: By constraint.
        goal: Part of the last one's limit beyond which a finer cut would tell the margin better.
    """

    slices: Slices
    needs: tuple[Need, ...]
    goal: float = np.inf

    @property
    def failed(self) -> BoolArray:
        """Slices on which a limit may be exceeded."""
        over = [(need.used > 1.0).any(axis=1) for need in self.needs]
        return np.any(over, axis=0) if over else np.zeros(len(self.slices.start), dtype=bool)

    @property
    def loose(self) -> BoolArray:
        """Slices on which more than the goal is used."""
        if self.goal == np.inf:
            return np.zeros(len(self.slices.start), dtype=bool)
        return np.asarray((self.needs[-1].used > self.goal).any(axis=1))

    @property
    def first(self) -> Need | None:
        """The first of the needs that may exceed a limit."""
        return next((need for need in self.needs if (need.used > 1.0).any()), None)

    def refusal(self, need: Need) -> Refusal:
        """Return when a limit is exceeded first, and by the joint that needs most then."""
        k = int(np.argmax((need.used > 1.0).any(axis=1)))
        j = int(np.argmax(need.used[k]))
        start, end = float(self.slices.start[k]), float(self.slices.end[k])
        missing, certain = -float(need.left[k, j]), bool(need.certain[k, j])
        when = f"at {start:.3f} s" if start == end else f"between {start:.3f} and {end:.3f} s"
        if certain:
            why = "on the desired motion, whatever the payload and the tracking error"
        else:
            why = "for some payload or tracking error in the bounds"
            why += "" if start == end else ", as far as slices of this length can prove"
        name, unit = need.constraint, CONSTRAINTS[need.constraint]
        remedy = "Move slower or elsewhere, or state closer bounds."
        if name in DESIGN:
            remedy = "Design the controller for this motion and box, or move more slowly."
        sentence = (
            f"Refused ({name}): {need.where[j]} exceeds its limit by {missing:.4g} {unit} {when}, "
            f"{why}. {remedy}"
        )
        return Refusal(name, (need.where[j],), (start + end) / 2, missing, certain, sentence)


class LimitBound:
    """Limits that a motion is to keep.

    Attributes:
        needs: Says what slices need of limits, in the order in which they are named where several
            fail.
        trajectory: The desired motion.
        smallest: The smallest margin of each constraint so far, as a part of its limit.
    """

    report_depth = 0

    def __init__(
        self,
        needs: Callable[[MotionRanges], Iterable[Need]],
        trajectory: Trajectory,
        depth: int = 6,
    ) -> None:
        """Prove nothing yet; a depth of 0 is for needs that are extrema, which no cut changes."""
        self.needs, self.trajectory, self.depth = needs, trajectory, depth
        self.smallest: dict[str, Margin] = {}

    def margins(self, slices: Slices) -> tuple[Margin, ...] | Refusal:
        """Return the smallest margins, or the first limit that is not kept."""
        return prove(self, slices) or tuple(self.smallest.values())

    def judge(self, slices: Slices) -> Needs:
        """Return what slices need."""
        return Needs(slices, tuple(self.needs(slices.ranges(self.trajectory))))

    def refused(self, found: Needs, last: bool) -> Refusal | None:
        """Return the first limit that no finer cut can prove; None if there is hope for it."""
        if not self.depth and found.first is not None:
            return found.refusal(found.first)
        time = found.slices.middle[found.failed]
        ranges = MotionRanges.at_instants(self.trajectory.at(time))
        there = Needs(Slices(time, time), tuple(self.needs(ranges)))
        need, now = found.first, there.first
        if need is None:
            return None
        if now is not None and now.constraint == need.constraint:
            return there.refusal(now)
        return found.refusal(need) if last else None

    def settle(self, found: Needs, done: BoolArray) -> None:
        """Keep the largest parts used among the slices that are done."""
        slices = found.slices.take(done)
        for need in found.needs:
            used, name = need.used[done], need.constraint
            if not used.size:
                continue
            k, j = (int(x) for x in np.unravel_index(int(np.argmax(used)), used.shape))
            if name not in self.smallest or used[k, j] > self.smallest[name].used:
                self.smallest[name] = Margin(
                    constraint=name,
                    where=(need.where[j],),
                    value=float(need.left[done][k, j]),
                    used=float(used[k, j]),
                    start=float(slices.start[k]),
                    end=float(slices.end[k]),
                )
