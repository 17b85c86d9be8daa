"""How much of each limit a motion may use over time: the certificate's margins, slice by slice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...motion.trajectory import Trajectory, even_edges
from ..clearance.clearances import clearance_at
from ..margins.motion_margins import motion_needs
from ..margins.subdivision import Slices
from ..torque.torque_margins import TorqueBound
from .safety_case import SafetyCase

STEP = 0.025  # [s] length of slices, and time between instants


@dataclass(frozen=True)
class LimitUse:
    """What a motion may use, for every payload, arm and tracking error in the bounds.

    Attributes:
        edges: Of K slices of time, shape (K + 1,) [s].
        joints: By constraint ("position", ..., "torque"): largest part of the limit that each joint
            may use on each slice, shape (K, n) [-]; NaN where there is no limit.
        time: N instants, shape (N,) [s].
        clearance: By group of bodies: what is left of the smallest distance beyond the required
            one, tracking errors included, shape (N,) [m]. No proof between the instants.
    """

    edges: Array
    joints: dict[str, Array]
    time: Array
    clearance: dict[str, Array]


def limit_use(case: SafetyCase, trajectory: Trajectory) -> LimitUse:
    """Return what a motion may use of its limits.

    Args:
        case: What it is certified against.
        trajectory: The desired motion.
    """
    edges = even_edges(trajectory, STEP)
    needs = (
        *motion_needs(case, trajectory.ranges(edges)),
        TorqueBound(case, trajectory).judge(Slices.between(edges)).needs[-1],
    )
    none = np.full((len(edges) - 1, case.model.n), np.nan)
    joints = dict.fromkeys(("position", "velocity", "acceleration", "torque"), none)
    joints |= {x.constraint: np.where(np.isfinite(x.left), x.used, np.nan) for x in needs}
    clearance = clearance_at(case.scene, trajectory, case.tube.position, case.clearance, edges)
    return LimitUse(edges, joints, edges, clearance)
