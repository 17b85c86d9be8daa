"""How far the rows are from being consistent: the smallest common factor on their bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..knowledge.knowledge import NOTHING, Knowledge
from .conic_cuts import cones_of
from .cutting_planes import CuttingPlanes
from .interval import shares
from .scaled_rows import ScaledRows


@dataclass(frozen=True)
class NoiseFactor:
    """How far rows are from consistent.

    Attributes:
        factor: Smallest t with which |A phi + B u - b| <= t d has a consistent phi.
        weight: How much each row asks for it (its multiplier), shape (m,).
        blame: How much each joint's rows ask for it, shares that sum to 1.
        slack: How close each row comes to its bound t d there, 0 for active, shape (m,).
        x: That point in the coordinates of the scaled rows, shape (10 + p,); NaN if there is none.
    """

    factor: float
    weight: Array
    blame: dict[int, float]
    slack: Array
    x: Array


def smallest_noise_factor(
    scaled: ScaledRows, shape: Array, stated: Knowledge = NOTHING, physical: bool = True
) -> NoiseFactor:
    """Return the smallest common factor on all bounds that makes the rows consistent.

    Args:
        scaled: The rows, not narrowed to their least-squares image.
        shape: Rows c with c phi >= 0 that follow from the payload's size, shape (K, 10).
        stated: What else is stated; its auxiliary variables are the last nuisance parameters.
        physical: Whether phi must be that of a body; without that the factor is found sooner, and
            is never larger.
    """
    cones, share = cones_of(shape, stated), np.ones((len(scaled.r), 1))
    program = CuttingPlanes(scaled, cones if physical else stated.stacked, free=0.0, share=share)
    solution = program.minimise(np.append(np.zeros(len(scaled.lower)), 1.0))
    if solution is None:  # no phi in the known box is physically consistent
        none, nowhere = np.zeros(len(scaled.r)), np.full(len(scaled.lower), np.nan)
        return NoiseFactor(float("inf"), none, {}, none, nowhere)
    weight = program.rows.multiplier(np.abs(solution.dual))
    size = np.abs(scaled.G @ solution.x[:-1] - scaled.r) / max(solution.value, 1e-12)
    blame = shares(weight.tolist(), scaled.rows.joint.tolist())
    return NoiseFactor(float(solution.value), weight, blame, 1.0 - size, solution.x[:-1])
