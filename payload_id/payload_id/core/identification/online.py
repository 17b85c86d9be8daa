"""Identification as data arrive: the same code for a live run, a recording and a simulation.

What the result depends on is the sequence of samples and the moments of the updates (counted in
windows), never on how the samples were chopped up or on any clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..arm.arm_model import ArmModel
from ..arrays import Array
from ..body.inertial import as_phi
from ..bounds import Interval
from ..bounds.before_data import BeforeData
from ..bounds.hull import BORDERLINE
from ..diagnosis import (
    FIRST_SAMPLES,
    IdentifiedMass,
    MotionSeen,
    WindowBuffer,
    sensitivities,
    why_false,
)
from ..errors import InputError, brief, require_type
from ..rows.gate import note_of
from ..rows.joint_torque.momentum import MomentumRows
from ..rows.joint_torque.torques_seen import TorquesSeen
from ..rows.joint_torque.window_lengths import blocks_of
from ..rows.row_block import RowBlock
from ..rows.row_source import RowSource
from ..rows.windows import TimedSamples, WindowCutter
from ..samples.joint_samples import Samples
from ..threads import one_thread
from .change_detector import ChangeDetector, PayloadChange
from .estimate import Estimate
from .hand_watch import DECIDED, HandEvent, HandWatch
from .held_out import NOTHING_HELD_OUT, HeldOut, Validation
from .kept_rows import KeptRows
from .known_payload import KnownPayload
from .problem import Callback, Problem, Solved, known_shape, no_op
from .samples_seen import SamplesSeen, TimeUsed
from .settings import Settings
from .status import Status
from .tare import Tare

MOST_DOUBTFUL = 400  # rows on unknown torques that are kept
CHUNK = 10_000  # samples taken in at a time: limits the memory that long recordings need


class OnlineIdentifier:
    """One run after another: samples in, estimates out.

    Attributes:
        rows: Makes rows of samples.
        settings: How to identify.
        known_arm: What calibration and tares have taught about the arm.
        windows: Number of windows since the last reset.
        updates: Number of windows at which each update of this run was made.
        hand: Tells what is in the hand; None where that was not asked for.
        events: What has happened to the hand in this run.
    """

    def __init__(self, model: ArmModel | RowSource, settings: Settings) -> None:
        """Prepare for joint torques of an arm, or for whatever a row_source of rows takes.

        Raises:
            InputError: The settings do not go with the arm, or `scales` not with what is measured.
            ModelError: The description's masses or inertias cannot serve.
        """
        require_type(settings, Settings, "settings", "Settings(...)")
        if isinstance(model, ArmModel):
            model.check_inertias(settings.uncertainty.link_relative)
            model = MomentumRows.of(model, settings.uncertainty)
        if not hasattr(model, "fitted"):
            raise InputError(
                f"The robot must be a model, such as RobotModel.from_urdf(...); found "
                f"{brief(model)}."
            )
        if settings.scales and not isinstance(model, MomentumRows):
            raise InputError(
                "scales are further lengths of windows for joint torques; leave them out for a "
                "force-torque sensor."
            )
        self.rows: RowSource = model
        self.settings = settings
        self.known_arm = Tare.beforehand(self.rows)
        prior = Interval(*self.rows.prior.box())
        with one_thread():
            self._before = BeforeData.of(settings.knowledge, prior, known_shape(model, settings))
        self.reset()

    def reset(self) -> None:
        """Begin a new run: forget the payload, keep what a tare has taught about the arm."""
        self.windows = 0
        self.updates: list[int] = []
        self._cutter = WindowCutter(self.settings.window)
        self._gate = self.rows.gate(self._cutter.pause)
        self._blocks_of = blocks_of(self.rows, self.settings.window, self.settings.scales)
        self._torques: TorquesSeen | None = None
        if isinstance(self.rows, MomentumRows):
            self._torques = TorquesSeen.none(self.rows.model.n)
        self._seen, self._used = SamplesSeen(), TimeUsed()
        self._motion: MotionSeen | None = None
        self._buffer = WindowBuffer()
        self._first: Samples | None = None
        self._detector = ChangeDetector()
        self._held: HeldOut | None = None
        self._doubtful = RowBlock.empty(self.rows.p)
        self._arm = self.known_arm
        self.events: list[HandEvent] = []
        self.hand: HandWatch | None = None
        if self.settings.hands_free:
            with one_thread():
                self.hand = HandWatch.empty_handed(self.rows, self.known_arm.rows)
        self._begin_payload(PayloadChange())

    def _begin_payload(self, change: PayloadChange) -> None:
        """Forget the payload and its rows."""
        self._change = change
        self._entered, self._last = 0, change.first - 1
        self._doubtful = self._doubtful.since(change.start)
        prior = Interval(*self.rows.prior.box())
        self._payload = KnownPayload.before_data(prior, self._before.interval)
        self._kept = KeptRows.none(self.rows.growth, self._payload.typical)

    @property
    def samples(self) -> int:
        """Number of samples in this run."""
        return self._seen.count

    @property
    def seconds(self) -> float:
        """Time that the windows cover [s]."""
        return self.windows * self.settings.window

    @property
    def changed_at(self) -> float | None:
        """Time at which the windows of the present payload begin [s]; None if it is the first."""
        return self._change.start if self._change.note else None

    @property
    def standing(self) -> tuple[int, bool]:
        """How many events of the hand there were, and whether it is in doubt what it holds."""
        return len(self.events), self.hand is not None and bool(self.hand.doubt)

    @property
    def tared(self) -> bool:
        """Whether the rows of a run without payload are known, beyond those of a calibration."""
        return len(self.known_arm) > 0

    def established(self) -> tuple[RowBlock, Interval]:
        """Return the rows and the bounds on phi that hold now: what later rows are judged by.

        They mean something once an update has found them consistent.
        """
        self._kept = self._kept.stacked()
        return RowBlock.stack([self._arm.rows, self._kept.stock]), self._payload.interval

    def narrow(self, interval: Interval) -> None:
        """Take up bounds on phi that hold whatever the rows of this run say."""
        known = self._payload
        self._payload = replace(known, interval=known.interval.intersect(interval))

    def remake(self, windows: Sequence[Any], rows: RowSource | None = None) -> None:
        """Let rows of these windows stand for all so far; it counts as many windows as before.

        Args:
            windows: In their order.
            rows: Makes rows from now on, in place of another source for the same payload.
        """
        if rows is not None:
            self.rows, self.known_arm = rows, Tare.beforehand(rows)
            self._arm = self.known_arm
            self._doubtful = RowBlock.empty(rows.p)
        self._begin_payload(self._change)
        self._detector = replace(self._detector, since=(), consistent=False)
        self._buffer = WindowBuffer()
        first = self.windows - len(windows)
        with one_thread():
            for number, window in enumerate(windows, first):
                self._buffer = self._buffer.with_window(window)
                self._enter(number, self.rows.window(window))
        self._make_room()

    def add(self, samples: TimedSamples) -> None:
        """Take in samples newer than all before; form the rows of every window they fill.

        Raises:
            RecordingError: The samples do not fit, such as another number of joints than the arm.
        """
        samples = self.rows.fitted(samples)
        with one_thread():
            for start in range(0, len(samples), CHUNK):
                self._take([*self.cut(samples.part(start, start + CHUNK))])

    def cut(self, samples: TimedSamples) -> Iterable[Any]:
        """Return the windows that samples fill, to be given to `take` one after the other."""
        samples = self.rows.fitted(samples)
        if isinstance(samples, Samples):
            self._remember(samples)
        samples = self._gate.let_through(samples)
        self._see(samples)
        return self._cutter.add(samples)

    def _see(self, samples: TimedSamples) -> None:
        """Note number and pace of samples that were let through."""
        before, length = self._seen.newest, self.settings.window
        self._used = self._used.with_samples(before, samples.stamp, length)
        self._seen = self._seen.with_samples(samples)

    def _remember(self, samples: Samples) -> None:
        """Keep the first samples of the run as they came."""
        before = self._first
        room = FIRST_SAMPLES - (0 if before is None else len(before))
        if room > 0:
            newer = samples.part(0, room)
            self._first = newer if before is None else before.joined(newer)

    def take(self, window: TimedSamples) -> None:
        """Form the rows of one window."""
        with one_thread():
            self._take([window])

    def _take(self, windows: Sequence[Any]) -> None:
        """Form the rows of windows, and let them count one after the other."""
        blocks = self._blocks_of(windows)
        torques: Sequence[TorquesSeen | None] = [None for _ in windows]
        if self._torques is not None:
            torques = self._torques.after_each(windows)
        for of_window in zip(windows, blocks, torques, strict=True):
            self._count(*of_window)

    def _count(self, window: Any, block: RowBlock, torques: TorquesSeen | None) -> None:
        """Let one window count.

        Args:
            window: Its samples.
            block: Its rows.
            torques: What is seen of joint torques up to this window.
        """
        if isinstance(window, Samples):
            self._motion = MotionSeen.of(window, self._motion)
        self._buffer = self._buffer.with_window(window)
        if torques is not None:
            self._torques = torques
            unknown = torques.of_rows(block.joint, block.start, block.end)
            if unknown.any():
                doubtful = RowBlock.stack([self._doubtful, block.take(unknown)])
                every = 1 + len(doubtful) // MOST_DOUBTFUL
                self._doubtful = doubtful.take(slice(None, None, every))
                block = block.take(~unknown)
        self._enter(self.windows, block)
        self._used = self._used.with_window(window.stamp)
        self.windows += 1
        self._make_room()

    def _enter(self, number: int, block: RowBlock) -> None:
        """Let the rows of one window count, once it is decided which payload they are of."""
        if self.hand is None:
            self._admit(number, block)
            return
        with one_thread():
            self.hand = hand = self.hand.with_window(number, block)
        self.events += [event for event in hand.events if not event.again]
        for counted in hand.counted:
            self._admit(*counted)
        if hand.seen not in DECIDED or not hand.events:
            return
        if self._change.first == 0 and not self._change.note:
            self._learn_bare()
        self._begin_payload(hand.change)
        self._detector = ChangeDetector()

    def _learn_bare(self) -> None:
        """Keep the rows of the empty hand at a run's begin as knowledge of the arm."""
        with one_thread():
            stock = self._kept.stacked().stock
            arm = self.known_arm.with_run(stock, self._kept.statistics(), np.zeros(10))
            if len(stock) and arm.noise_factor() <= BORDERLINE:
                self._arm = arm

    def _admit(self, number: int, block: RowBlock) -> None:
        """Let the rows of one window count."""
        if number > self._last + 1:  # rows of longer windows must not reach over what was left out
            self._change = replace(self._change, start=float(block.of_own_data().start[0]))
        self._entered, self._last = self._entered + 1, number
        block = block.since(self._change.start)  # windows that are joined may begin earlier
        self._detector = self._detector.with_window(number, block)
        self._kept = self._kept.with_window(block)
        if self._held is not None:
            self._held = self._held.with_window(number, block)

    def _make_room(self) -> None:
        """Update on the spot if there are too many rows, to know which to drop."""
        if self._kept.too_many:
            self.accept(self.present().silent().solve())

    def problem(self) -> Problem:
        """Return what an update has to solve; note in `updates` that it is being made."""
        self.updates.append(self.windows)
        return self.present()

    def present(self) -> Problem:
        """Return the present problem; no update is noted."""
        self._kept = self._kept.stacked()
        with one_thread():
            own = self._kept.statistics()
        return Problem(
            rows=RowBlock.stack([self._arm.rows, self._kept.stock]),
            own=own,
            payload=self._payload,
            arm=self._arm,
            detector=self._detector,
            change=self._change,
            estimate=self._no_data(),
            settings=self.settings,
            row_source=self.rows,
            motion=self._motion,
            torques=self._torques,
            doubtful=self._doubtful,
            upto=self.windows,
            remarks=self._remarks(),
            stated=self._before.stated,
            buffer=self._buffer.since(self._change.first),
            newest=self._kept.newest,
            doubt="" if self.hand is None else self.hand.doubt,
        )

    def _remarks(self) -> tuple[str, ...]:
        """Return what is to be said of the run whatever the data prove; empty sentences too."""
        return (self._used.remark(self.settings.window),)

    def accept(self, solved: Solved) -> Estimate:
        """Take up an answer: later ones start from its bounds; drop rows if there are too many.

        Raises:
            InputError: It is no answer.
        """
        require_type(solved, Solved, "the answer", "problem().solve()")
        bounds = solved.bounds
        if solved.change is not None:
            self._begin_payload(solved.change)
            with one_thread():
                newer = self._detector.blocks_from(solved.change.first)
                self._kept = self._kept.with_windows(newer)
            self._entered, self._last = self.windows - solved.change.first, self.windows - 1
        if not bounds.consistent and self.hand is not None:
            self._begin_payload(replace(self._change, first=self.windows))
        elif bounds.consistent:
            self._detector = self._detector.settled(solved.upto, self._change.first)
            if self.settings.method.guaranteed:
                before = self._payload.forgotten() if solved.anew else self._payload
                self._payload = before.with_bounds(bounds)
        elif solved.diagnosis is not None:
            self._detector = self._detector.diagnosed(
                solved.upto, solved.diagnosis, self.settings.window
            )
        self._drop_rows(bounds.slack)
        return solved.estimate

    def update(self, callback: Callback = no_op) -> Estimate:
        """Solve with all data so far and take up the answer; for `callback` see `Problem.solve`."""
        return self.accept(self.problem().solve(callback))

    def settle(self) -> None:
        """Do what `update` does where nobody reads the estimate: no point, no words."""
        self.accept(self.problem().silent().solve())

    def hold_out(self, estimate: Estimate) -> None:
        """Hold out the windows from now on, to be compared with what went before; they count too.

        Args:
            estimate: Of all windows so far.
        """
        with one_thread():
            known = np.isfinite(estimate.phi).all()
            nuisance = self.present().statistics.nuisance(estimate.phi) if known else np.zeros(0)
        self._held = HeldOut(estimate, nuisance, self.settings.window, self.windows)

    def validation(self, estimate: Estimate) -> Validation:
        """Return how what is held out agrees with what went before.

        Args:
            estimate: The newest.
        """
        held = self._held
        if held is None:
            return NOTHING_HELD_OUT
        changed = self._change.note if self._change.first >= held.since > 0 else ""
        return held.validation(estimate, changed)

    def with_confidence(self, estimate: Estimate) -> Estimate:
        """Return the newest estimate with confidence intervals, and the verdict on all it says.

        It takes as long as an update, so that those on the way go without it.
        """
        return self.present().with_confidence(estimate)

    def concluded(self, estimate: Estimate) -> Estimate:
        """Return the newest estimate with all that is said of a run at its end.

        That is `with_confidence`, and what the mass rests on that the data do not prove. It takes
        some seconds, so that updates go without it.
        """
        estimate = self.with_confidence(estimate)
        found = self.identified_mass(estimate)
        if found is None:
            return estimate
        with one_thread():
            return estimate.resting_on(sensitivities(found))

    def identified_mass(self, estimate: Estimate) -> IdentifiedMass | None:
        """Return what the newest mass was found from; None if joints prove none."""
        source, mass = self.rows, (float(estimate.lower[0]), float(estimate.upper[0]))
        windows = self._buffer.since(self._change.first).windows
        known = estimate.status in (Status.GOOD, Status.TOO_WIDE) and estimate.mass_identified
        if not (known and windows and isinstance(source, MomentumRows)):
            return None
        with one_thread():
            prior, shape, tare = self._payload.prior, self.present().shape, self._arm.rows
            factor, phi = estimate.bound_factor, estimate.phi
            return IdentifiedMass.of(source, windows, tare, prior, shape, phi, mass, factor)

    def tare(self, payload: Array | None = None) -> None:
        """Declare that this run's payload is known: keep its rows as knowledge of the arm; reset.

        Rows of an earlier tare stay. A known payload also tells a common factor of all gains, which
        a bare arm cannot.

        Args:
            payload: Its parameters about the payload frame, shape (10,), exactly; None for none.

        Raises:
            InputError: The data prove that it was another payload, or that a bound is false.
        """
        if false := self.present().contradiction:
            raise InputError(f"No tare was made. {false}")
        phi = np.zeros(10) if payload is None else as_phi(payload)
        with one_thread():
            statistics = self._kept.statistics()
            known = self.known_arm.with_run(self._kept.stacked().stock, statistics, phi)
            factor = known.noise_factor()
        if factor > BORDERLINE:
            what = "nothing was" if payload is None else "this payload was"
            raise InputError(
                f"No tare was made: if {what} in the hand, all bounds would have to be "
                f"{factor:.3g} times as large, at least. Take out what is in it, describe the tool "
                "in the robot file, or state larger bounds, and move again."
            )
        self.known_arm = known
        self.reset()

    def know(self, arm: Tare) -> None:
        """Take up what another identifier of the same arm and settings knew; reset.

        Raises:
            InputError: It is of an arm with other nuisance parameters.
        """
        require_type(arm, Tare, "tare", "a Tare, such as known_arm after a tare")
        if not arm.fits(self.rows):
            raise InputError(
                f"The tare is of {arm.rows.B.shape[1]} nuisance parameters, this run has "
                f"{self.rows.p}: another arm, or other bounds were stated. Tare again."
            )
        self.known_arm = arm
        self.reset()

    def _drop_rows(self, slack: Array) -> None:
        """Drop rows far from active if there are many; intervals can only be wider, never wrong."""
        arm = len(self._arm.rows)
        keep = self._kept.worth_keeping(slack[arm:])
        if len(keep) == len(self._kept.stock):
            return
        number = dict(enumerate(range(arm)))
        number |= {arm + int(old): arm + new for new, old in enumerate(keep)}
        self._kept = self._kept.take(keep)
        self._payload = self._payload.renumbered(number)

    def _no_data(self) -> Estimate:
        """Return the answer's frame; it is the answer while there is no window."""
        windows, false = self._entered, self._gate.dropped
        why = ""
        if windows == 0 and false and self._first and isinstance(self.rows, MomentumRows):
            why = why_false(self.rows, self._first, self._cutter.pause)
        short = "" if why else self._seen.why_no_window(self.settings.window)
        return Estimate(
            phi=np.full(10, np.nan),
            lower=self._payload.interval.lower,
            upper=self._payload.interval.upper,
            identifiable=np.zeros(10, dtype=bool),
            status=Status.NO_DATA,
            message=" ".join(filter(None, (short, note_of(false), why))),
            estimator=self.settings.estimator,
            intervals=self.settings.intervals,
            samples=self.samples,
            false_samples=false,
            windows=windows,
            seconds=windows * self.settings.window,
            payload_frame=self.rows.frame,
            since=max(self._change.start, 0.0) if self.hand is not None else float("nan"),
        )
