"""What one update of an identification has to solve, and its answer.

A problem is frozen and holds all that it needs, so that another thread may solve it while samples
arrive; the run takes the answer up afterwards (`online.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array
from ..bounds import Bounds, Interval, Memory, method_named
from ..diagnosis import Diagnosis, Evidence, MotionSeen, PayloadSlipped, advise, diagnose
from ..errors import SolverError
from ..estimators import estimator_named
from ..rows.joint_torque.momentum import MomentumRows
from ..rows.row_block import RowBlock
from ..rows.row_source import RowSource
from ..statistics.normal_form import condition_number
from ..statistics.statistics import Statistics
from ..threads import one_thread
from .estimate import Estimate
from .settings import Settings
from .status import Status, identifiable, inconsistent, verdict

FOLD = 8  # windows whose rows enter the statistics at a time
TYPICAL = 0.1  # part of the prior that is a typical payload; sets weights, not bounds
MARGINS = (0.0, 1e-6, 1e-4, 1e-2)  # of a half-width, by which an estimate may leave its interval
CHANGE_SECONDS = 1.0  # of data that a new payload must explain before a run begins with it


@dataclass(frozen=True)
class Change:
    """A payload that is another one than before.

    Attributes:
        first: Number of the first window in which only the new one was seen.
        note: One sentence that says so.
    """

    first: int
    note: str


@dataclass(frozen=True)
class Past:
    """What a problem must know beside its rows to tell a change of the payload.

    Attributes:
        tare: Number of rows of a tare.
        tare_statistics: Of the tare's rows.
        since: Windows since the last consistent update, with their numbers.
        consistent: Whether there was a consistent update in this run.
        note: What was said of a change before.
        diagnosis: Why the rows are inconsistent, found a short while ago; None: find it.
    """

    tare: int
    tare_statistics: Statistics
    since: tuple[tuple[int, RowBlock], ...] = ()
    consistent: bool = False
    note: str = ""
    diagnosis: Diagnosis | None = None


@dataclass(frozen=True)
class Solved:
    """The answer to a problem, not yet taken up by the run that asked.

    Attributes:
        estimate: The answer.
        bounds: What it rests on.
        upto: Number of windows that it takes into account.
        change: The payload's change, if the answer is that of a new payload.
        diagnosis: Why the rows are inconsistent, if that was looked for.
    """

    estimate: Estimate
    bounds: Bounds
    upto: int = 0
    change: Change | None = None
    diagnosis: Diagnosis | None = None


@dataclass(frozen=True)
class Problem:
    """Everything that one update needs; frozen, so that it may be solved in another thread.

    Attributes:
        rows: Rows to be explained, those of a tare first.
        statistics: Of all rows so far.
        prior: Bounds on phi before any data.
        known: Bounds on phi that this run has established.
        memory: Of the last solution.
        estimate: The answer's fields that do not depend on the solution.
        settings: How to solve.
        channels: Names of what is measured; rows name them by number.
        shape: Rows c with c phi >= 0 that follow from the payload's size, shape (K, 10).
        row_source: Made the rows.
        past: What tells a change of the payload.
        motion: Where the joints were; None if the rows are not of joints.
        upto: Number of windows since the samples began.
    """

    rows: RowBlock
    statistics: Statistics
    prior: Interval
    known: Interval
    memory: Memory
    estimate: Estimate
    settings: Settings
    channels: tuple[str, ...]
    shape: Array
    row_source: RowSource
    past: Past
    motion: MotionSeen | None
    upto: int

    def solve(self) -> Solved:
        """Return the estimate and the bounds."""
        if self.estimate.windows == 0:
            empty = Bounds(self.known, True, float("nan"), {}, np.zeros(0), self.memory)
            return Solved(self.estimate, empty, self.upto)
        with one_thread():
            return self._solve()

    def _solve(self) -> Solved:
        """Return the estimate and the bounds where there is at least one window."""
        method = method_named(self.settings.intervals)
        bounds = method.bounds(self.rows, self.known, self.memory, self.shape)
        if not bounds.consistent:
            return self._inconsistent(bounds)
        status, message = verdict(bounds, self.prior, self._advice(bounds))
        return Solved(self._estimate(bounds, status, message), bounds, self.upto)

    def _estimate(self, bounds: Bounds, status: Status, message: str) -> Estimate:
        """Return the estimate that goes with bounds."""
        phi = self._point(bounds)
        found = bounds.interval
        return Estimate(
            phi=phi,
            lower=found.lower,
            upper=found.upper,
            identifiable=identifiable(found, self.prior),
            status=status,
            message=" ".join(part for part in (message, self.past.note) if part),
            estimator=self.settings.estimator,
            intervals=self.settings.intervals,
            samples=self.estimate.samples,
            windows=self.estimate.windows,
            seconds=self.estimate.seconds,
            residual_rms=self._residual(phi),
            condition_number=condition_number(self.statistics.nominal()),
            noise_factor=bounds.noise_factor,
            payload_frame=self.estimate.payload_frame,
            interval_overhead=bounds.overhead,
        )

    def _inconsistent(self, bounds: Bounds) -> Solved:
        """Return the likely cause, or the answer for a new payload if that is the cause."""
        found = self.past.diagnosis or self._diagnosis(bounds.noise_factor)
        changed = self._after_change(found)
        if changed is not None:
            return changed
        message = inconsistent(bounds, found, self.channels)
        estimate = self._estimate(bounds, Status.INCONSISTENT, message)
        blame = tuple((self.channels[b.joint], b.start, b.end, b.share) for b in found.blame)
        estimate = replace(estimate, cause=found.cause, blame=blame)
        return Solved(estimate, bounds, self.upto, diagnosis=found)

    def _diagnosis(self, factor: float) -> Diagnosis:
        """Return why the rows are inconsistent."""
        links, tare = _link_columns(self.row_source), self.past.tare
        return diagnose(Evidence.of(self.rows, self.prior, self.shape, tare, links, factor))

    def _after_change(self, found: Diagnosis) -> Solved | None:
        """Return the answer of the rows since the payload changed; None if it did not."""
        likely, past = found.likely, self.past
        if likely is None or likely.cause != PayloadSlipped.name or not past.consistent:
            return None
        new = tuple((k, block) for k, block in past.since if block.start[0] > likely.start)
        if len(new) * self.settings.window < CHANGE_SECONDS - 1e-9:
            return None
        note = (
            f"The payload changed at about {likely.start:.2f} s: this is a new run with the data "
            f"since {new[0][1].start[0]:.2f} s, and its intervals are of the new payload."
        )
        anew = self._anew(new, note)
        bounds = method_named(self.settings.intervals).bounds(
            anew.rows, anew.known, anew.memory, anew.shape
        )
        if not bounds.consistent:
            return None
        status, message = verdict(bounds, anew.prior, anew._advice(bounds))
        estimate = anew._estimate(bounds, status, message)
        return Solved(estimate, bounds, self.upto, Change(new[0][0], note))

    def _anew(self, windows: Sequence[tuple[int, RowBlock]], note: str) -> Problem:
        """Return the problem of some windows alone, and the tare."""
        blocks = [block for _, block in windows]
        seconds = len(blocks) * self.settings.window
        return replace(
            self,
            rows=RowBlock.stack([self.rows.take(np.arange(self.past.tare)), *blocks]),
            statistics=statistics_with(
                self.past.tare_statistics, blocks, TYPICAL * self.prior.magnitude
            ),
            known=self.prior,
            memory=Memory(),
            estimate=replace(self.estimate, windows=len(blocks), seconds=seconds),
            past=replace(self.past, note=note),
        )

    def _advice(self, bounds: Bounds) -> tuple[str, ...]:
        """Say which joints' motion would help with what the data do not bound."""
        found = bounds.interval
        weak = np.flatnonzero(~identifiable(found, self.prior))
        if self.motion is None or not isinstance(self.row_source, MomentumRows) or not len(weak):
            return ()
        part = np.where(np.arange(10) > 0, found.upper[0] / self.prior.upper[0], 1.0)
        advice = advise(
            self.row_source,
            self.motion,
            self.statistics,
            weak.tolist(),
            self.prior.half_width * np.clip(part, 1e-6, 1.0),
            TYPICAL * self.prior.magnitude,
            self.settings.window,
        )
        return tuple(each.sentence(self.channels) for each in advice)

    def _point(self, bounds: Bounds) -> Array:
        """Return the point estimate, inside the interval where the estimator can do that.

        Rounding can leave nothing strictly consistent in a thin interval: a little more is tried,
        then the prior. NaN where even that is far from all that the data allow.
        """
        if not bounds.consistent:
            phi = self._point_within(self.prior)
            return np.full(10, np.nan) if phi is None else phi
        for part in MARGINS:
            margin = part * bounds.interval.half_width
            phi = self._point_within(
                Interval(bounds.interval.lower - margin, bounds.interval.upper + margin)
            )
            if phi is not None:
                return phi
        estimator = estimator_named(self.settings.estimator, self.settings.shape)
        return estimator.estimate(self.statistics, self.prior.lower, self.prior.upper)

    def _point_within(self, interval: Interval) -> Array | None:
        """Return the point estimate inside an interval, None if the estimator finds none."""
        estimator = estimator_named(self.settings.estimator, self.settings.shape)
        try:
            return estimator.estimate(self.statistics, interval.lower, interval.upper)
        except SolverError:
            return None

    def _residual(self, phi: Array) -> float:
        """Return what is left of the rows as a mean torque [N m]; NaN without an estimate."""
        if not np.isfinite(phi).all():
            return float("nan")
        left = self.rows.b - self.rows.A @ phi - self.rows.B @ self.statistics.nuisance(phi)
        return float(np.sqrt(np.mean((left / (self.rows.end - self.rows.start)) ** 2)))


def statistics_with(before: Statistics, blocks: Sequence[RowBlock], typical: Array) -> Statistics:
    """Return statistics with the rows of more windows, `FOLD` windows at a time."""
    for k in range(0, len(blocks), FOLD):
        before = before.add(RowBlock.stack(blocks[k : k + FOLD]), typical)
    return before


def _link_columns(row_source: RowSource) -> Array:
    """Return the body of each nuisance parameter that is a link's, -1 for others, shape (p,)."""
    columns = np.full(row_source.p, -1)
    if isinstance(row_source, MomentumRows):
        links = np.flatnonzero(row_source.nuisance.uncertain[: 10 * row_source.model.n])
        columns[: len(links)] = links // 10
    return columns
