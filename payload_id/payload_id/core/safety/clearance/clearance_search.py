"""Pairs of bodies on slices of time, to be proved apart.

Slices are cut pair by pair: far pairs need a few long slices, near ones many short ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from ...arrays import Array, BoolArray, IntArray
from ...motion.trajectory import Motion, MotionRanges
from ..margins.margin import Margin, Refusal
from ..margins.subdivision import Slices, prove
from .body_table import Items, Poses
from .scene import GROUPS, Scene
from .separation import (
    along_planes,
    clearance_along,
    nearest_direction,
    reach,
    rough_distance,
    separation,
)

REPORT_RELATIVE = 0.1  # margins are reported to this part of their value ...
REPORT_ABSOLUTE = 0.002  # [m] ... and this
SEEDS = 24  # pairs in each group from which the search for the margin starts


class Moving(Protocol):
    """What is asked of a motion here."""

    def at(self, time: Array) -> Motion:
        """Return the motion at times, shape (N,) [s]."""

    def ranges(self, edges: Array) -> MotionRanges:
        """Return extrema on the slices between edges, shape (K + 1,) [s]."""


@dataclass(frozen=True, eq=False)
class OpenPairs(Slices):
    """Pairs on slices of time that wait for their proof, shape (I, ...).

    Attributes:
        pair: Index of the pair.
        direction: A promising n in the frame of the second body; zero if none is known.
    """

    pair: IntArray
    direction: Array

    @classmethod
    def all_pairs(cls, slices: Slices, count: int) -> OpenPairs:
        """Return each of so many pairs on every slice."""
        start, end = (np.repeat(edge, count) for edge in (slices.start, slices.end))
        return cls(
            start, end, np.tile(np.arange(count), len(slices.start)), np.zeros((len(end), 3))
        )


@dataclass(frozen=True, eq=False)
class JudgedPairs:
    """What is proved of waiting pairs.

    Attributes:
        slices: The pairs, shape (I,), each with the direction that proves most.
        value: Proved clearance beyond the required one, shape (I,) [m].
        loose: Where a finer cut would tell the margin better, shape (I,).
    """

    slices: OpenPairs
    value: Array
    loose: BoolArray

    @property
    def failed(self) -> BoolArray:
        """Pairs that are not proved apart."""
        return ~(self.value > 0.0)


class ClearanceBound:
    """Pairs of bodies, to be proved apart; `goal` is what a pair must reach, by group.

    Attributes:
        found: The smallest clearance of each group so far, beyond the required one.
        seeded: Whether is known what can be reached, or does not matter.
    """

    depth, report_depth = 9, 4

    def __init__(self, scene: Scene, tube: Array, required: float, trajectory: Moving) -> None:
        """Prove nothing yet.

        Args:
            scene: Arm and obstacles.
            tube: |q - q_d|, shape (n,) [rad or m].
            required: Distance to keep [m].
            trajectory: The desired motion.
        """
        self.scene, self.tube, self.required, self.trajectory = scene, tube, required, trajectory
        self.reachable = np.full(len(GROUPS), np.inf)  # what no finer cut can exceed by much
        self.seeded = False
        self.found: dict[int, Margin] = {}

    def margins(self, slices: Slices) -> tuple[Margin, ...] | Refusal:
        """Return the smallest clearance of each group, or the first that is not kept."""
        pairs = OpenPairs.all_pairs(slices, len(self.scene.group))
        refused = prove(self, pairs) if len(pairs.pair) else None
        return refused or tuple(self.found[g] for g in sorted(self.found))

    def judge(self, slices: OpenPairs) -> JudgedPairs:
        """Return what is proved of waiting pairs."""
        items = self.items(slices)
        if not self.seeded:
            self.seed(slices, items)
        value, direction = self.distances(items, slices)
        told = replace(slices, direction=np.einsum("kij,ki->kj", items.R[1], direction))
        return JudgedPairs(told, value, value < self.goal()[self.group(slices)])

    def group(self, open_: OpenPairs) -> IntArray:
        """Return the group of each waiting pair."""
        return self.scene.group[open_.pair]

    def goal(self) -> Array:
        """Return the clearance at which a pair of each group needs no finer cut."""
        reachable = np.maximum(self.reachable, 0.0)
        known = np.isfinite(reachable)
        finite = np.where(known, reachable, 0.0)
        near = np.maximum((1 - REPORT_RELATIVE) * finite - REPORT_ABSOLUTE, 0.0)
        return np.where(known, near, 0.0)

    def items(self, open_: OpenPairs) -> Items:
        """Return the waiting pairs at the middle of the range of their slice."""
        edges = np.union1d(open_.start, open_.end)
        ranges = self.trajectory.ranges(edges)
        delta = (ranges.q_upper - ranges.q_lower) / 2 + self.tube
        poses = Poses.of(self.scene.model, ranges.middle.q, delta)
        slice_ = np.searchsorted(edges, open_.start)
        return Items.of(self.scene.table, self.scene.pairs, poses, slice_, open_.pair)

    def at_middle(self, open_: OpenPairs) -> Items:
        """Return the waiting pairs at the middle of their slices, with the tube only."""
        q = self.trajectory.at(open_.middle).q
        poses = Poses.of(self.scene.model, q, np.broadcast_to(self.tube, q.shape))
        row = np.arange(len(q))
        return Items.of(self.scene.table, self.scene.pairs, poses, row, open_.pair)

    def distances(self, items: Items, open_: OpenPairs) -> tuple[Array, Array]:
        """Return a proved clearance of each waiting pair, (I,) [m], and its direction, (I, 3)."""
        table, pairs = self.scene.table, self.scene.pairs
        rough, direction = rough_distance(table, items)
        value = rough - self.required - reach(table, pairs, items, 0)[0]
        if items.delta[1].any():
            value -= reach(table, pairs, items, 1)[0]
        group = self.group(open_)
        known = np.any(open_.direction != 0.0, axis=1)
        told = np.einsum("kij,kj->ki", items.R[1], open_.direction)
        direction = along_planes(table, items, np.where(known[:, None], told, direction))
        todo = np.flatnonzero(value < self.goal()[group])
        if len(todo):
            value[todo] = np.maximum(value[todo], self.along(items.take(todo), direction[todo]))
        todo = todo[value[todo] < self.goal()[group[todo]]]
        if len(todo):
            some = items.take(todo)
            nearest = nearest_direction(table, some)
            better = self.along(some, nearest)
            direction[todo] = np.where((better > value[todo])[:, None], nearest, direction[todo])
            value[todo] = np.maximum(value[todo], better)
        return value, direction

    def along(self, items: Items, direction: Array) -> Array:
        """Return the clearance that directions prove, shape (I,) [m]."""
        table, pairs = self.scene.table, self.scene.pairs
        return clearance_along(table, pairs, items, direction, self.required)

    def seed(self, open_: OpenPairs, items: Items) -> None:
        """Find what clearance can be reached at most, from the pairs that look nearest."""
        group, rough = self.group(open_), rough_distance(self.scene.table, items)[0]
        for g in range(len(GROUPS)):
            mine = np.flatnonzero(group == g)
            if not len(mine):
                continue
            near = mine[np.argsort(rough[mine])[:SEEDS]]
            value, _ = self.exact(open_.take(near))
            self.reachable[g] = value.min()
        self.seeded = True

    def exact(self, open_: OpenPairs) -> tuple[Array, Array]:
        """Return clearance with tube, and distance without it, at the middles of slices [m]."""
        items = self.at_middle(open_)
        direction = nearest_direction(self.scene.table, items)
        return self.along(items, direction), separation(self.scene.table, items, direction)

    def refused(self, found: JudgedPairs, last: bool) -> Refusal | None:
        """Return the earliest clearance that no finer cut can prove; None if there is hope."""
        some = found.slices.take(found.failed)
        value, nominal = self.exact(some)
        hopeless = value <= 0.0
        if hopeless.any():
            some, value, nominal = some.take(hopeless), value[hopeless], nominal[hopeless]
        elif last:
            value = found.value[found.failed]
        else:
            return None
        at_once = np.flatnonzero(some.middle <= some.middle.min() + 1e-9)
        k = int(at_once[np.argmin(value[at_once])])
        return self._refusal(some, k, float(value[k]), float(nominal[k]), bool(hopeless.any()))

    def settle(self, found: JudgedPairs, done: BoolArray) -> None:
        """Keep the smallest clearance of each group among those that are done."""
        open_, value = found.slices, found.value
        group = self.group(open_)
        for g in range(len(GROUPS)):
            mine = np.flatnonzero(done & (group == g))
            if not len(mine):
                continue
            k = int(mine[np.argmin(value[mine])])
            if g not in self.found or value[k] < self.found[g].value:
                pair, time = self.scene.pair_names(open_.pair[k]), (open_.start[k], open_.end[k])
                least, none = float(value[k]), float("nan")
                self.found[g] = Margin(GROUPS[g], pair, least, none, float(time[0]), float(time[1]))

    def _refusal(
        self, open_: OpenPairs, k: int, value: float, nominal: float, hopeless: bool
    ) -> Refusal:
        """Return the refusal of one of the waiting pairs.

        Args:
            open_: The pairs.
            k: Which.
            value: Its clearance beyond the required one, tube included [m].
            nominal: Distance on the desired motion, without tube, at the middle of its slice [m].
            hopeless: Whether the clearance is that of the slice's middle.
        """
        names, time = self.scene.pair_names(open_.pair[k]), float(open_.middle[k])
        group, pair = GROUPS[self.scene.group[open_.pair[k]]], " and ".join(names)
        certain, when = nominal <= self.required, f"at {time:.3f} s"
        if nominal <= 0.0:
            what = f"{pair} collide {when} on the desired motion"
        elif certain:
            what = f"{pair} come as close as {nominal:.4g} m {when} on the desired motion"
        elif hopeless:
            what = (
                f"{pair} are {nominal:.4g} m apart {when}, which tracking errors within the tube "
                "can use up"
            )
        else:
            what = f"no proof was found that {pair} stay apart {when}, even on the finest slices"
        sentence = (
            f"Refused ({group}): {what}; {-value:.4g} m are missing to the required "
            f"{self.required:.4g} m."
        )
        return Refusal(group, names, time, -value, certain, sentence)
