r"""The newest part of a run, held out: does the estimate of what came before it predict it?

With phi^ and u^ of the first part, a held-out row A phi + B u = b + w is left with
r = b - A phi^ - B u^. It contradicts the first part's intervals [l, u] of phi, centre c and half
width h, if no phi in them, no |u| <= 1 and no |w| <= d + A_error |phi| explain it:

    |b - A c|  >  |A| h + A_error max(|l|, |u|) + |B| 1 + d.

What is held out enters the estimate of all data as everything else does: that these rows and the
first part's explain each other is what the final verdict says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ..arrays import Array
from ..bounds import Interval
from ..rows.row_block import RowBlock
from .estimate import Estimate
from .status import USABLE, Status


@dataclass(frozen=True)
class Validation:
    """How what was held out agrees with the part before it.

    Attributes:
        agrees: Whether nothing contradicts it.
        sentence: That, and why.
        seconds: Time that is held out [s].
        first_rms: What the first part's estimate leaves of that part [N m or N].
        rms: What it leaves of what was held out [N m or N].
        largest_use: Of what the intervals allow for, in a row; above 1: contradicted [-].
    """

    agrees: bool
    sentence: str
    seconds: float = 0.0
    first_rms: float = float("nan")
    rms: float = float("nan")
    largest_use: float = float("nan")


NOTHING_HELD_OUT = Validation(False, "Nothing was held out, so nothing is validated.")


@dataclass(frozen=True, eq=False)
class HeldOut:
    """What is held out, and what the part before it predicts.

    Attributes:
        first: The estimate of the first part.
        nuisance: The nuisance parameters that go with it, shape (p,).
        window: Length of a window [s].
        since: Number of the first window that is held out.
        blocks: Their rows by number.
    """

    first: Estimate
    nuisance: Array
    window: float
    since: int
    blocks: Mapping[int, RowBlock] = field(default_factory=dict)

    def with_window(self, number: int, block: RowBlock) -> HeldOut:
        """Return it with the rows of a window, if it is one of those held out."""
        if number < self.since:
            return self
        return replace(self, blocks={**self.blocks, number: block.of_own_data()})

    def validation(self, newest: Estimate, changed: str) -> Validation:
        """Return how what is held out agrees.

        Args:
            newest: The estimate of all data.
            changed: That the payload has changed since, one sentence; empty: it has not.
        """
        seconds = len(self.blocks) * self.window
        if not self.blocks:
            return NOTHING_HELD_OUT
        if self.first.status not in USABLE:
            said = f"The part before what was held out is {self.first.status.value}: no prediction."
            return Validation(False, said, seconds)
        rows = RowBlock.stack([self.blocks[number] for number in sorted(self.blocks)])
        rms, use = self._rms(rows), self._largest_use(rows)
        figures = (
            f"an estimate without the newest {seconds:.1f} s leaves {rms:.3g} N m or N (rms) of "
            f"them, and {self.first.residual_rms:.3g} of the data before; the largest error there "
            f"takes {use:.0%} of what its intervals allow for"
        )
        why = self._contradiction(newest, changed, use)
        said = f"Contradicted: {why}; {figures}." if why else f"Nothing contradicts: {figures}."
        return Validation(not why, said, seconds, self.first.residual_rms, rms, use)

    def _contradiction(self, newest: Estimate, changed: str, use: float) -> str:
        """Return what contradicts the first part; empty: nothing."""
        if changed:
            return changed.rstrip(".")
        if newest.status is Status.INCONSISTENT:
            return "no payload explains both parts within the stated bounds"
        return "a row lies outside what the intervals allow for" if use > 1.0 else ""

    def _rms(self, rows: RowBlock) -> float:
        """Return what the first part's estimate leaves of rows, as a mean over a window."""
        B, b = rows.unbiased()
        left = b - rows.A @ self.first.phi - B @ self.nuisance
        return float(np.sqrt(np.mean((left / rows.duration) ** 2)))

    def _largest_use(self, rows: RowBlock) -> float:
        """Return the largest part that a row uses of what the intervals allow for."""
        interval = Interval(self.first.lower, self.first.upper)
        centre = (interval.lower + interval.upper) / 2
        allowed = rows.bound(interval.magnitude) + np.abs(rows.B).sum(axis=1)
        allowed = allowed + np.abs(rows.A) @ interval.half_width
        return float(np.max(np.abs(rows.b - rows.A @ centre) / allowed))
