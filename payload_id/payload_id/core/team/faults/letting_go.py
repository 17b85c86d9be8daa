"""Whether a robot let go: its force is gone, and it moves otherwise, from one time on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..estimate import Fault, Finding
from .evidence import Evidence
from .pairs import contradict

NOTHING = 0.02  # of the total force that counts as none
LEAST_WITHOUT = 4  # windows with some force, and with none
AT_ONCE = 0.5  # [s] by which the first window without force may begin after letting go
SOON = 3.0  # [s] after which a robot that let go has moved otherwise


def force_gone_since(e: Evidence, i: int) -> float | None:
    """Return since when a robot that exerted some force exerts hardly any; None: that is not so."""
    size = np.linalg.norm(e.forces.wrench[:, :, :3], axis=2)
    nothing = size[i] < NOTHING * size.sum(axis=0)
    gone = np.logical_and.accumulate(nothing[::-1])[::-1]
    first = len(gone) - int(np.count_nonzero(gone))
    if min(first, len(gone) - first) < LEAST_WITHOUT:
        return None
    return float(e.forces.start[first])


def part_at(e: Evidence, i: int, j: int, begin: float) -> bool:
    """Tell whether two robots move as one body until a time, and no more soon after it."""
    until, soon = (
        replace(e, blocks=e.blocks.take(np.flatnonzero(e.blocks.time < begin + seconds)))
        for seconds in (-AT_ONCE, SOON)
    )
    return not contradict(until, j, i) and contradict(soon, j, i)


def let_go(name: str, since: float) -> Finding:
    """Return that a robot let go of the payload at a time [s]."""
    return Finding(
        Fault.SLIPS, (name,),
        f"{name} let go of the payload at {since:.1f} s of team time: since then it does not move "
        "with the others as before, and exerts nothing. Hold it again and reset the estimator, or "
        "say that it left.",
        since,
    )  # fmt: skip
