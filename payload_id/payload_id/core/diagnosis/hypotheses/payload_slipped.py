"""The payload is another one after some time: it slipped, was swapped, put down or taken up."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...arrays import Array
from ..evidence import Evidence, Mask, Relaxation
from ..hypothesis import Hypothesis, Relaxed, said

LEAST = 5  # windows in which either payload must be seen


class PayloadSlipped(Hypothesis):
    """Two payloads, one before and one after a time; everything else is the same."""

    name = "payload slipped"

    def relaxations(self, evidence: Evidence) -> Iterator[Relaxed]:
        """See the base class: the time by bisection, and its neighbours."""
        once = evidence.of_own_data()
        starts = np.unique(once.rows.start[once.own])
        last = len(starts) - 1 - LEAST
        if last < LEAST:
            return
        reach = evidence.known.upper - evidence.known.lower  # of the change
        split = _split(evidence, starts, LEAST, last)
        for k in sorted({max(LEAST, split - 1), split, min(last, split + 1)}):
            time = float(starts[k])
            earlier, later = _sides(evidence, time)
            keep = ~evidence.own | earlier | later  # not the window in which the change may be
            sentence = (
                f"The payload seems to have moved or changed at about {time:.2f} s: check the "
                "grasp; identify the time before and the time after by themselves."
            )
            other = np.where((evidence.own & later)[:, None], evidence.rows.A, 0.0)
            relaxation = Relaxation(other, -reach, reach, keep)
            yield Relaxed(relaxation, said(sentence), 11, spans=((time, float("inf")),))


def _split(evidence: Evidence, starts: Array, low: int, high: int) -> int:
    """Return the window in which the payload changes, if it does.

    Rows up to a time ask for ever larger factors with that time, those from it on for ever
    smaller ones: the larger of the two is least where they are equal.
    """
    tare = ~evidence.own
    while high - low > 1:
        middle = (low + high) // 2
        before, after = (
            evidence.refit(Relaxation(keep=tare | side)).factor
            for side in _sides(evidence, starts[middle])
        )
        low, high = (middle, high) if before < after else (low, middle)
    return high


def _sides(evidence: Evidence, time: float) -> tuple[Mask, Mask]:
    """Return which rows' data end before the window that begins at a time [s], which after it."""
    rows = evidence.rows
    inside = evidence.own & (rows.start == time) & (rows.scale == 0.0)
    end = rows.end[inside].max()
    earlier = (rows.start < time) & ((rows.scale == 0.0) | (rows.end <= time))
    later = (rows.start > time) & ((rows.scale == 0.0) | (rows.start >= end))
    return evidence.own & earlier, evidence.own & later
