r"""Rows whose bound d + A_error |phi| is a linear one: |phi| lies below its chord over a box.

On a box, |phi_k| <= alpha_k + beta_k phi_k with equality at both ends. So with E = A_error

    (A + E beta) phi + B u >= b - (d + E alpha),     (A - E beta) phi + B u <= b + (d + E alpha),

Where phi_k is of one sign in the box nothing is lost; a bound for the largest |phi| of the box
would be larger by far at most of its points. What the box leaves of each row's other side stands
beside it, so that every row has two sides again.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays import Array
from ..rows.row_block import RowBlock
from .interval import Interval
from .verified import UNIT

MATTERS = 0.01  # part of the bounds from which errors of A are worth twice as many rows


def with_linear_bounds(rows: RowBlock, box: Interval) -> RowBlock:
    """Return rows without errors of A that hold wherever the rows do inside a box.

    Args:
        rows: Rows |A phi + B u - b| <= d + A_error |phi|, m of them.
        box: Finite bounds on phi.

    Returns:
        2 m rows, number i and m + i those of row i; m rows if the errors of A hardly matter.
    """
    worst = rows.A_error @ box.magnitude
    none = np.zeros_like(rows.A)
    if worst.sum() <= MATTERS * rows.d.sum():
        return replace(rows, A_error=none, d=rows.d + worst)
    alpha, beta, gamma = chord(box)
    tilt = rows.A_error * beta
    near, far = rows.d + rows.A_error @ alpha, rows.d + rows.A_error @ gamma
    shift = (far - near) / 2
    sides = [
        replace(rows, A=rows.A + sign * tilt, A_error=none, b=rows.b + sign * shift,
                d=(near + far) / 2)
        for sign in (1.0, -1.0)
    ]  # fmt: skip
    return RowBlock.stack(sides)


def chord(box: Interval) -> tuple[Array, Array, Array]:
    """Return alpha, beta and gamma, shape (10,) each, with |phi| -+ beta phi <= alpha, gamma."""
    low, high = np.abs(box.lower), np.abs(box.upper)
    width = box.upper - box.lower
    beta = np.divide(high - low, width, out=np.zeros(len(width)), where=width > 0.0)
    ends = [
        np.maximum(low + sign * beta * box.lower, high + sign * beta * box.upper)
        for sign in (-1.0, 1.0)
    ]
    slip = 100.0 * UNIT * box.magnitude
    return ends[0] + slip, beta, ends[1] + slip
