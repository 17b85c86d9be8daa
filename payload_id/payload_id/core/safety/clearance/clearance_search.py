"""Pairs of bodies on slices of time, to be proved apart.

Slices are cut pair by pair: far pairs need a few long slices, near ones many short ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array, BoolArray, IntArray
from ...motion.trajectory import Trajectory
from ..margins.subdivision import prove
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


@dataclass(frozen=True, eq=False)
class JudgedPairs:
    """What is proved of waiting pairs.

    Attributes:
        open_: The pairs, shape (I,).
        value: Proved clearance beyond the required one, shape (I,) [m].
        direction: That proves it, in the frame of the second body, shape (I, 3).
        loose: Where a finer cut would tell the margin better, shape (I,).
    """

    open_: OpenPairs
    value: Array
    direction: Array
    loose: BoolArray

    @property
    def failed(self) -> BoolArray:
        """Pairs that are not proved apart."""
        return np.asarray(self.value <= 0.0)


class ClearanceBound:
    """Pairs of bodies, to be proved apart; `goal` is what a pair must reach, by group."""

    depth, report_depth = DEPTH, REPORT_DEPTH

    def __init__(
        self, scene: Scene, tube: Array, required: float, trajectory: Trajectory | None = None
    ) -> None:
        """Prove nothing yet.

        Args:
            scene: Arm and obstacles.
            tube: |q - q_d|, shape (n,) [rad or m].
            required: Distance to keep [m].
            trajectory: The desired motion; None: single poses are looked at.
        """
        self.scene, self.tube, self.required = scene, tube, required
        self._trajectory = trajectory
        self.reachable = np.full(len(GROUPS), np.inf)  # what no finer cut can exceed by much
        self._is_seeded = False
        self.found: dict[int, Clearance] = {}

    @property
    def trajectory(self) -> Trajectory:
        """The desired motion."""
        if self._trajectory is None:
            raise TypeError("Single poses have no motion.")
        return self._trajectory

    def report(self, slice_length: float) -> ClearanceReport:
        """Return what is proved of a motion, on first slices of a length [s]."""
        P, duration = len(self.scene.group), self.trajectory.duration
        if not P:
            return ClearanceReport((), None)  # there are no two bodies that could meet
        count = max(4, int(np.ceil(duration / slice_length)))
        edges = np.linspace(0.0, duration, count + 1)
        open_ = OpenPairs(
            np.repeat(edges[:-1], P),
            np.repeat(edges[1:], P),
            np.tile(np.arange(P), count),
            np.zeros((count * P, 3)),
        )
        refused = prove(self, open_)
        return ClearanceReport(self.smallest(), refused)

    def judge(self, slices: OpenPairs) -> JudgedPairs:
        """Return what is proved of waiting pairs."""
        items = self.items(slices)
        if not self._is_seeded:
            self.seed(slices, items)
        value, direction = self.distances(items, slices)
        local = np.einsum("kij,ki->kj", items.R[1], direction)
        return JudgedPairs(slices, value, local, value < self.goal()[self.group(slices)])

    def halves(self, found: JudgedPairs, again: BoolArray) -> OpenPairs:
        """Return both halves of waiting pairs, with the directions that are known."""
        return found.open_.halves(again, found.direction)

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
        time = (open_.start + open_.end) / 2
        q = self.trajectory.at(time).q
        poses = Poses.of(self.scene.model, q, np.broadcast_to(self.tube, q.shape))
        row = np.arange(len(time))
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
        self._is_seeded = True

    def exact(self, open_: OpenPairs) -> tuple[Array, Array]:
        """Return clearance with tube, and distance without it, at the middles of slices [m]."""
        items = self.at_middle(open_)
        direction = nearest_direction(self.scene.table, items)
        return self.along(items, direction), separation(self.scene.table, items, direction)

    def refused(self, found: JudgedPairs, last: bool) -> Clearance | None:
        """Return the earliest clearance that no finer cut can prove; None if there is hope."""
        some = found.open_.take(np.flatnonzero(found.failed))
        exact, nominal = self.exact(some)
        hopeless = exact <= 0.0
        if not hopeless.any() and not last:
            return None
        if hopeless.any():
            candidates, amount = np.flatnonzero(hopeless), exact
        else:
            candidates, amount = np.arange(len(exact)), found.value[found.failed]
        middle = (some.start + some.end) / 2
        earliest = middle[candidates].min()
        at_once = candidates[middle[candidates] <= earliest + 1e-9]
        k = int(at_once[np.argmin(amount[at_once])])
        start, end = (middle[k], middle[k]) if hopeless.any() else (some.start[k], some.end[k])
        worst = self.clearance(some, k, float(amount[k]))
        return replace(worst, nominal=float(nominal[k]), start=float(start), end=float(end))

    def settle(self, found: JudgedPairs, done: BoolArray) -> None:
        """Keep the smallest clearance of each group among those that are done."""
        open_, value = found.open_, found.value
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
