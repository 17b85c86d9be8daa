"""Clearances in continuous time: of links, payload and tool from each other and from obstacles.

Time is cut into slices. On a slice every joint stays within (q_upper - q_lower) / 2 plus the tube
of the middle of its range; `separation` proves distances for all such positions, and
slices are cut where that is not enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...motion.trajectory import Motion, MotionRanges, Trajectory
from ..margins.margin import Margin, Refusal
from ..margins.subdivision import Slices
from .clearance_search import SEEDS, ClearanceBound, OpenPairs
from .scene import GROUPS, Scene
from .separation import rough_distance


@dataclass(frozen=True)
class Standing:
    """One pose q, shape (n,) [rad or m], all of the time."""

    q: Array

    def at(self, time: Array) -> Motion:
        """Return the pose at times, shape (N,) [s]."""
        still = np.zeros((len(time), len(self.q)))
        return Motion(time, still + self.q, still, still)

    def ranges(self, edges: Array) -> MotionRanges:
        """Return the pose on the slices between edges, shape (K + 1,) [s]."""
        there = self.at(edges[1:])
        return MotionRanges(edges, there.q, there.q, *[there.dq] * 4)


def clearances(
    scene: Scene,
    trajectory: Trajectory,
    position_tube: Array,
    required: float = 0.0,
    slice_length: float = 0.1,
) -> tuple[Margin, ...] | Refusal:
    """Prove that no two bodies come closer than a distance, in continuous time.

    Args:
        scene: Arm and obstacles.
        trajectory: The desired motion.
        position_tube: |q - q_d|, shape (n,) [rad or m].
        required: Distance to keep [m].
        slice_length: Length of the first slices of time [s].

    Returns:
        The smallest clearance of each group beyond the required one, or the first not kept.
    """
    count = max(4, int(np.ceil(trajectory.duration / slice_length)))
    edges = np.linspace(0.0, trajectory.duration, count + 1)
    bound = ClearanceBound(scene, np.asarray(position_tube, dtype=float), required, trajectory)
    return bound.margins(Slices.between(edges))


def pose_clearance(
    scene: Scene, q: Array, position_tube: Array, required: float = 0.0
) -> tuple[Margin, ...] | Refusal:
    """Prove that no two bodies come closer than a distance, at one pose and its tube.

    Args:
        scene: Arm and obstacles.
        q: Joint positions, shape (n,) [rad or m].
        position_tube: Largest deviation from them, shape (n,) [rad or m].
        required: Distance to keep [m].
    """
    bound = ClearanceBound(scene, np.asarray(position_tube, dtype=float), required, Standing(q))
    bound.depth, bound.seeded = 0, True
    return bound.margins(Slices(np.zeros(1), np.ones(1)))


def clearance_at(
    scene: Scene, trajectory: Trajectory, position_tube: Array, required: float, time: Array
) -> dict[str, Array]:
    """Return the smallest clearance of each group at instants, to be shown; no proof between them.

    Args:
        scene: Arm and obstacles.
        trajectory: The desired motion.
        position_tube: |q - q_d|, shape (n,) [rad or m].
        required: Distance to keep [m].
        time: Instants, shape (N,) [s].

    Returns:
        clearance: Distance beyond the required one, tube included, shape (N,) by group [m].
    """
    bound = ClearanceBound(scene, np.asarray(position_tube, dtype=float), required, trajectory)
    P = len(scene.group)
    open_ = OpenPairs.all_pairs(Slices(time, time), P)
    items = bound.at_middle(open_)
    rough = rough_distance(scene.table, items)[0].reshape(len(time), P)
    found = {}
    for g, group in enumerate(GROUPS):
        mine = np.flatnonzero(scene.group == g)
        if not len(mine):
            continue
        near = mine[np.argsort(rough[:, mine], axis=1)[:, :SEEDS]]
        which = (np.arange(len(time))[:, None] * P + near).ravel()
        value, _ = bound.exact(open_.take(which))
        found[group] = value.reshape(near.shape).min(axis=1)
    return found
