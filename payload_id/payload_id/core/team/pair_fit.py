"""First guess of a grasp frame in another, from the twists of two robots."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from .blocks import Blocks
from .closed_form.pairwise import Kabsch, grasp_position, kabsch_umeyama

CANDIDATES = 11  # clock offsets that are tried


@dataclass(frozen=True)
class PairFit:
    """Grasp frame of one robot in that of another, from blocks of twists.

    Attributes:
        rotation: R_ij, shape (3, 3).
        position: p_ij, shape (3,) [m].
        clock: Offset of j's clock beyond what was taken out of its blocks [s].
        correlation: Of the angular velocities, turned into one frame [-].
        kabsch: How the rotation was found.
    """

    rotation: Array
    position: Array
    clock: float
    correlation: float
    kabsch: Kabsch


def pair_fit(blocks: Blocks, i: int, j: int, clock: float, level: bool) -> PairFit | None:
    """Return the frame of robot j in that of robot i; None with fewer than three common blocks.

    Args:
        blocks: Means of pose and twist.
        i: Number of one robot.
        j: Number of the other.
        clock: Largest offset of j's clock that is looked for [s]; 0 for none.
        level: Whether the frames {i0}, {j0} are level, so that the vertical is a common vector.
    """
    both = blocks.present[i] & blocks.present[j]
    if np.count_nonzero(both) < 3:
        return None
    one, two, rate = blocks.twist[i][both], blocks.twist[j][both], blocks.rate[j][both]
    size = float(np.sqrt((one[:, :3] ** 2).sum(axis=1).mean()))
    up_i = size * blocks.rotation[i][both][:, 2] if level else np.zeros((0, 3))
    up_j = size * blocks.rotation[j][both][:, 2] if level else np.zeros((0, 3))
    found = []
    for late in np.linspace(-clock, clock, CANDIDATES) if clock else (0.0,):
        b = two[:, :3] + late * rate[:, :3]
        fit = kabsch_umeyama(np.vstack([one[:, :3], up_i]), np.vstack([b, up_j]))
        left = float(((one[:, :3] - b @ fit.rotation.T) ** 2).sum())
        found.append((left, late, fit))
    _, late, fit = min(found, key=lambda entry: entry[0])
    moved = two + late * rate
    turned = moved[:, :3] @ fit.rotation.T
    norms = float(np.linalg.norm(one[:, :3]) * np.linalg.norm(turned))
    correlation = float((one[:, :3] * turned).sum()) / norms if norms > 0 else 0.0
    position = grasp_position(one[:, :3], one[:, 3:], moved[:, 3:], fit.rotation)
    return PairFit(fit.rotation, position, float(late), correlation, fit)
