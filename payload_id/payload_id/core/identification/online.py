"""Identification as data arrive: the same code for a live run, a recording and a simulation.

What the result depends on is the sequence of samples and the moments of the updates (counted in
windows), never on how the samples were chopped up or on any clock.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arm.arm_model import ArmModel
from ..arrays import Array
from ..body.inertial import as_phi
from ..bounds import Interval, method_named
from ..diagnosis import MotionSeen
from ..errors import InputError
from ..rows.gate import note_of
from ..rows.joint_torque.momentum import MomentumRows
from ..rows.row_block import RowBlock
from ..rows.row_source import RowSource
from ..rows.windows import TimedSamples, WindowCutter
from ..samples.joint_samples import Samples
from ..threads import one_thread
from .estimate import Estimate
from .kept_rows import KeptRows
from .known_payload import KnownPayload
from .problem import Problem, Solved
from .samples_seen import SamplesSeen
from .settings import Settings
from .status import Status
from .suspicion import PayloadChange, Suspicion
from .tare import Tare


class OnlineIdentifier:
    """One run after another: samples in, estimates out.

    Attributes:
        rows: Makes rows of samples.
        settings: How to identify.
        known_arm: What calibration and tares have taught about the arm.
        windows: Number of windows since the last reset.
        updates: Number of windows at which each update of this run was made.
    """

    def __init__(self, model: ArmModel | RowSource, settings: Settings) -> None:
        """Prepare for joint torques of an arm, or for whatever a row_source of rows takes."""
        if isinstance(model, ArmModel):
            model = MomentumRows.of(model, settings.uncertainty)
        self.rows: RowSource = model
        self.settings = settings
        self.known_arm = Tare.beforehand(self.rows)
        self.reset()

    def reset(self) -> None:
        """Begin a new run: forget the payload, keep what a tare has taught about the arm."""
        self.windows = 0
        self.updates: list[int] = []
        self._cutter = WindowCutter(self.settings.window)
        self._gate = self.rows.gate(self._cutter.pause)
        self._seen = SamplesSeen()
        self._motion: MotionSeen | None = None
        self._suspicion = Suspicion()
        self._begin_payload(PayloadChange())

    def _begin_payload(self, change: PayloadChange) -> None:
        """Forget the payload and its rows."""
        self._change = change
        self._payload = KnownPayload.beforehand(Interval(*self.rows.prior.box()))
        self._kept = KeptRows.none(self.known_arm.statistics, self._payload.typical)

    @property
    def samples(self) -> int:
        """Number of samples in this run."""
        return self._seen.count

    @property
    def seconds(self) -> float:
        """Time that the windows cover [s]."""
        return self.windows * self.settings.window

    @property
    def tared(self) -> bool:
        """Whether the rows of a run without payload are known, beyond those of a calibration."""
        return len(self.known_arm) > 0

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
        samples = self._gate.let_through(samples)
        self._seen = self._seen.with_samples(samples)
        return self._cutter.add(samples)

    def take(self, window: TimedSamples) -> None:
        """Form the rows of one window."""
        with one_thread():
            block = self.rows.window(window)
            if isinstance(window, Samples):
                self._motion = MotionSeen.of(window, self._motion)
            self._enter(self.windows, block)
            self.windows += 1
        self._make_room()

    def _enter(self, number: int, block: RowBlock) -> None:
        """Let the rows of one window count."""
        self._suspicion = self._suspicion.with_window(number, block)
        self._kept = self._kept.with_window(block)

    def _make_room(self) -> None:
        """Update on the spot if there are too many rows, to know which to drop."""
        if self._kept.too_many:
            self.accept(self._problem().solve())

    def problem(self) -> Problem:
        """Return what an update has to solve; note in `updates` that it is being made."""
        self.updates.append(self.windows)
        return self._problem()

    def _problem(self) -> Problem:
        """Return the present problem."""
        self._kept = self._kept.stacked()
        with one_thread():
            statistics = self._kept.statistics()
        return Problem(
            rows=RowBlock.stack([self.known_arm.rows, self._kept.stock]),
            statistics=statistics,
            payload=self._payload,
            arm=self.known_arm,
            suspicion=self._suspicion,
            change=self._change,
            estimate=self._no_data(),
            settings=self.settings,
            row_source=self.rows,
            motion=self._motion,
            upto=self.windows,
        )

    def accept(self, solved: Solved) -> Estimate:
        """Take up an answer: later ones start from its bounds; drop rows if there are too many."""
        bounds = solved.bounds
        if solved.change is not None:
            self._begin_payload(solved.change)
            with one_thread():
                newer = self._suspicion.blocks_from(solved.change.first)
                self._kept = self._kept.with_windows(newer)
        if bounds.consistent:
            self._suspicion = self._suspicion.allayed(solved.upto, self._change.first)
            if method_named(self.settings.intervals).guaranteed:
                self._payload = self._payload.with_bounds(bounds)
        elif solved.diagnosis is not None:
            self._suspicion = self._suspicion.diagnosed(
                solved.upto, solved.diagnosis, self.settings.window
            )
        self._drop_rows(bounds.slack)
        return solved.estimate

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
        with one_thread():
            statistics = self._kept.statistics()
        self.known_arm = self.known_arm.with_run(self._kept.stacked().stock, statistics, phi)
        self.reset()

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
        self.known_arm = arm
        self.reset()

    def _drop_rows(self, slack: Array) -> None:
        """Drop rows far from active if there are many; intervals can only be wider, never wrong."""
        arm = len(self.known_arm.rows)
        keep = self._kept.worth_keeping(slack[arm:])
        if len(keep) == len(self._kept.stock):
            return
        number = dict(enumerate(range(arm)))
        number |= {arm + int(old): arm + new for new, old in enumerate(keep)}
        self._kept = self._kept.take(keep)
        self._payload = self._payload.renumbered(number)

    def _no_data(self) -> Estimate:
        """Return the answer's frame; it is the answer while there is no window."""
        windows, false = self.windows - self._change.first, self._gate.dropped
        return Estimate(
            phi=np.full(10, np.nan),
            lower=self._payload.interval.lower,
            upper=self._payload.interval.upper,
            identifiable=np.zeros(10, dtype=bool),
            status=Status.NO_DATA,
            message=" ".join(
                filter(None, (self._seen.why_no_window(self.settings.window), note_of(false)))
            ),
            estimator=self.settings.estimator,
            intervals=self.settings.intervals,
            samples=self.samples,
            false_samples=false,
            windows=windows,
            seconds=windows * self.settings.window,
            payload_frame=self.rows.frame,
        )
