"""How much of each limit a motion may use over time: the certificate's margins, slice by slice."""

from __future__ import annotations

from dataclasses import dataclass

from ...arrays import Array
from ...motion.trajectory import Trajectory, even_edges
from ..clearance.clearances import clearance_at
from ..margins.motion_margins import motion_use
from ..torque.torque_margins import torque_use
from .certify import SafetyCase

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
    joints = motion_use(case.limits, case.tube, trajectory.ranges(edges))
    joints["torque"] = torque_use(case.model, case.limits, case.tube, case.box, trajectory, edges)
    clearance = clearance_at(case.scene, trajectory, case.tube.position, case.clearance, edges)
    return LimitUse(edges, joints, edges, clearance)
