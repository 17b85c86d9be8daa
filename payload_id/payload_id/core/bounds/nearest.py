"""The nearest parameters to given ones inside the set that the interval is the hull of."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..errors import SolverError
from ..knowledge.knowledge import NOTHING, Knowledge
from ..rows.row_block import RowBlock
from .coefficient_error import with_linear_bounds
from .conic_cuts import cones_of, widened
from .cutting_planes import CuttingPlanes
from .interval import Interval
from .scaled_rows import ScaledRows

ALIKE = 1e-5  # of the prior: steps of which an estimator's own solver may be off


def nearest(
    rows: RowBlock,
    known: Interval,
    phi: Array,
    shape: Array,
    prior: Interval,
    stated: Knowledge = NOTHING,
) -> Array:
    """Return the phi of the hull's set for which the steps, in half-widths, have the least sum.

    Some u in its box explains the rows with it, and it is consistent to the hull's own tolerance.
    What is inside is returned as it is, as is what no program brings nearer.

    Args:
        rows: The rows.
        known: The interval hull, with something in it.
        phi: Shape (10,).
        shape: As the hull takes it, shape (K, 10).
        prior: Bounds on phi before any data.
        stated: What is stated of the payload, as the hull takes it.
    """
    if not len(rows):
        return phi
    linear = with_linear_bounds(widened(rows, stated), known)
    scaled = ScaledRows.of(linear, known, linear.d)
    alike = ALIKE * prior.half_width
    size = len(scaled.lower)
    cones = cones_of(shape, stated)
    program = CuttingPlanes(scaled, cones, share=np.zeros((len(scaled.r), 10)))
    width = np.maximum(known.half_width, alike)
    target, far = (phi - scaled.centre) / width, np.full(10, np.inf)
    for sign, lower, upper in ((1.0, target, far), (-1.0, -far, target)):  # |phi' - phi| <= t width
        step = np.zeros((10, size + 10))
        step[:, :10], step[:, size:] = np.diag(scaled.scale / width), sign * np.eye(10)
        program.linear.add_rows(step, lower, upper)
    cost = np.append(np.zeros(size), np.ones(10))
    try:
        solution = program.minimise(cost)
    except SolverError:
        return phi
    if solution is None:
        return phi
    found = scaled.phi(solution.x[:size])
    return phi if (np.abs(found - phi) <= alike).all() else found
