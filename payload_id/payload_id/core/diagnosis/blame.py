"""Which joints ask for a larger noise factor, and when."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .causes.evidence import Evidence

GAP = 0.35  # [s] between rows of a joint that still count as one span
LEAST = 0.01  # share of a span worth a mention
MOST = 10  # spans mentioned


class Blame(NamedTuple):
    """A span of time in which a joint's rows ask for a larger factor.

    Attributes:
        joint: Number of the joint or channel.
        start: Begin of the span [s].
        end: End of the span [s].
        share: Part of all that is asked for (of the multipliers).
    """

    joint: int
    start: float
    end: float
    share: float


def blame_of(evidence: Evidence) -> tuple[Blame, ...]:
    """Return the spans of this run that ask for most, those with the largest share first.

    The multipliers of the rows at the smallest factor, merged where rows of a joint follow each
    other closely.
    """
    if evidence.fit is None or not evidence.fit.weight.any():
        return ()
    rows = evidence.rows
    weight = evidence.fit.weight / evidence.fit.weight.sum()
    spans: list[Blame] = []
    for joint in np.unique(rows.joint):
        here = np.flatnonzero((rows.joint == joint) & (weight > 0.0) & evidence.own)
        for row in here[np.argsort(rows.start[here], kind="stable")]:
            start, end, share = float(rows.start[row]), float(rows.end[row]), float(weight[row])
            last = spans[-1] if spans else None
            if last is not None and last.joint == joint and start - last.end <= GAP:
                spans[-1] = last._replace(end=max(end, last.end), share=last.share + share)
            else:
                spans.append(Blame(int(joint), start, end, share))
    spans = sorted((span for span in spans if span.share >= LEAST), key=lambda x: -x.share)
    return tuple(spans[:MOST])
