"""The search behind `clearances`: pairs of bodies on slices of time, cut until all are proved.

What is not proved, pair by pair, is cut in two and tried again: far pairs need a few long slices,
near ones many short ones. The same search brings the reported margins close to the smallest
clearance.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array, BoolArray, IntArray
from ...motion.trajectory import Trajectory
from .body_table import Items, Poses
from .clearance_report import Clearance, ClearanceReport
from .scene import GROUPS, Scene
from .separation import (
    along_planes,
    clearance_along,
    nearest_direction,
    reach,
    rough_distance,
    separation,
)

DEPTH = 9  # times that a slice is cut in two before a proof is given up
REPORT_DEPTH = 4  # times that it is cut only to tell the margin better
REPORT_RELATIVE = 0.1  # margins are reported to this part of their value ...
REPORT_ABSOLUTE = 0.002  # [m] ... and this
SEEDS = 24  # pairs in each group from which the search for the margin starts


@dataclass(frozen=True, eq=False)
class OpenPairs:
    """Pairs on slices of time that wait for their proof, shape (I, ...).

    Attributes:
        start: Beginning of the slice [s].
        end: End of the slice [s].
        pair: Index of the pair.
        direction: A promising n in the frame of the second body; zero if none is known.
    """

    start: Array
    end: Array
    pair: IntArray
    direction: Array

    def halves(self, which: BoolArray, direction: Array) -> OpenPairs:
        """Return both halves of some, with directions (I, 3)."""
        start, end = self.start[which], self.end[which]
        middle = (start + end) / 2
        return OpenPairs(
            np.concatenate([start, middle]),
            np.concatenate([middle, end]),
            np.tile(self.pair[which], 2),
            np.tile(direction[which], (2, 1)),
        )

    def take(self, which: IntArray) -> OpenPairs:
        """Return some of the waiting pairs."""
        return OpenPairs(
            self.start[which], self.end[which], self.pair[which], self.direction[which]
        )


class ClearanceSearch:
    """One search; `goal` is what a pair must reach to be settled, by group."""

    def __init__(self, scene: Scene, tube: Array, required: float) -> None:
        self.scene, self.tube, self.required = scene, tube, required
        self.reachable = np.full(len(GROUPS), np.inf)  # what no finer cut can exceed by much
        self.found: dict[int, Clearance] = {}

    def run(self, trajectory: Trajectory, slice_length: float) -> ClearanceReport:
        """Cut until everything is proved, or something cannot be."""
        if not len(self.scene.group):
            return ClearanceReport((), None)  # there are no two bodies that could meet
        count = max(4, int(np.ceil(trajectory.duration / slice_length)))
        edges = np.linspace(0.0, trajectory.duration, count + 1)
        P = len(self.scene.group)
        open_ = OpenPairs(
            np.repeat(edges[:-1], P),
            np.repeat(edges[1:], P),
            np.tile(np.arange(P), count),
            np.zeros((count * P, 3)),
        )
        for depth in range(DEPTH + 1):
            items = self.items(trajectory, open_)
            if depth == 0:
                self.seed(trajectory, open_, items)
            value, direction = self.prove(items, open_)
            failed = value <= 0.0
            if failed.any():
                refused = self.refused(trajectory, open_, failed, value, depth == DEPTH)
                if refused is not None:
                    return ClearanceReport(self.smallest(), refused)
            again = failed if depth >= REPORT_DEPTH else value < self.goal()[self.group(open_)]
            self.settle(open_, value, ~again)
            if not again.any():
                break
            local = np.einsum("kij,ki->kj", items.R[1], direction)
            open_ = open_.halves(again, local)
        return ClearanceReport(self.smallest(), None)

    def smallest(self) -> tuple[Clearance, ...]:
        """Return the smallest clearance of each group."""
        return tuple(self.found[g] for g in sorted(self.found))

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

    def items(self, trajectory: Trajectory, open_: OpenPairs) -> Items:
        """Return the waiting pairs at the middle of the range of their slice."""
        edges = np.union1d(open_.start, open_.end)
        ranges = trajectory.ranges(edges)
        delta = (ranges.q_upper - ranges.q_lower) / 2 + self.tube
        poses = Poses.of(self.scene.model, ranges.middle.q, delta)
        slice_ = np.searchsorted(edges, open_.start)
        return Items.of(self.scene.table, self.scene.pairs, poses, slice_, open_.pair)

    def at_middle(self, trajectory: Trajectory, open_: OpenPairs) -> Items:
        """Return the waiting pairs at the middle of their slices, with the tube only."""
        time = (open_.start + open_.end) / 2
        q = trajectory.at(time).q
        poses = Poses.of(self.scene.model, q, np.broadcast_to(self.tube, q.shape))
        row = np.arange(len(time))
        return Items.of(self.scene.table, self.scene.pairs, poses, row, open_.pair)

    def prove(self, items: Items, open_: OpenPairs) -> tuple[Array, Array]:
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

    def seed(self, trajectory: Trajectory, open_: OpenPairs, items: Items) -> None:
        """Find what clearance can be reached at most, from the pairs that look nearest."""
        group, rough = self.group(open_), rough_distance(self.scene.table, items)[0]
        for g in range(len(GROUPS)):
            mine = np.flatnonzero(group == g)
            if not len(mine):
                continue
            near = mine[np.argsort(rough[mine])[:SEEDS]]
            value, _ = self.exact(trajectory, open_.take(near))
            self.reachable[g] = value.min()

    def exact(self, trajectory: Trajectory, open_: OpenPairs) -> tuple[Array, Array]:
        """Return clearance with tube, and distance without it, at the middles of slices [m]."""
        items = self.at_middle(trajectory, open_)
        direction = nearest_direction(self.scene.table, items)
        return self.along(items, direction), separation(self.scene.table, items, direction)

    def refused(
        self,
        trajectory: Trajectory,
        open_: OpenPairs,
        failed: BoolArray,
        value: Array,
        last: bool,
    ) -> Clearance | None:
        """Return the earliest clearance that no finer cut can prove; None if there is hope."""
        some = open_.take(np.flatnonzero(failed))
        exact, nominal = self.exact(trajectory, some)
        hopeless = exact <= 0.0
        if not hopeless.any() and not last:
            return None
        if hopeless.any():
            candidates, amount = np.flatnonzero(hopeless), exact
        else:
            candidates, amount = np.arange(len(exact)), value[failed]
        middle = (some.start + some.end) / 2
        earliest = middle[candidates].min()
        at_once = candidates[middle[candidates] <= earliest + 1e-9]
        k = int(at_once[np.argmin(amount[at_once])])
        start, end = (middle[k], middle[k]) if hopeless.any() else (some.start[k], some.end[k])
        found = self.clearance(some, k, float(amount[k]))
        return replace(found, nominal=float(nominal[k]), start=float(start), end=float(end))

    def settle(self, open_: OpenPairs, value: Array, done: BoolArray) -> None:
        """Keep the smallest clearance of each group among those that are done."""
        group = self.group(open_)
        for g in range(len(GROUPS)):
            mine = np.flatnonzero(done & (group == g))
            if not len(mine):
                continue
            k = int(mine[np.argmin(value[mine])])
            if g not in self.found or value[k] < self.found[g].value:
                self.found[g] = self.clearance(open_, k, float(value[k]))

    def clearance(self, open_: OpenPairs, k: int, value: float) -> Clearance:
        """Return one of the waiting pairs as a result."""
        pair = int(open_.pair[k])
        return Clearance(
            group=GROUPS[self.scene.group[pair]],
            pair=self.scene.pair_names(pair),
            value=value,
            start=float(open_.start[k]),
            end=float(open_.end[k]),
        )
