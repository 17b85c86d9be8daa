"""Clearances in continuous time: of links, payload and tool from each other and from obstacles.

Time is cut into slices. On a slice every joint stays within (q_upper - q_lower) / 2 plus the tube
of the middle of its range; `separation` proves distances for all such positions, and
slices are cut where that is not enough.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Array
from ...motion.trajectory import Trajectory
from .body_table import Items, Poses
from .clearance_report import ClearanceReport
from .clearance_search import SEEDS, ClearanceBound, JudgedPairs, OpenPairs
from .scene import GROUPS, Scene
from .separation import rough_distance, separation

SLICE = 0.1  # [s] length of the first slices


def clearances(
    scene: Scene,
    trajectory: Trajectory,
    position_tube: Array,
    required: float = 0.0,
    slice_length: float = SLICE,
) -> ClearanceReport:
    """Prove that no two bodies come closer than a distance, in continuous time.

    Args:
        scene: Arm and obstacles.
        trajectory: The desired motion.
        position_tube: |q - q_d|, shape (n,) [rad or m].
        required: Distance to keep [m].
        slice_length: Length of the first slices of time [s].
    """
    tube = np.asarray(position_tube, dtype=float)
    return ClearanceBound(scene, tube, required, trajectory).report(slice_length)


def pose_clearance(
    scene: Scene, q: Array, position_tube: Array, required: float = 0.0
) -> ClearanceReport:
    """Prove that no two bodies come closer than a distance, at one pose and its tube.

    Args:
        scene: Arm and obstacles.
        q: Joint positions, shape (n,) [rad or m].
        position_tube: Largest deviation from them, shape (n,) [rad or m].
        required: Distance to keep [m].
    """
    pair = np.arange(len(scene.group))
    zero = np.zeros(len(pair))
    open_ = OpenPairs(zero, zero, pair, np.zeros((len(pair), 3)))
    poses = Poses.of(scene.model, q[None], position_tube[None])
    items = Items.of(scene.table, scene.pairs, poses, np.zeros(len(pair), dtype=int), pair)
    bound = ClearanceBound(scene, position_tube, required)
    value, direction = bound.distances(items, open_)
    bound.settle(JudgedPairs(open_, value, direction, value <= 0.0), value > 0.0)
    if (value > 0.0).all():
        return ClearanceReport(bound.smallest(), None)
    k = int(np.argmin(value))
    nominal = separation(scene.table, items, direction)[k]
    refused = replace(bound.clearance(open_, k, float(value[k])), nominal=float(nominal))
    return ClearanceReport(bound.smallest(), refused)


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
    instant = np.repeat(time, P)
    open_ = OpenPairs(
        instant, instant, np.tile(np.arange(P), len(time)), np.zeros((len(instant), 3))
    )
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
