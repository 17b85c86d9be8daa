"""Which lengths of windows ask for a larger noise factor, where rows are of several."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .causes.evidence import Evidence

CONSISTENT = 1.001  # factor up to which rows count as consistent here


class LengthFactor(NamedTuple):
    """The noise factor that the rows of one length ask for.

    Attributes:
        length: Length of the windows [s].
        factor: Smallest factor with these rows and those of a tare alone.
    """

    length: float
    factor: float


def factors_by_length(evidence: Evidence) -> tuple[LengthFactor, ...]:
    """Return the factors of all lengths, the shortest first; none if there is only one."""
    rows, own = evidence.rows, evidence.own
    found = []
    for scale in np.unique(rows.scale[own]):
        here = own & (rows.scale == scale)
        length = scale or float(np.median((rows.end - rows.start)[here]))
        found.append(LengthFactor(float(length), evidence.relaxed(keep=~own | here).factor))
    return tuple(sorted(found)) if len(found) > 1 else ()


def sentence_of(factors: tuple[LengthFactor, ...]) -> str:
    """Say which lengths are inconsistent by themselves; empty if there is only one length."""
    if not factors:
        return ""
    each = ", ".join(f"{x.length:.3g} s {x.factor:.3g}" for x in factors)
    broken = [f"{x.length:.3g} s" for x in factors if not x.factor <= CONSISTENT]
    said = (
        f"the bounds for windows of {' and '.join(broken)} fail"
        if broken
        else "each length by itself is consistent, all together are not"
    )
    return f"Factors by length of windows: {each}; {said}."
