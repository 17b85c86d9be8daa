"""What an interval's width is made of: the multipliers of its proof know.

The proven end of an interval is a sum, one term for each row's bound, for each nuisance parameter's
box and for what is known of phi (`verified`). A term is what this end would move by if that bound
were zero and the proof stayed the same: to first order, a bound that is smaller by a tenth narrows
the interval by a tenth of its term.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Array
from ..rows.row_block import RowBlock
from .interval import Interval, WidthBudget
from .verified import Cuts


def terms_of_end(
    objective: Array,
    rows: RowBlock,
    d: Array,
    multiplier: Array,
    cuts: Cuts,
    cut_multiplier: Array,
    known: Interval,
) -> WidthBudget:
    """Return the terms of one proven end; arguments as in `safe_minimum`."""
    size = np.abs(multiplier) * d
    noise = np.bincount(rows.joint, size, minlength=int(rows.joint.max(initial=-1)) + 1)
    mu = np.maximum(cut_multiplier, 0.0)
    free = np.abs(multiplier @ rows.B + mu @ cuts.e)
    left = np.abs(objective - multiplier @ rows.A - mu @ cuts.c)
    return WidthBudget(noise[None], free[None], np.array([left @ known.half_width]))


def width_budget(ends: Sequence[WidthBudget]) -> WidthBudget:
    """Return the terms of half-widths from those of lower and upper ends, which come in turn."""

    def half(name: str) -> Array:
        terms = np.array([getattr(end, name)[0] for end in ends])
        return np.asarray((terms[0::2] + terms[1::2]) / 2)

    return WidthBudget(half("noise"), half("nuisance"), half("known"))
