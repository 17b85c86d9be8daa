"""Identification as data arrive: the same code for a live run, a recording and a simulation.

What the result depends on is the sequence of samples and the moments of the updates (counted in
windows), never on how the samples were chopped up or on any clock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .arm_model import ArmModel
from .bounds import Bounds, Interval, Memory, method_named
from .diagnosis import Diagnosis, Evidence, MotionSeen, PayloadSlipped, advise, diagnose
from .errors import InputError, RecordingError, SolverError
from .estimate import Estimate
from .estimators import estimator_named
from .inertial import Array, as_phi
from .rows.block import RowBlock
from .rows.maker import RowMaker
from .rows.momentum import LEAST_SAMPLES, MomentumRows
from .rows.windows import GAP_FRACTION, TimedSamples, WindowCutter
from .samples import Samples
from .shape import Shape
from .statistics import Statistics, condition_number
from .status import Status, identifiable, inconsistent, verdict
from .tare import Tare
from .threads import one_thread
from .uncertainty import Uncertainty

ROW_LIMIT = 8000  # rows kept at the most; beyond it those far from active are dropped
ROW_STOCK = 3000  # rows kept when dropping
FOLD = 8  # windows whose rows enter the statistics at a time
TYPICAL = 0.1  # part of the prior that is a typical payload; sets weights, not bounds
MARGINS = (0.0, 1e-6, 1e-4, 1e-2)  # of a half-width, by which an estimate may leave its interval
CHANGE_SECONDS = 1.0  # of data that a new payload must explain before a run begins with it
CHANGE_WINDOWS = 600  # windows in which a change of the payload is looked for


@dataclass(frozen=True)
class Settings:
    """How a payload is identified.

    Attributes:
        uncertainty: What is assumed about sensors, links and payload.
        estimator: Name of the point estimator.
        intervals: Name of the interval method.
        window: Length of a window [s].
        shape: What is known of the payload's shape, in the payload frame. It must be true:
            estimates and intervals rely on it.
    """

    uncertainty: Uncertainty = field(default_factory=Uncertainty)
    estimator: str = "lmi"
    intervals: str = "hull"
    window: float = 0.1
    shape: Shape | None = None

    def __post_init__(self) -> None:
        if not (np.isfinite(self.window) and self.window > 0):
            raise InputError(f"window must be a length of time above 0 s; found {self.window!r}.")
        estimator_named(self.estimator, self.shape)  # what cannot be is refused before any data
        method_named(self.intervals)


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
    """

    tare: int
    tare_statistics: Statistics
    since: tuple[tuple[int, RowBlock], ...] = ()
    consistent: bool = False
    note: str = ""


@dataclass(frozen=True)
class Solved:
    """The answer to a problem, not yet taken up by the run that asked.

    Attributes:
        estimate: The answer.
        bounds: What it rests on.
        upto: Number of windows that it takes into account.
        change: The payload's change, if the answer is that of a new payload.
    """

    estimate: Estimate
    bounds: Bounds
    upto: int = 0
    change: Change | None = None


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
        maker: Made the rows.
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
    maker: RowMaker
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
        links = _link_columns(self.maker)
        rows, tare = self.rows, self.past.tare
        evidence = Evidence.of(rows, self.prior, self.shape, tare, links, bounds.noise_factor)
        found = diagnose(evidence)
        changed = self._after_change(found)
        if changed is not None:
            return changed
        message = inconsistent(bounds, found, self.channels)
        estimate = self._estimate(bounds, Status.INCONSISTENT, message)
        blame = tuple((self.channels[b.joint], b.start, b.end, b.share) for b in found.blame)
        return Solved(replace(estimate, cause=found.cause, blame=blame), bounds, self.upto)

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
            statistics=_statistics(
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
        if self.motion is None or not isinstance(self.maker, MomentumRows) or not len(weak):
            return ()
        part = np.where(np.arange(10) > 0, found.upper[0] / self.prior.upper[0], 1.0)
        advice = advise(
            self.maker,
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


class OnlineIdentifier:
    """One run after another: samples in, estimates out.

    Attributes:
        rows: Makes rows of samples.
        settings: How to identify.
        windows: Number of windows since the last reset.
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
        self._motion: MotionSeen | None = None
        self._begin = 0  # windows before the payload that is now in the hand
        self._since: deque[tuple[int, RowBlock]] = deque(maxlen=CHANGE_WINDOWS)
        self._consistent = False
        self._note = ""

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
        return _statistics(self._statistics, self._pending, self._typical)

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
            maker=self.rows,
            past=Past(
                len(self._tare),
                self._tare_statistics,
                tuple(self._since),
                self._consistent,
                self._note,
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
        if solved.bounds.consistent and method_named(self.settings.intervals).guaranteed:
            self._known = self._known.intersect(solved.bounds.interval)
            self._memory = solved.bounds.memory
        self._prune(solved.bounds.slack)
        return solved.estimate

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


def _known_beforehand(rows: RowMaker) -> tuple[RowBlock, Statistics]:
    """Return the rows of the arm's calibration and their statistics; none without one."""
    if isinstance(rows, MomentumRows) and rows.model.calibration is not None:
        with one_thread():
            return rows.model.calibration.tare(rows)
    return RowBlock.empty(rows.p), Statistics.empty(rows.p)


def _statistics(before: Statistics, blocks: Sequence[RowBlock], typical: Array) -> Statistics:
    """Return statistics with the rows of more windows, `FOLD` windows at a time."""
    for k in range(0, len(blocks), FOLD):
        before = before.add(RowBlock.stack(blocks[k : k + FOLD]), typical)
    return before


def _link_columns(maker: RowMaker) -> Array:
    """Return the body of each nuisance parameter that is a link's, -1 for others, shape (p,)."""
    columns = np.full(maker.p, -1)
    if isinstance(maker, MomentumRows):
        links = np.flatnonzero(maker.nuisance.uncertain[: 10 * maker.model.n])
        columns[: len(links)] = links // 10
    return columns


CHUNK = 10_000  # samples added at a time: limits the memory that long recordings need


def replay(
    samples: TimedSamples,
    model: ArmModel | RowMaker,
    settings: Settings,
    updates: Iterable[int],
    tare: Tare | None = None,
) -> Iterator[Estimate]:
    """Give the estimate at each update, as a live run with the same samples did.

    Args:
        samples: The recording.
        model: The arm that it was made with, or what makes rows of such samples.
        settings: How to identify.
        updates: Numbers of windows at which to update, increasing.
        tare: What runs without payload had taught before.
    """
    online = OnlineIdentifier(model, settings)
    if tare is not None:
        online.know(tare)
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
    shape: Shape | None = None,
) -> Estimate:
    """Return what a recording says of the payload.

    Args:
        recording: Joint positions, velocities and torques.
        robot: The arm, without the payload.
        uncertainty: What is assumed about sensors, links and payload. None: everything is known
            exactly, so that real data will be INCONSISTENT.
        estimator: Name of the point estimator, such as "lmi" or "entropic".
        intervals: Name of the interval method: "hull", "hull_lp" or "least_squares_image".
        window: Length of the windows over which torques are integrated [s].
        shape: What is known of the payload's shape, in the payload frame.

    Raises:
        RecordingError: The recording does not fit the robot, or holds no torques.
        UnknownNameError: There is no such estimator or interval method.
    """
    settings = Settings(uncertainty or Uncertainty(), estimator, intervals, window, shape)
    online = OnlineIdentifier(robot, settings)
    if len(recording) and not recording.tau.any():
        raise RecordingError(
            f"Every one of the {len(recording)} torques is zero. Simulators and position-only "
            "drivers often do not publish effort; record a topic that carries it."
        )
    for start in range(0, max(len(recording), 1), CHUNK):
        online.add(recording.part(start, start + CHUNK))
    return online.update()
