r"""Rows made anew from samples as a hypothesis would have them.

A hypothesis changes samples, or the arm, by numbers v: a delay, a zero, gravity. Of the value that
explains most, the rows' residual is followed to first order,

    A(v + s) phi + B u - b(v + s) = A(v) phi + B u - b(v) + C s + O(s^2),

C by differences at the present phi and u; the least factor over phi, u and a step s in a box is one
linear program, and what counts is the factor of the rows made anew at the end (Gauss and Newton).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from ...arrays import Array
from ...rows.joint_torque.momentum import MomentumRows
from ...rows.joint_torque.motion_memory import MotionMemory
from ...rows.row_block import RowBlock
from ...rows.windows import WindowCutter
from ...samples.joint_samples import Samples
from .cause import Finding
from .evidence import Evidence, Fit

MOST_BLOCKS = 4  # of the recollection that are looked at
SCREEN_WINDOWS = 9  # on which many hypotheses are compared before one is looked at closely
ROUNDS = 3  # of Gauss and Newton
SMALLER = 0.98  # part of the factor that a round must leave to be taken


class Hypothesis(Protocol):
    """What samples and arm would have been, but for an error of known kind and unknown size."""

    def samples(self, samples: Samples, value: Array) -> Samples:
        """Return what would have been measured, of one stretch."""
        ...

    def source(self, source: MomentumRows, value: Array) -> MomentumRows:
        """Return what makes rows of the arm that it is."""
        ...


class Unchanged:
    """Nothing is wrong; the parts that a hypothesis leaves alone come from here."""

    def samples(self, samples: Samples, value: Array) -> Samples:
        """Return the samples as they are."""
        return samples

    def source(self, source: MomentumRows, value: Array) -> MomentumRows:
        """Return the source as it is."""
        return source


NOTHING = np.zeros(0)


@dataclass(frozen=True)
class RemadeRows:
    """Samples of which rows can be made anew, and how well the rows as they are do.

    Attributes:
        source: What made the rows.
        stretches: Samples of the run.
        window: Length of a window [s].
        evidence: The whole evidence: rows of a tare, what is known.
        more: By how much the factor of all rows is larger than that of these.
    """

    source: MomentumRows
    stretches: tuple[Samples, ...]
    window: float
    evidence: Evidence
    more: float = 1.0

    @classmethod
    def of(cls, evidence: Evidence) -> RemadeRows | None:
        """Return what can be made anew; None if no samples, or consistent ones, are at hand."""
        source, kept = evidence.source, evidence.recollection
        if source is None or kept is None or not kept.blocks or evidence.fit is None:
            return None
        order = np.argsort(-evidence.fit.weight)
        asked = evidence.rows.start[order[evidence.fit.weight[order] > 0.0]]
        stretches = kept.stretches(MOST_BLOCKS, asked)
        remembering = replace(source, memory=MotionMemory())
        made = cls(remembering, stretches, evidence.window, evidence)
        factor = made.judged(Unchanged(), NOTHING).factor
        if not 1.0 < factor < np.inf:
            return None
        return replace(made, more=max(1.0, evidence.factor / factor))

    def few(self) -> RemadeRows:
        """Return the same with a few windows only."""
        length = SCREEN_WINDOWS * self.window / len(self.stretches)
        parts = []
        for stretch in self.stretches:
            middle = 0.5 * (stretch.stamp[0] + stretch.stamp[-1])
            half = 0.5 * max(length, 2.0 * self.window)
            parts.append(stretch.between(middle - half, middle + half))
        return replace(self, stretches=tuple(parts))

    def rows(self, hypothesis: Hypothesis, value: Array) -> RowBlock:
        """Return rows of a tare and those made anew, m of them."""
        source = hypothesis.source(self.source, value)
        own = [
            source.window(window)
            for stretch in self.stretches
            for window in WindowCutter(self.window).add(hypothesis.samples(stretch, value))
        ]
        tare = self.evidence.rows.take(~self.evidence.own)
        return RowBlock.stack([tare, *own])

    def evidence_of(self, rows: RowBlock) -> Evidence:
        """Return evidence with other rows; without any of this run nothing is explained."""
        tare = int((~self.evidence.own).sum())
        whole = self.evidence
        made = Evidence.of(rows, whole.known, whole.shape, tare, whole.links, float("nan"))
        if len(rows) > tare:
            return made
        return replace(made, factor=float("inf"), fit=Fit.none(len(rows)))

    def judged(self, hypothesis: Hypothesis, value: Array) -> Evidence:
        """Return the rows made anew at their smallest factor."""
        return self.evidence_of(self.rows(hypothesis, value))

    def columns(self, now: Evidence, hypothesis: Hypothesis, value: Array, steps: Array) -> Array:
        """Return C, the change of the residual with each number, shape (m, k).

        Zero where other windows come out of the changed samples: to first order nothing is known.
        """
        fit = now.fit
        if fit is None or not np.isfinite(fit.factor):
            return np.zeros((len(now.rows), len(value)))
        tare = int((~now.own).sum())
        changes = []
        for step in np.diag(steps):
            rows = self.rows(hypothesis, value + step)
            if len(rows) != len(now.rows):
                changes.append(np.zeros(len(now.rows)))
                continue
            change = (rows.A - now.rows.A) @ fit.phi - (rows.b - now.rows.b)
            change += (rows.B - now.rows.B) @ fit.u
            change[:tare] = 0.0
            changes.append(change / step.sum())
        return np.stack(changes, axis=1)

    def followed(
        self, hypothesis: Hypothesis, value: Array, steps: Array, reach: Array
    ) -> tuple[Array, Fit]:
        """Return the value that explains most, from another one, and the fit there.

        Args:
            hypothesis: Of k numbers.
            value: To begin with, shape (k,).
            steps: For differences, shape (k,).
            reach: How far a round may go, shape (k,).
        """
        now = self.judged(hypothesis, value)
        for _ in range(ROUNDS):
            if not np.isfinite(now.factor):
                break
            columns = self.columns(now, hypothesis, value, steps) * reach
            ahead = now.relaxed(extra=columns)
            if not np.isfinite(ahead.factor):
                break
            there = value + reach * ahead.extra
            judged = self.judged(hypothesis, there)
            if not judged.factor < SMALLER * now.factor:
                if judged.factor < now.factor:
                    value, now = there, judged
                break
            value, now = there, judged
        return value, now.fit or Fit.none(len(now.rows))

    def finding(self, found: Finding) -> Finding:
        """Return a finding with its factor as it would be of all rows."""
        return replace(found, factor=found.factor * self.more)


class RemadeCause(Protocol):
    """One kind of error for which rows are made anew.

    Attributes:
        name: How it is reported.
    """

    name: str

    def findings(self, remade: RemadeRows) -> Iterator[Finding]:
        """Give hypotheses of this kind with the factor that each leaves."""
        ...
