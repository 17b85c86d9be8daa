"""The payload is another one after some time: it slipped, was swapped, put down or taken up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array
from ...bounds.scaled_rows import ScaledRows
from .cause import Finding
from .evidence import Evidence, Mask, smallest_scaled_factor

LEAST = 5  # windows in which either payload must be seen


class PayloadSlipped:
    """Two payloads, one before and one after a time; everything else is the same."""

    name = "payload slipped"

    def findings(self, evidence: Evidence) -> Iterator[Finding]:
        """See the protocol."""
        once = evidence.of_own_data()
        starts = np.unique(once.rows.start[once.own])
        last = len(starts) - 1 - LEAST
        if last < LEAST:
            return
        split = self._split(evidence, starts, LEAST, last)
        candidates = sorted({max(LEAST, split - 1), split, min(last, split + 1)})
        best = min(
            ((two_payloads(evidence, starts, k), starts[k]) for k in candidates),
            key=lambda pair: pair[0],
        )
        factor, time = best
        sentence = (
            f"The payload seems to have moved or changed at about {time:.2f} s: check the grasp; "
            "identify the time before and the time after by themselves."
        )
        yield Finding(self.name, factor, 11, sentence, start=float(time))

    def _split(self, evidence: Evidence, starts: Array, low: int, high: int) -> int:
        """Return the window in which the payload changes, if it does.

        Rows up to a time ask for ever larger factors with that time, those from it on for ever
        smaller ones: the larger of the two is least where they are equal.
        """
        tare = ~evidence.own
        while high - low > 1:
            middle = (low + high) // 2
            earlier, later = _sides(evidence, starts[middle])
            before = evidence.relaxed(keep=tare | earlier).factor
            after = evidence.relaxed(keep=tare | later).factor
            if before < after:
                low = middle
            else:
                high = middle
        return high


def two_payloads(evidence: Evidence, starts: Array, split: int) -> float:
    """Return the factor with one payload before window `split` and another after it.

    The window itself, in which the change may have been, does not count.
    """
    earlier, later = _sides(evidence, starts[split])
    before = evidence.own & earlier
    keep = ~evidence.own | earlier | later
    rows, before = evidence.rows.take(keep), before[keep]
    after = evidence.own[keep] & ~before
    scaled = ScaledRows.of(rows, evidence.known, rows.d, narrow=False)
    payload = scaled.G[:, :10]
    both = _TwoPayloads(
        **{
            **vars(scaled),
            "G": np.hstack([payload * ~after[:, None], scaled.G[:, 10:], payload * after[:, None]]),
            "lower": np.concatenate([scaled.lower, scaled.lower[:10]]),
            "upper": np.concatenate([scaled.upper, scaled.upper[:10]]),
        },
        first=0,
    )
    second = replace(both, first=len(scaled.lower))
    return smallest_scaled_factor(both, (both, second), evidence.shape).factor


def _sides(evidence: Evidence, time: float) -> tuple[Mask, Mask]:
    """Return which rows' data end before the window that begins at a time [s], which after it."""
    rows = evidence.rows
    inside = evidence.own & (rows.start == time) & (rows.scale == 0.0)
    end = rows.end[inside].max()
    earlier = (rows.start < time) & ((rows.scale == 0.0) | (rows.end <= time))
    later = (rows.start > time) & ((rows.scale == 0.0) | (rows.start >= end))
    return earlier, later


@dataclass(frozen=True)
class _TwoPayloads(ScaledRows):
    """Rows in (y1, u, y2).

    Attributes:
        first: Column at which the payload begins that is meant by phi.
    """

    first: int = 0

    def phi(self, x: Array) -> Array:
        """Return the parameters at x, shape (10,)."""
        return self.centre + self.scale * x[self.first : self.first + 10]

    def of_phi(self, coefficients: Array) -> tuple[Array, Array]:
        """Return rows in x and what to subtract from their bounds, for rows in phi (K, 10)."""
        wide = np.zeros((len(coefficients), len(self.lower)))
        wide[:, self.first : self.first + 10] = coefficients * self.scale
        return wide, coefficients @ self.centre
