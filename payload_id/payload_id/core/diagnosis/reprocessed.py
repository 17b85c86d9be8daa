r"""Rows made again from samples as a reading would have them.

A reading changes samples, or the arm, by numbers v: a delay, a zero, gravity. Of the value that
explains most, the rows' residual is followed to first order,

    A(v + s) phi + B u - b(v + s) = A(v) phi + B u - b(v) + C s + O(s^2),

C by differences at the present phi and u; the least factor over phi, u and a step s in a box is one
linear program, and what counts is the factor of the rows made again at the end (Gauss and Newton).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array
from ..rows.joint_torque.window_lengths import blocks_of
from ..rows.row_block import RowBlock
from ..rows.row_source import RowSource
from ..rows.windows import WindowCutter
from .evidence import Evidence, Fit, Relaxation
from .hypothesis import AS_READ, Reading, Recorded
from .window_buffer import WindowBuffer

MOST_BLOCKS = 4  # of the buffer that are looked at
FEW_WINDOWS = 9  # on which many readings are compared
CLOSELY = 2  # readings of one kind that are followed: the best on a few windows
EQUALLY = 1.3  # times the least factor: what leaves no more than that is about as good
STEP = 0.025  # of differences, in parts of what a round may go
ROUNDS = 8  # of Gauss and Newton, which end where one leaves hardly less
SMALLER = 0.98  # part of the factor that a round must leave to be taken


@dataclass(frozen=True)
class Reprocessed:
    """Samples of which rows can be made again, and how well the rows as they are do.

    Attributes:
        recorded: What was recorded.
        evidence: The whole evidence: rows of a tare, what is known.
        more: By how much the factor of all rows is larger than that of these.
        physical: Whether phi must be that of a body.
    """

    recorded: Recorded
    evidence: Evidence
    more: float = 1.0
    physical: bool = True

    @classmethod
    def of(
        cls,
        evidence: Evidence,
        source: RowSource,
        buffer: WindowBuffer,
        window: float,
        lengths: tuple[float, ...] = (),
    ) -> Reprocessed | None:
        """Return what can be made again; None if samples that are at hand are consistent.

        Args:
            evidence: Of the rows as they are.
            source: What made them.
            buffer: Windows of this run.
            window: Length of a window [s].
            lengths: Further lengths of windows [s].
        """
        if not buffer.blocks:
            return None
        order = np.argsort(-evidence.fit.weight)
        asked = evidence.rows.start[order[evidence.fit.weight[order] > 0.0]]
        made = cls(
            Recorded(source, buffer.stretches(MOST_BLOCKS, asked), window, lengths), evidence
        )
        factor = made.judged(AS_READ, AS_READ.value).factor
        if not 1.0 < factor < np.inf:
            return None
        return replace(made, more=max(1.0, evidence.factor / factor))

    def few(self, margin: float) -> Reprocessed:
        """Return the same with a few windows only, any phi, and what is lost at either end [s]."""
        _, stretches, window, _ = self.recorded
        length = max(FEW_WINDOWS * window / len(stretches), 2.0 * window) + 2.0 * margin
        parts = []
        for stretch in stretches:
            middle = 0.5 * (stretch.stamp[0] + stretch.stamp[-1])
            parts.append(stretch.between(middle - length / 2, middle + length / 2))
        return replace(self, recorded=self.recorded._replace(stretches=parts), physical=False)

    def rows(self, reading: Reading, value: Array) -> RowBlock:
        """Return rows of a tare and those made again, m of them."""
        source, own = reading.of_source(self.recorded.source, value), list[RowBlock]()
        for stretch in self.recorded.stretches:
            windows = WindowCutter(self.recorded.window).add(reading.of_samples(stretch, value))
            own += blocks_of(source, self.recorded.window, self.recorded.lengths)(windows)
        return RowBlock.stack([self.evidence.rows.take(~self.evidence.own), *own])

    def judged(self, reading: Reading, value: Array) -> Evidence:
        """Return the rows made again at their smallest factor; without any nothing is explained."""
        rows, whole = self.rows(reading, value), self.evidence
        tare = int((~whole.own).sum())
        known, none = (whole.known, whole.shape, tare, whole.links), float("nan")
        made = Evidence.of(rows, *known, none, self.physical)
        return made if len(rows) > tare else replace(made, fit=Fit.none(len(rows)))

    def columns(self, now: Evidence, reading: Reading, value: Array) -> Array:
        """Return C, the change of the residual with each number, shape (m, k).

        Zero where other windows come out of the changed samples: to first order nothing is known.
        """
        fit, tare = now.fit, int((~now.own).sum())
        C = np.zeros((len(now.rows), len(value)))
        if not np.isfinite(fit.factor):
            return C
        together = self.recorded.source.model.n if reading.by_joint else 1
        for k in range(0, len(value), together):
            here = np.arange(k, k + together)
            step = np.where(np.isin(np.arange(len(value)), here), STEP * reading.reach, 0.0)
            rows = self.rows(reading, value + step)
            if len(rows) == len(now.rows):
                change = (rows.A - now.rows.A) @ fit.phi - (rows.b - now.rows.b)
                change += (rows.B - now.rows.B) @ fit.u
                of = rows.joint[tare:, None] == here - k if reading.by_joint else True
                C[tare:, here] = np.where(of, change[tare:, None], 0.0) / step[here]
        return C

    def ahead(self, now: Evidence, reading: Reading, value: Array) -> Fit:
        """Return the fit with the best step of the numbers, to first order."""
        reach, columns = reading.reach, self.columns(now, reading, value)
        back = -reach if reading.lower is None else np.maximum(-reach, reading.lower - value)
        return now.refit(Relaxation(columns, back, reach))

    def followed(self, reading: Reading) -> tuple[Array, Fit]:
        """Return the numbers that explain most, and the fit there."""
        value = reading.value
        now = self.judged(reading, value)
        for _ in range((1 if reading.by_joint else ROUNDS) if len(value) else 0):
            ahead = self.ahead(now, reading, value)
            if not ahead.factor < SMALLER * now.factor:
                break
            there = value + ahead.values
            judged = self.judged(reading, there)
            if judged.factor >= now.factor:
                break
            small = judged.factor >= SMALLER * now.factor
            value, now = there, judged
            if small:
                break
        return value, replace(now.fit, factor=now.factor * self.more)

    def best(self, readings: Sequence[Reading], needed: float) -> list[Reading]:
        """Return the readings worth following: those that leave least on a few windows.

        Of those with numbers, with the best step to first order. Without
        any number all windows leave hardly less than a few: what leaves too much is not followed.

        Args:
            readings: Of one kind.
            needed: Factor up to which a reading explains the rows.
        """
        if len(readings) <= CLOSELY:
            return list(readings)
        few = self.few(max(reading.margin for reading in readings))

        def left(reading: Reading) -> float:
            now = few.judged(reading, reading.value)
            search = len(reading.value) > 0
            return few.ahead(now, reading, reading.value).factor if search else now.factor

        found = sorted(((left(x), k, x) for k, x in enumerate(readings)), key=lambda x: x[:2])
        return [
            x
            for factor, _, x in found[:CLOSELY]
            if factor <= EQUALLY * found[0][0] and (len(x.value) or factor * self.more <= needed)
        ]
