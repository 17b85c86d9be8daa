"""What findings are made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...bounds import Bounds
from ..arrival import Arrival
from ..blocks import Blocks
from ..rows import TeamRows
from ..windows import Windows

LEAST_BLOCKS = 10  # of a robot or a pair, for anything to be said of its motion
LEAST_TURN = 0.01  # [rad/s] root mean square of angular velocity below which nothing turns


@dataclass(frozen=True)
class Evidence:
    """What findings are made from; see `solve`.

    Attributes:
        names: Of the robots.
        rows: Frames as kinematics alone put them, with bounds.
        blocks: Means of pose and twist.
        windows: Of forces, those whose frames are known.
        forces: All windows of forces.
        found: Bounds on phi.
        likely: By what bounds would have to be multiplied for some payload to explain the forces
            with frames as far off as they likely may be [-]; NaN: there is nothing to explain.
        reach: Largest distance of grasps [m].
        arrival: Who is silent, ahead, or sends too little.
    """

    names: Sequence[str]
    rows: TeamRows
    blocks: Blocks
    windows: Windows
    forces: Windows
    found: Bounds
    likely: float
    reach: float
    arrival: Arrival


def is_explained(e: Evidence) -> bool:
    """Tell whether some payload explains the forces, and one with frames as they likely are."""
    return bool(e.found.consistent and not e.likely > 1.0)


def turns(e: Evidence) -> bool:
    """Tell whether some robot's angular velocity is more than its errors make of none."""
    errors = [np.sqrt(3.0) * bound.angular_velocity for bound in e.rows.bounds]
    return bool((np.array(turning(e.blocks)) > LEAST_TURN + np.array(errors)).any())


def turning(blocks: Blocks) -> list[float]:
    """Return the root mean square of each robot's angular velocity [rad/s]."""
    return [
        float(np.sqrt((V[here, :3] ** 2).sum(axis=1).mean())) if here.any() else 0.0
        for V, here in zip(blocks.twist, blocks.present, strict=True)
    ]
