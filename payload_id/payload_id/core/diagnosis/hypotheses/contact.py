"""Something touches the arm or the payload for a short time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...arrays import Array
from ...bounds.scaled_rows import ScaledRows
from ..evidence import Evidence, Relaxation
from ..excess import least_excess, worst_of
from ..hypothesis import Hypothesis, Relaxed, said

LONGEST = 1.0  # [s]
LONGEST_PART = 0.3  # of the time of the run
PARTS = (0.9, 0.97, 0.999)  # of what the windows ask for that lie in the span, tried in turn


class Contact(Hypothesis):
    """A short span of time whose rows are left out: the one whose windows exceed their bounds."""

    name = "contact"

    def relaxations(self, evidence: Evidence) -> Iterator[Relaxed]:
        """See the base class."""
        once = evidence.of_own_data()  # others would blur the span
        starts, window = np.unique(once.rows.start, return_inverse=True)
        ends = np.zeros(len(starts))
        ends[window] = once.rows.end
        scaled = ScaledRows.of(once.rows, once.known, once.rows.d, narrow=False)
        each = least_excess(scaled, window, np.ones(len(starts)), once.shape)
        excess = worst_of(each, window, len(starts))
        excess[window[~once.own]] = 0.0
        if not excess.any():
            return
        longest = min(LONGEST, LONGEST_PART * (ends.max() - starts[window[once.own]].min()))
        for first, last in sorted({_span(excess, starts, ends, part) for part in PARTS}):
            start, end = float(starts[first]), float(ends[last])
            if end - start > longest:
                continue
            begin, stop = starts[max(first - 1, 0)], ends[min(last + 1, len(ends) - 1)]
            keep = ~evidence.own | (evidence.rows.end <= begin) | (evidence.rows.start >= stop)
            sentence = (
                f"Only {start:.2f} s to {end:.2f} s contradict the rest: something touched the arm "
                "or the payload then (or a cable pulled, or a sensor saturated). Leave that time "
                "out."
            )
            relaxation = Relaxation(keep=keep)
            yield Relaxed(relaxation, said(sentence), 2, None, start, end)


def _span(excess: Array, starts: Array, ends: Array, part: float) -> tuple[int, int]:
    """Return first and last window of the shortest span with a part of all the excess."""
    total = np.concatenate([[0.0], np.cumsum(excess)])
    best = (0, len(excess) - 1)
    for first in np.flatnonzero(excess):
        inside = np.flatnonzero(total[first + 1 :] - total[first] >= part * total[-1])
        if not len(inside):
            break
        last = int(first + inside[0])
        if ends[last] - starts[first] < ends[best[1]] - starts[best[0]]:
            best = (int(first), last)
    return best
