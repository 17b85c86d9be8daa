"""Clearances of sampled poses, for choosing candidates: cheap where bodies are far apart.

Pairs of bodies are looked at in three steps, each only where the one before leaves it open: balls
that cover the first body; what the direction found there proves for all tracking errors in the
tube; and the nearest directions from coal, worst pairs of each candidate first. All that is found
is a lower bound at its pose. Between the samples it says nothing, which is the certifier's part.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Array, IntArray
from ...safety.certificate.safety_case import SafetyCase
from ...safety.clearance.body_table import Items, Poses
from ...safety.clearance.separation import (
    along_planes,
    clearance_along,
    nearest_direction,
    reach,
    rough_distance,
)

TYPICAL = 32  # poses on which the tube's reach is measured
AT_ONCE = 6  # worst pairs of a candidate that coal looks at in a round
ROUNDS = 4


@dataclass(frozen=True, eq=False)
class SampledClearance:
    """Smallest clearance over sampled poses, required distance and tube taken off.

    Attributes:
        case: What motions are certified against; it needs at least one pair of bodies.
    """

    case: SafetyCase

    def __call__(self, q: Array) -> Array:
        """Return the clearances of candidates q, shape (C, N, n): (C,) [m]."""
        C, N, n = q.shape
        pairs = len(self.case.scene.group)
        pose, pair = np.repeat(np.arange(C * N), pairs), np.tile(np.arange(pairs), C * N)
        items = self._items(q.reshape(C * N, n), pose, pair)
        rough, direction = rough_distance(self.case.scene.table, items)
        value = rough - self.case.clearance - self._reach[pair]
        near = np.flatnonzero(value <= 0.0)
        if len(near):
            value[near] = self._near(items.take(near), direction[near], near // (N * pairs), C)
        return np.asarray(value.reshape(C, -1).min(axis=1))

    @cached_property
    def _reach(self) -> Array:
        """How far the tube moves the bodies of each pair at most, about, shape (P,) [m]."""
        scene = self.case.scene
        rng = np.random.default_rng(0)
        q = rng.uniform(-np.pi, np.pi, (TYPICAL, self.case.model.n))
        pairs = len(scene.group)
        pose, pair = np.repeat(np.arange(TYPICAL), pairs), np.tile(np.arange(pairs), TYPICAL)
        items = self._items(q, pose, pair)
        moved = sum(reach(scene.table, scene.pairs, items, side)[0] for side in (0, 1))
        return np.asarray(moved).reshape(TYPICAL, pairs).max(axis=0)

    def _items(self, q: Array, pose: IntArray, pair: IntArray) -> Items:
        """Return pairs at poses q, shape (K, n), in the range of the tube."""
        scene = self.case.scene
        poses = Poses.of(self.case.model, q, np.broadcast_to(self.case.tube.position, q.shape))
        return Items.of(scene.table, scene.pairs, poses, pose, pair)

    def _near(self, items: Items, direction: Array, candidate: IntArray, count: int) -> Array:
        """Return the clearances of near pairs, shape (I,), exact for those that matter."""
        value = self._along(items, along_planes(self.case.scene.table, items, direction))
        exact = np.zeros(len(value), dtype=bool)
        hopeless = np.zeros(count, dtype=bool)
        for _ in range(ROUNDS):
            open_ = np.flatnonzero((value <= 0.0) & ~exact & ~hopeless[candidate])
            if not len(open_):
                break
            order = open_[np.lexsort((value[open_], candidate[open_]))]
            first = np.searchsorted(candidate[order], candidate[order])
            some = order[np.arange(len(order)) - first < AT_ONCE]
            found = items.take(some)
            nearest = self._along(found, nearest_direction(self.case.scene.table, found))
            value[some] = np.maximum(value[some], nearest)
            exact[some] = True
            hopeless[candidate[some[value[some] <= 0.0]]] = True
        return value

    def _along(self, items: Items, direction: Array) -> Array:
        """Return the clearance that directions prove at the poses, tube included, shape (I,)."""
        table, pairs = self.case.scene.table, self.case.scene.pairs
        return clearance_along(table, pairs, items, direction, self.case.clearance)
