"""Identification as data arrive: the same code for a live run, a recording and a simulation.

What the result depends on is the sequence of samples and the moments of the updates (counted in
windows), never on how the samples were chopped up or on any clock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .arm_model import ArmModel
from .bounds import Bounds, Interval, Memory, method_named
from .errors import InputError, RecordingError, SolverError
from .estimate import Estimate
from .estimators import estimator_named
from .inertial import Array
from .rows.block import RowBlock
from .rows.maker import RowMaker
from .rows.momentum import LEAST_SAMPLES, MomentumRows
from .rows.windows import GAP_FRACTION, TimedSamples, WindowCutter
from .samples import Samples
from .statistics import Statistics, condition_number
from .status import Status, identifiable, verdict
from .threads import one_thread
from .uncertainty import Uncertainty

ROW_LIMIT = 8000  # rows kept at the most; beyond it those far from active are dropped
ROW_STOCK = 3000  # rows kept when dropping
FOLD = 8  # windows whose rows enter the statistics at a time
TYPICAL = 0.1  # part of the prior that is a typical payload; sets weights, not bounds


@dataclass(frozen=True)
class Settings:
    """How a payload is identified.

    Attributes:
        uncertainty: What is assumed about sensors, links and payload.
        estimator: Name of the point estimator.
        intervals: Name of the interval method.
        window: Length of a window [s].
    """

    uncertainty: Uncertainty = field(default_factory=Uncertainty)
    estimator: str = "lmi"
    intervals: str = "hull"
    window: float = 0.1

    def __post_init__(self) -> None:
        if not (np.isfinite(self.window) and self.window > 0):
            raise InputError(f"window must be a length of time above 0 s; found {self.window!r}.")
        estimator_named(self.estimator)  # unknown names are refused before any data
        method_named(self.intervals)


@dataclass(frozen=True)
class Solved:
    """The answer to a problem, not yet taken up by the run that asked."""

    estimate: Estimate
    bounds: Bounds


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

    def solve(self) -> Solved:
        """Return the estimate and the bounds."""
        if self.estimate.windows == 0:
            empty = Bounds(self.known, True, float("nan"), {}, np.zeros(0), self.memory)
            return Solved(self.estimate, empty)
        with one_thread():
            return self._solve()

    def _solve(self) -> Solved:
        """Return the estimate and the bounds where there is at least one window."""
        method = method_named(self.settings.intervals)
        bounds = method.bounds(self.rows, self.known, self.memory, self.shape)
        status, message = verdict(bounds, self.prior, self.channels)
        phi = self._point(bounds)
        found = bounds.interval
        estimate = Estimate(
            phi=phi,
            lower=found.lower,
            upper=found.upper,
            identifiable=identifiable(found, self.prior),
            status=status,
            message=message,
            estimator=self.settings.estimator,
            intervals=self.settings.intervals,
            samples=self.estimate.samples,
            windows=self.estimate.windows,
            seconds=self.estimate.seconds,
            residual_rms=self._residual(phi),
            condition_number=condition_number(self.statistics.nominal()),
            noise_factor=bounds.noise_factor,
            payload_frame=self.estimate.payload_frame,
        )
        return Solved(estimate, bounds)

    def _point(self, bounds: Bounds) -> Array:
        """Return the point estimate, inside the interval where the estimator can do that."""
        estimator = estimator_named(self.settings.estimator)
        within = bounds.interval if bounds.consistent else self.prior
        try:
            return estimator.estimate(self.statistics, within.lower, within.upper)
        except SolverError:
            # Rounding can leave nothing strictly consistent in a thin interval.
            return estimator.estimate(self.statistics, self.prior.lower, self.prior.upper)

    def _residual(self, phi: Array) -> float:
        """Return what is left of the rows as a mean torque [N m]."""
        left = self.rows.b - self.rows.A @ phi - self.rows.B @ self.statistics.nuisance(phi)
        return float(np.sqrt(np.mean((left / (self.rows.end - self.rows.start)) ** 2)))


class OnlineIdentifier:
    """One run after another: samples in, estimates out.

    Attributes:
        rows: Makes rows of samples.
        settings: How to identify.
        windows: Number of windows in this run.
        samples: Number of samples in this run.
        updates: Number of windows at which each update of this run was made.
    """

    def __init__(self, model: ArmModel | RowMaker, settings: Settings) -> None:
        """Prepare for joint torques of an arm, or for whatever a maker of rows takes."""
        if isinstance(model, ArmModel):
            model = MomentumRows.of(model, settings.uncertainty)
        self.rows: RowMaker = model
        self.settings = settings
        self._prior = Interval(*self.rows.prior.box())
        self._typical = TYPICAL * self._prior.magnitude
        self._tare, self._tare_statistics = _known_beforehand(self.rows)
        self._calibrated = len(self._tare)
        self.reset()

    def reset(self) -> None:
        """Begin a new run: forget the payload, keep what a tare has taught about the arm."""
        self.windows = self.samples = 0
        self.updates: list[int] = []
        self._cutter = WindowCutter(self.settings.window)
        self._stock = RowBlock.empty(self.rows.p)
        self._recent: list[RowBlock] = []
        self._statistics = self._tare_statistics
        self._pending: list[RowBlock] = []
        self._known = self._prior
        self._memory = Memory()
        self._longest_step = 0.0
        self._last_stamp: float | None = None

    @property
    def seconds(self) -> float:
        """Time that the windows cover [s]."""
        return self.windows * self.settings.window

    @property
    def tared(self) -> bool:
        """Whether the rows of a run without payload are known, beyond those of a calibration."""
        return len(self._tare) > self._calibrated

    def add(self, samples: TimedSamples) -> None:
        """Take in samples newer than all before; form the rows of every window they fill.

        Raises:
            RecordingError: The samples do not fit, such as another number of joints than the arm.
        """
        for window in self.cut(samples):
            self.take(window)

    def cut(self, samples: TimedSamples) -> list[Any]:
        """Return the windows that samples fill, to be given to `take` one after the other."""
        self.rows.check(samples)
        self.samples += len(samples)
        self._note_step(samples)
        return self._cutter.add(samples)

    def take(self, window: TimedSamples) -> None:
        """Form the rows of one window.

        When there are too many rows an update is made on the spot, to know which to drop.
        """
        with one_thread():
            block = self.rows.window(window)
            self.windows += 1
            self._recent.append(block)
            self._pending.append(block)
            if len(self._pending) == FOLD:
                self._statistics = self._folded()
                self._pending = []
        if len(self._stock) + len(block) * len(self._recent) > ROW_LIMIT:
            self.accept(self._problem().solve())

    def _note_step(self, samples: TimedSamples) -> None:
        """Remember the longest step, to explain why there may be no window."""
        if not len(samples):
            return
        first = samples.stamp[:1] if self._last_stamp is None else [self._last_stamp]
        steps = np.diff(samples.stamp, prepend=first)
        self._longest_step = max(self._longest_step, float(steps.max()))
        self._last_stamp = float(samples.stamp[-1])

    def _folded(self) -> Statistics:
        """Return the statistics with the pending rows."""
        if not self._pending:
            return self._statistics
        return self._statistics.add(RowBlock.stack(self._pending), self._typical)

    def problem(self) -> Problem:
        """Return what an update has to solve; note in `updates` that it is being made."""
        self.updates.append(self.windows)
        return self._problem()

    def _problem(self) -> Problem:
        """Return the present problem."""
        if self._recent:
            self._stock = RowBlock.stack([self._stock, *self._recent])
            self._recent = []
        with one_thread():
            statistics = self._folded()
        return Problem(
            rows=RowBlock.stack([self._tare, self._stock]),
            statistics=statistics,
            prior=self._prior,
            known=self._known,
            memory=self._memory,
            estimate=self._no_data(),
            settings=self.settings,
            channels=self.rows.channels,
            shape=self.rows.prior.shape(),
        )

    def accept(self, solved: Solved) -> Estimate:
        """Take up an answer: later ones start from its bounds; drop rows if there are too many."""
        if solved.bounds.consistent:
            self._known = self._known.intersect(solved.bounds.interval)
            self._memory = solved.bounds.memory
        self._prune(solved.bounds.slack)
        return solved.estimate

    def update(self) -> Estimate:
        """Solve with all data so far and take up the answer."""
        return self.accept(self.problem().solve())

    def tare(self) -> None:
        """Declare that this run had no payload: keep its rows as knowledge of the arm; reset.

        Rows of an earlier tare stay.
        """
        rows = RowBlock.stack([self._stock, *self._recent]).without_payload()
        self._tare = RowBlock.stack([self._tare, rows])
        with one_thread():
            self._tare_statistics = self._folded().of_nuisance_only()
        self.reset()

    def _prune(self, slack: Array) -> None:
        """Drop rows far from active; intervals can only be wider for it, never wrong."""
        if len(self._stock) <= ROW_LIMIT // 2:
            return
        tare = len(self._tare)
        own = slack[tare:]
        keep = np.sort(np.argsort(own, kind="stable")[:ROW_STOCK])
        new_number = {tare + int(old): tare + new for new, old in enumerate(keep)}
        new_number.update({row: row for row in range(tare)})
        self._memory = self._memory.renumbered(new_number)
        newer = np.arange(len(own), len(self._stock))
        self._stock = self._stock.take(np.concatenate([keep, newer]))

    def _no_data(self) -> Estimate:
        """Return the answer's frame; it is the answer while there is no window."""
        return Estimate(
            phi=np.full(10, np.nan),
            lower=self._known.lower,
            upper=self._known.upper,
            identifiable=np.zeros(10, dtype=bool),
            status=Status.NO_DATA,
            message=self._why_no_window(),
            estimator=self.settings.estimator,
            intervals=self.settings.intervals,
            samples=self.samples,
            windows=self.windows,
            seconds=self.seconds,
            payload_frame=self.rows.frame,
        )

    def _why_no_window(self) -> str:
        """Say why no window could be formed."""
        window = self.settings.window
        if self.samples < LEAST_SAMPLES:
            return f"Only {self.samples} samples; a window needs at least {LEAST_SAMPLES}."
        if self._longest_step > GAP_FRACTION * window:
            return (
                f"No window of {window:g} s is free of gaps: steps between samples reach "
                f"{self._longest_step:.3g} s and may be at most {GAP_FRACTION * window:.3g} s. "
                f"Record faster, or use a window of at least {5 * self._longest_step:.2g} s."
            )
        return f"The samples do not fill one window of {window:g} s; record longer."


def _known_beforehand(rows: RowMaker) -> tuple[RowBlock, Statistics]:
    """Return the rows of the arm's calibration and their statistics; none without one."""
    if isinstance(rows, MomentumRows) and rows.model.calibration is not None:
        with one_thread():
            return rows.model.calibration.tare(rows)
    return RowBlock.empty(rows.p), Statistics.empty(rows.p)


CHUNK = 10_000  # samples added at a time: limits the memory that long recordings need


def replay(
    samples: TimedSamples, model: ArmModel | RowMaker, settings: Settings, updates: Iterable[int]
) -> Iterator[Estimate]:
    """Give the estimate at each update, as a live run with the same samples did.

    Args:
        samples: The recording.
        model: The arm that it was made with, or what makes rows of such samples.
        settings: How to identify.
        updates: Numbers of windows at which to update, increasing.
    """
    online = OnlineIdentifier(model, settings)
    due = deque(updates)
    for start in range(0, len(samples), CHUNK):
        for window in online.cut(samples.part(start, start + CHUNK)):
            while due and due[0] <= online.windows:
                due.popleft()
                yield online.update()
            online.take(window)
    for _ in due:
        yield online.update()


def identify(
    recording: Samples,
    robot: ArmModel,
    uncertainty: Uncertainty | None = None,
    estimator: str = "lmi",
    intervals: str = "hull",
    window: float = 0.1,
) -> Estimate:
    """Return what a recording says of the payload.

    Args:
        recording: Joint positions, velocities and torques.
        robot: The arm, without the payload.
        uncertainty: What is assumed about sensors, links and payload. None: everything is known
            exactly, so that real data will be INCONSISTENT.
        estimator: Name of the point estimator: "lmi" or "ols".
        intervals: Name of the interval method: "hull", "hull_lp" or "least_squares_image".
        window: Length of the windows over which torques are integrated [s].

    Raises:
        RecordingError: The recording does not fit the robot, or holds no torques.
        UnknownNameError: There is no such estimator or interval method.
    """
    settings = Settings(uncertainty or Uncertainty(), estimator, intervals, window)
    online = OnlineIdentifier(robot, settings)
    if len(recording) and not recording.tau.any():
        raise RecordingError(
            f"Every one of the {len(recording)} torques is zero. Simulators and position-only "
            "drivers often do not publish effort; record a topic that carries it."
        )
    for start in range(0, max(len(recording), 1), CHUNK):
        online.add(recording.part(start, start + CHUNK))
    return online.update()
