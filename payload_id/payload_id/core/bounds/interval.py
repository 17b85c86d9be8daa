"""What interval methods take and give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from ..arrays import Array
from ..knowledge.knowledge import NOTHING, Knowledge
from ..rows.row_block import RowBlock


@dataclass(frozen=True)
class Interval:
    """Element-wise bounds on phi.

    Attributes:
        lower: Shape (10,).
        upper: Shape (10,).
    """

    lower: Array
    upper: Array

    @property
    def half_width(self) -> Array:
        """Half the width, shape (10,)."""
        return (self.upper - self.lower) / 2

    @property
    def magnitude(self) -> Array:
        """Largest |phi| inside, shape (10,)."""
        return np.maximum(np.abs(self.lower), np.abs(self.upper))

    def contains(self, phi: Array) -> bool:
        """Tell whether every element of phi lies inside."""
        return bool((self.lower <= phi).all() and (phi <= self.upper).all())

    def intersect(self, other: Interval) -> Interval:
        """Return what both contain; lower exceeds upper where they share nothing."""
        return Interval(np.maximum(self.lower, other.lower), np.minimum(self.upper, other.upper))


NO_SHAPE = np.zeros((0, 10))  # rows c with c phi >= 0 that are known beforehand: none
UNBOUNDED = Interval(np.full(10, -np.inf), np.full(10, np.inf))


@dataclass(frozen=True)
class Hint:
    """What mattered at one extreme, so that the next solution can begin there.

    Attributes:
        rows: Numbers of the rows that were active.
        duals: Dual vectors of curved cones that were active, each (N,).
    """

    rows: tuple[int, ...] = ()
    duals: tuple[Array, ...] = ()

    def repeated(self, count: int, size: int) -> Hint:
        """Return the hint for rows that follow each other several times, `size` in all."""
        rows = tuple(row + k for k in range(0, size, count) for row in self.rows)
        return replace(self, rows=rows)

    def once(self, count: int) -> Hint:
        """Return the hint for `count` rows that were repeated."""
        return replace(self, rows=tuple(sorted({row % count for row in self.rows})))


@dataclass(frozen=True)
class Memory:
    """What one solution leaves for the next: a hint for each extreme, or nothing.

    A hint only saves time; a wrong one costs some.

    Attributes:
        hints: One for each extreme, in the order of the method that made them.
    """

    hints: tuple[Hint, ...] = ()

    def hint(self, extreme: int) -> Hint:
        """Return the hint for an extreme, an empty one if there is none."""
        return self.hints[extreme] if extreme < len(self.hints) else Hint()

    def renumbered(self, number: Mapping[int, int]) -> Memory:
        """Return the memory after rows got other numbers; those without one are forgotten."""
        return Memory(
            tuple(
                replace(hint, rows=tuple(number[row] for row in hint.rows if row in number))
                for hint in self.hints
            )
        )


@dataclass(frozen=True, eq=False)
class WidthBudget:
    """Terms that half-widths are sums of, in the units of phi.

    Attributes:
        noise: Of the bounds on rows' errors, for each channel, shape (10, C).
        nuisance: Of the nuisance parameters' boxes, shape (10, p).
        known: Of what is known of phi without data, shape (10,).
    """

    noise: Array
    nuisance: Array
    known: Array


@dataclass(frozen=True)
class Bounds:
    """What an interval method found.

    Attributes:
        interval: Bounds on phi, lower nowhere above upper; infinite if not consistent.
        consistent: Whether any phi and u explain the rows within their bounds.
        noise_factor: Smallest common factor on the bounds d with which the rows are consistent
            (computed where they are not, at most 1 or NaN otherwise).
        blame: How much each joint asks for that factor, shares that sum to 1; empty if consistent.
        slack: How close each row comes to being active at any of the bounds, 0 for active,
            shape (m,).
        memory: For the next solution of more rows.
        overhead: By how much the proven interval is wider than the solver's own, the largest part
            of a half-width; 0 where nothing was solved.
        budget: What the half-widths are made of; None where that is not known.
    """

    interval: Interval
    consistent: bool
    noise_factor: float
    blame: dict[int, float]
    slack: Array
    memory: Memory
    overhead: float = 0.0
    budget: WidthBudget | None = None

    @classmethod
    def of_common(cls, found: Interval, known: Interval, rows: int, memory: Memory) -> Bounds:
        """Return what two intervals that hold share; nothing if they contradict each other."""
        both = found.intersect(known)
        consistent = bool((both.lower <= both.upper).all())
        interval = both if consistent else UNBOUNDED
        return cls(interval, consistent, float("nan"), {}, np.zeros(rows), memory)


class IntervalMethod(Protocol):
    """Finds bounds on phi from rows.

    Attributes:
        name: How it is chosen and reported.
        guaranteed: Whether the truth is inside whenever the stated bounds hold.
        citation: Where the method comes from, a key of docs/proofs.md.
    """

    name: str
    guaranteed: bool
    citation: str

    def bounds(
        self,
        rows: RowBlock,
        known: Interval,
        memory: Memory,
        shape: Array = NO_SHAPE,
        stated: Knowledge = NOTHING,
    ) -> Bounds:
        """Return bounds on phi.

        Args:
            rows: All rows, with the nuisance parameters in the unit box.
            known: Finite bounds that phi is known to keep.
            memory: Of the last solution; may be empty.
            shape: Rows c with c phi >= 0 that follow from the payload's size, shape (K, 10).
            stated: What else is stated of the payload; auxiliary variables have bounds.
        """
        ...


MENTIONED = 0.1  # share from which a bound or a joint is named


def shares(weights: Sequence[float], joints: Sequence[int]) -> dict[int, float]:
    """Return how much of the total weight falls on each joint, largest first."""
    total: dict[int, float] = {}
    for weight, joint in zip(weights, joints, strict=True):
        total[int(joint)] = total.get(int(joint), 0.0) + float(weight)
    whole = sum(total.values())
    if whole <= 0.0:
        return {}
    ordered = sorted(total.items(), key=lambda item: -item[1])
    return {joint: weight / whole for joint, weight in ordered}
