"""The engine: rows are refitted under every hypothesis, and the best is named where it leads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np

from .evidence import Evidence
from .hypotheses import OF_TORQUES, Table
from .hypothesis import Finding, Hypothesis
from .reprocessed import EQUALLY, Reprocessed

RESTORED = 1.001  # factor up to which a hypothesis explains the rows
# A wrong reading also makes its relative bounds wrong: one that goes most of the way counts.
NEARLY, MOST_OF_THE_WAY = 2.0, 0.3  # factor, and part of the factor without the hypothesis
CLEARLY = 0.5  # part of a simpler one's factor that a less simple one must reach instead of it
ENOUGH = 0.5  # factor that honest noise leaves, which is not at its bounds all the time
MOST_ROWS = 1200  # that are looked at
GAP = 0.35  # [s] between rows of a joint that still count as one span
MOST_SPANS = 10  # that are mentioned


class Span(NamedTuple):
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


@dataclass(frozen=True)
class Diagnosis:
    """Why rows are inconsistent.

    Attributes:
        likely: The likely cause; None if none explains the rows.
        tried: The best finding of every hypothesis that was tried.
        spans: Which joints ask for the noise factor, and when.
        equally: Findings of other hypotheses that explain the rows about as well.
        otherwise: What to look at where no cause is likely, without a full stop.
    """

    likely: Finding | None
    tried: tuple[Finding, ...] = ()
    spans: tuple[Span, ...] = ()
    equally: tuple[Finding, ...] = ()
    otherwise: str = OF_TORQUES.otherwise

    @property
    def cause(self) -> str:
        """Name of the likely cause, and of those that explain as much; empty if there is none."""
        named = (self.likely, *self.equally) if self.likely else ()
        return " or ".join(finding.cause for finding in named)

    def sentence(self, joints: Sequence[str]) -> str:
        """Return the likely cause and its remedy in words."""
        if self.likely is not None:
            left = f" (it leaves a factor of {self.likely.factor:.2g})"
            others = "".join(
                f" Or {other.cause} ({other.factor:.2g}), which these data do not tell from it: "
                f"{other.named(joints)}"
                for other in self.equally
            )
            return f"Most likely {self.likely.cause}{left}: {self.likely.named(joints)}{others}"
        tried = ", ".join(
            f"{finding.label(joints)} {finding.factor:.3g}"
            for finding in self.tried
            if np.isfinite(finding.factor)
        )
        leave = f" No single cause explains it; the factors they leave: {tried}." if tried else ""
        return (
            f"An assumption is broken.{leave} Check {self.otherwise}; or state larger "
            "uncertainties."
        )


def diagnose(
    evidence: Evidence, again: Reprocessed | None = None, table: Table = OF_TORQUES
) -> Diagnosis:
    """Return the likely cause of inconsistent rows.

    Args:
        evidence: The rows.
        again: Samples of which rows can be made again; None where none are at hand.
        table: What is asked.
    """
    evidence = thinned(evidence)
    spans, without = asking(evidence), evidence.factor
    if without <= 1.0 or not np.isfinite(without):
        return Diagnosis(None, (), spans, otherwise=table.otherwise)
    tried: list[Finding] = []
    likely: Finding | None = None
    for stage in table.stages:
        for hypothesis in stage:
            found = list(findings(hypothesis, evidence, again))
            tried += sorted(found, key=_left)[:1]
            explaining = (each for each in found if each.factor <= _needed(without))
            likely = reduce(_better, explaining, likely)
        if likely is not None and likely.factor <= ENOUGH:
            break
    tried.sort(key=_left)
    equally = _equal_to(likely, tried, without)
    return Diagnosis(likely, tuple(tried), spans, equally, table.otherwise)


def _equal_to(
    likely: Finding | None, tried: Sequence[Finding], without: float
) -> tuple[Finding, ...]:
    """Return the findings of other hypotheses that leave about as little as the likely one."""
    return tuple(
        finding
        for finding in tried
        if likely is not None
        and finding.cause != likely.cause
        and finding.factor <= min(_needed(without), EQUALLY * likely.factor)
    )


def findings(
    hypothesis: Hypothesis, evidence: Evidence, again: Reprocessed | None
) -> Iterator[Finding]:
    """Refit the rows under each case of a hypothesis."""
    name = hypothesis.name
    for case in hypothesis.relaxations(evidence):
        fit = evidence.refit(case.relaxation)
        words = case.words(fit)
        yield Finding(name, fit.factor, case.free, words, case.joint, case.spans)
    if again is not None:
        readings = list(hypothesis.readings(again.recorded))
        for reading in again.best(readings, _needed(evidence.factor)):
            value, fit = again.followed(reading)
            what, remedy = reading.words(value)
            yield Finding(name, fit.factor, reading.free, f"{what}: {remedy}.", reading.joint)


def _left(finding: Finding) -> tuple[float, int]:
    """Return what findings are sorted by: those that leave less free first where equal."""
    return finding.factor, finding.free


def _needed(without: float) -> float:
    """Return the factor up to which a hypothesis explains rows that ask for another without it."""
    return max(RESTORED, min(NEARLY, MOST_OF_THE_WAY * without))


def _better(old: Finding | None, new: Finding) -> Finding:
    """Return the one to be named."""
    if old is None:
        return new
    needed = CLEARLY if new.free > old.free else 1.0
    return new if new.factor < needed * old.factor else old


def asking(evidence: Evidence) -> tuple[Span, ...]:
    """Return the spans of this run that ask for most, those with the largest share first.

    The multipliers of the rows at the smallest factor, merged where rows of a joint follow each
    other closely.
    """
    rows, weight = evidence.rows, evidence.fit.weight
    if not weight.any():
        return ()
    weight, spans = weight / weight.sum(), list[Span]()
    for row in np.lexsort((rows.start, rows.joint)):
        if weight[row] == 0.0 or not evidence.own[row]:
            continue
        joint, share = int(rows.joint[row]), float(weight[row])
        start, end = float(rows.start[row]), float(rows.end[row])
        if spans and spans[-1].joint == joint and start - spans[-1].end <= GAP:
            last = spans.pop()
            start, end, share = last.start, max(end, last.end), share + last.share
        spans.append(Span(joint, start, end, share))
    return tuple(sorted(spans, key=lambda span: -span.share)[:MOST_SPANS])


def thinned(evidence: Evidence) -> Evidence:
    """Return the evidence with at most about `MOST_ROWS` rows: those that matter, then others.

    Whole windows are kept, each with the rows of other lengths that end in it: those whose rows ask
    for the factor, and others evenly in time.
    """
    rows = evidence.rows
    if len(rows) <= MOST_ROWS:
        return evidence
    starts = np.unique(rows.start[rows.scale == 0.0])
    window = np.maximum(np.searchsorted(starts, rows.end) - 1, 0)
    asking = np.bincount(window, evidence.fit.weight, len(starts)) > 0.0
    count = max(2, int(MOST_ROWS * len(starts) / len(rows)))
    asking[np.linspace(0, len(starts) - 1, count).astype(int)] = True
    return evidence.take(asking[window])
