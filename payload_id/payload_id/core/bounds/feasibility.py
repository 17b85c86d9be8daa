"""How far the rows are from being consistent: the smallest common factor on their bounds."""

from __future__ import annotations

import numpy as np

from ..inertial import Array
from .cutting_planes import ConsistencyCuts, ElasticRows, first_rows, minimise
from .interval import Memory, shares
from .linear_program import LinearProgram
from .scaled_rows import ScaledRows


def smallest_noise_factor(
    scaled: ScaledRows, memory: Memory, shape: Array
) -> tuple[float, dict[int, float]]:
    """Return the smallest t with which |A phi + B u - b| <= t d has a consistent phi.

    Args:
        scaled: The rows, not narrowed to their least-squares image.
        memory: Rows and cuts to begin with.
        shape: Rows c with c phi >= 0 that follow from the payload's size, shape (K, 10).

    Returns:
        factor: t.
        blame: How much each joint's rows ask for it (their multipliers), shares that sum to 1.
    """
    program = LinearProgram(
        np.concatenate([scaled.lower, [0.0]]), np.concatenate([scaled.upper, [np.inf]])
    )
    rows = ElasticRows(program, scaled, first_rows(scaled, memory.rows))
    cuts = ConsistencyCuts(program, scaled, memory.cuts, shape, columns=1)
    cost = np.zeros(len(scaled.lower) + 1)
    cost[-1] = 1.0
    solution = minimise(program, (rows, cuts), cost)
    if solution is None:  # no phi in the known box is physically consistent
        return float("inf"), {}
    known = [number for number in rows.numbers if number < len(solution.dual)]
    weights = np.abs(solution.dual[known])
    joints = scaled.rows.joint[rows.rows[: len(known)]]
    return float(solution.value), shares(weights.tolist(), joints.tolist())
