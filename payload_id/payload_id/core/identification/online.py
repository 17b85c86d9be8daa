"""Identification as data arrive: the same code for a live run, a recording and a simulation.

What the result depends on is the sequence of samples and the moments of the updates (counted in
windows), never on how the samples were chopped up or on any clock.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from ..arm.arm_model import ArmModel
from ..arrays import Array
from ..body.inertial import as_phi
from ..bounds import Interval, Memory, method_named
from ..diagnosis import Diagnosis, MotionSeen
from ..errors import InputError
from ..rows.joint_torque.momentum import MomentumRows
from ..rows.quadrature import LEAST_SAMPLES
from ..rows.row_block import RowBlock
from ..rows.row_source import RowSource
from ..rows.windows import GAP_FRACTION, TimedSamples, WindowCutter
from ..samples.joint_samples import Samples
from ..statistics.statistics import Statistics
from ..threads import one_thread
from .estimate import Estimate
from .problem import CHANGE_SECONDS, FOLD, TYPICAL, Change, Past, Problem, Solved, statistics_with
from .settings import Settings
from .status import Status
from .tare import Tare, calibration_tare

ROW_LIMIT = 8000  # rows kept at the most; beyond it those far from active are dropped
ROW_STOCK = 3000  # rows kept when dropping
CHANGE_WINDOWS = 600  # windows in which a change of the payload is looked for
CHUNK = 10_000  # samples added at a time: limits the memory that long recordings need


class OnlineIdentifier:
    """One run after another: samples in, estimates out.

    Attributes:
        rows: Makes rows of samples.
        settings: How to identify.
        windows: Number of windows since the last reset.
        samples: Number of samples in this run.
        updates: Number of windows at which each update of this run was made.
    """

    def __init__(self, model: ArmModel | RowSource, settings: Settings) -> None:
        """Prepare for joint torques of an arm, or for whatever a row_source of rows takes."""
        if isinstance(model, ArmModel):
            model = MomentumRows.of(model, settings.uncertainty)
        self.rows: RowSource = model
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
        self._motion: MotionSeen | None = None
        self._begin = 0  # windows before the payload that is now in the hand
        self._since: deque[tuple[int, RowBlock]] = deque(maxlen=CHANGE_WINDOWS)
        self._consistent = False
        self._note = ""
        self._diagnosis: Diagnosis | None = None  # kept until window `_diagnose_at`
        self._inconsistent_since = self._diagnose_at = 0

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
            if isinstance(window, Samples):
                self._motion = MotionSeen.of(window, self._motion)
            self._since.append((self.windows, block))
            self.windows += 1
            self._enter(block)
        if len(self._stock) + len(block) * len(self._recent) > ROW_LIMIT:
            self.accept(self._problem().solve())

    def _enter(self, block: RowBlock) -> None:
        """Let the rows of one window count."""
        self._recent.append(block)
        self._pending.append(block)
        if len(self._pending) == FOLD:
            self._statistics = self._folded()
            self._pending = []

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
        return statistics_with(self._statistics, self._pending, self._typical)

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
            shape=self._shape_rows(),
            row_source=self.rows,
            past=Past(
                len(self._tare),
                self._tare_statistics,
                tuple(self._since),
                self._consistent,
                self._note,
                self._diagnosis if self.windows < self._diagnose_at else None,
            ),
            motion=self._motion,
            upto=self.windows,
        )

    def _shape_rows(self) -> Array:
        """Return the rows that follow from the payload's size and shape, shape (K, 10)."""
        known = self.rows.prior.shape()
        shape = self.settings.shape
        return known if shape is None else np.vstack([known, shape.rows()])

    def accept(self, solved: Solved) -> Estimate:
        """Take up an answer: later ones start from its bounds; drop rows if there are too many."""
        if solved.change is not None:
            self._begin_anew(solved.change)
        if solved.bounds.consistent:
            while self._since and self._since[0][0] < solved.upto:
                self._since.popleft()
            self._consistent |= solved.upto > self._begin
            self._diagnosis = None
            self._diagnose_at = 0
        if solved.diagnosis is not None and solved.diagnosis is not self._diagnosis:
            self._diagnosed_at(solved.upto, solved.diagnosis)
        if solved.bounds.consistent and method_named(self.settings.intervals).guaranteed:
            self._known = self._known.intersect(solved.bounds.interval)
            self._memory = solved.bounds.memory
        self._prune(solved.bounds.slack)
        return solved.estimate

    def _diagnosed_at(self, window: int, found: Diagnosis) -> None:
        """Keep a diagnosis until there is twice as much inconsistent data as when it was made."""
        if self._diagnosis is None:
            self._inconsistent_since = window
        self._diagnosis = found
        least = max(1, round(CHANGE_SECONDS / self.settings.window))
        self._diagnose_at = window + max(least, window - self._inconsistent_since)

    def _begin_anew(self, change: Change) -> None:
        """Begin with the rows of a new payload; keep a tare and the count of windows."""
        self._begin, self._note = change.first, change.note
        self._stock = RowBlock.empty(self.rows.p)
        self._recent, self._pending = [], []
        self._statistics = self._tare_statistics
        self._known = self._prior
        with one_thread():
            for number, block in self._since:
                if number >= change.first:
                    self._enter(block)

    def update(self) -> Estimate:
        """Solve with all data so far and take up the answer."""
        return self.accept(self.problem().solve())

    def tare(self, payload: Array | None = None) -> None:
        """Declare that this run's payload is known: keep its rows as knowledge of the arm; reset.

        Rows of an earlier tare stay. A known payload also tells a common factor of all gains, which
        a bare arm cannot.

        Args:
            payload: Its parameters about the payload frame, shape (10,), exactly; None for none.
        """
        phi = np.zeros(10) if payload is None else as_phi(payload)
        rows = RowBlock.stack([self._stock, *self._recent]).with_payload(phi)
        self._tare = RowBlock.stack([self._tare, rows])
        with one_thread():
            self._tare_statistics = self._folded().of_nuisance_only(phi)
        self.reset()

    @property
    def known_arm(self) -> Tare:
        """What calibration and tares have taught about the arm."""
        return Tare(self._tare, self._tare_statistics, self._calibrated)

    def know(self, arm: Tare) -> None:
        """Take up what another identifier of the same arm and settings knew; reset.

        Raises:
            InputError: It is of an arm with other nuisance parameters.
        """
        if not arm.fits(self.rows):
            raise InputError(
                f"The tare is of {arm.rows.B.shape[1]} nuisance parameters, this run has "
                f"{self.rows.p}: another arm, or other bounds were stated. Tare again."
            )
        self._tare, self._tare_statistics = arm.rows, arm.statistics
        self._calibrated = arm.calibrated
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
            windows=self.windows - self._begin,
            seconds=(self.windows - self._begin) * self.settings.window,
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


def _known_beforehand(rows: RowSource) -> tuple[RowBlock, Statistics]:
    """Return the rows of the arm's calibration and their statistics; none without one."""
    if isinstance(rows, MomentumRows) and rows.model.calibration is not None:
        with one_thread():
            return calibration_tare(rows.model.calibration, rows)
    return RowBlock.empty(rows.p), Statistics.empty(rows.p)
