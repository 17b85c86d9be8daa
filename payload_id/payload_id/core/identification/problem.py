"""What one update of an identification has to solve, and its answer.

A problem is frozen and holds all that it needs, so that another thread may solve it while samples
arrive; the run takes the answer up afterwards (`online.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import numpy as np

from ..arm.arm_history import ArmHistory
from ..arrays import Array
from ..body.inertial import is_physical
from ..bounds import Bounds, Interval
from ..bounds.confidence import Confidence, Residuals, confidence_interval
from ..bounds.feasibility import smallest_noise_factor
from ..bounds.hull import BORDERLINE
from ..bounds.scaled_rows import ScaledRows
from ..diagnosis import (
    Diagnosis,
    Evidence,
    Finding,
    MotionSeen,
    PayloadSlipped,
    Reprocessed,
    WindowBuffer,
    advise,
    contradicted,
    diagnose,
    false_reading,
    table_of,
)
from ..history import CalibratedInterval, calibrated_interval, made_otherwise, statistics_of
from ..knowledge.knowledge import NOTHING, Knowledge
from ..rows.gate import note_of
from ..rows.joint_torque.momentum import MomentumRows
from ..rows.joint_torque.position_gate import doubt_about_range
from ..rows.joint_torque.torques_seen import TorquesSeen
from ..rows.row_block import RowBlock
from ..rows.row_source import RowSource
from ..statistics.normal_form import condition_number
from ..statistics.statistics import Statistics
from ..threads import one_thread
from .change_detector import CHANGE_SECONDS, ChangeDetector, PayloadChange, since_first
from .estimate import Estimate
from .headline import headline
from .kept_rows import KeptRows
from .known_payload import KnownPayload
from .point_estimate import point_estimate, residual_rms
from .settings import Settings
from .status import FAILED, Status, identifiable, inconsistent, verdict
from .tare import Tare
from .width import REMEDIES, WidthShare, asked_in_words, width_in_words, width_shares, with_need

MEANS_STATED = (
    " Where torque_mean was measured ('payload-id calibrate bounds'), measure it again with more "
    "--margin, or in a run that moves as this one does with a weight of known mass. A payload that "
    "moves in its grasp would look alike."
)
BEGUN_ANEW = "What was learnt of it is forgotten, and begins anew with the next windows."
SEARCHING = "Why is being looked for."
Callback = Callable[[Estimate], object]


def no_op(_: Estimate) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Solved:
    """The answer to a problem, not yet taken up by the run that asked.

    Attributes:
        estimate: The answer.
        bounds: What it rests on.
        upto: Number of windows that it takes into account.
        change: The payload's change, if the answer is that of a new payload.
        diagnosis: Why the rows are inconsistent, if that was looked for.
        anew: Whether the bounds replace those that the run had established.
    """

    estimate: Estimate
    bounds: Bounds
    upto: int = 0
    change: PayloadChange | None = None
    diagnosis: Diagnosis | None = None
    anew: bool = False


@dataclass(frozen=True)
class Problem:
    """Everything that one update needs; frozen, so that it may be solved in another thread.

    Attributes:
        rows: Rows to be explained, those of the arm first.
        own: Statistics of all rows of this run so far.
        payload: What is known of the payload.
        arm: What is known of the arm.
        detector: Detects a change of the payload.
        change: What was said of a change before.
        estimate: The answer's fields that do not depend on the solution.
        settings: How to solve.
        row_source: Made the rows.
        motion: Where the joints were; None if the rows are not of joints.
        torques: What is looked at in them; None if the rows are not of torques.
        doubtful: Rows on torques that count as unknown.
        upto: Number of windows since the samples began.
        remarks: What else is to be said of the run, whatever the rows prove.
        stated: What is stated of the payload, its auxiliary variables with bounds.
        buffer: Some windows of samples of joints.
        newest: The newest windows' rows.
        bound_factor: How many times as large as stated each channel's bounds are taken; None: once.
        doubt: Why it is not known which payload is in the hand; empty: it is.
    """

    rows: RowBlock
    own: Statistics
    payload: KnownPayload
    arm: Tare
    detector: ChangeDetector
    change: PayloadChange
    estimate: Estimate
    settings: Settings
    row_source: RowSource
    motion: MotionSeen | None
    torques: TorquesSeen | None
    doubtful: RowBlock
    upto: int
    remarks: tuple[str, ...] = ()
    stated: Knowledge = NOTHING
    buffer: WindowBuffer = field(default_factory=WindowBuffer)
    newest: tuple[RowBlock, ...] = ()
    bound_factor: Array | None = None
    doubt: str = ""

    @cached_property
    def statistics(self) -> Statistics:
        """Statistics of all rows so far, with those of what is known of the arm.

        The arm's history replaces what calibration and tares have taught: the same runs may be
        behind them.
        """
        history, _ = self._history
        known = self.arm.statistics if history is None else statistics_of(history)
        return known.joined(self.own)

    @cached_property
    def _history(self) -> tuple[ArmHistory | None, str]:
        """The arm's history where it tells of such rows, else how it was made otherwise."""
        rows = self.row_source
        if not isinstance(rows, MomentumRows) or (history := rows.model.history) is None:
            return None, ""
        otherwise = made_otherwise(history, rows, self.settings.window)
        return (None if otherwise else history), otherwise

    @property
    def prior(self) -> Interval:
        """Bounds on phi before any data."""
        return self.payload.prior

    @property
    def shape(self) -> Array:
        """Rows c with c phi >= 0 that follow from the payload's size and shape, shape (K, 10)."""
        return known_shape(self.row_source, self.settings)

    def silent(self) -> SilentProblem:
        """Return the problem as one of which nobody reads the answer."""
        return SilentProblem(**{each.name: getattr(self, each.name) for each in fields(self)})

    def proving_rows(self) -> RowBlock:
        """Return the rows that prove the bounds which the run has established."""
        hints = self.payload.memory.hints
        return self.rows.take(np.array(sorted({k for hint in hints for k in hint.rows}), dtype=int))

    def solve(self, callback: Callback = no_op) -> Solved:
        """Return the estimate and the bounds.

        Args:
            callback: Is told at once that the rows are inconsistent; why, takes longer to find.
        """
        if self.estimate.windows == 0 or self.doubt:
            known, estimate = self.payload, self.estimate
            empty = Bounds(known.interval, True, float("nan"), {}, np.zeros(0), known.memory)
            if self.doubt:
                estimate = replace(
                    estimate, lower=known.beforehand.lower, upper=known.beforehand.upper
                ).with_status(Status.NOT_IDENTIFIABLE, self.doubt)
            return Solved(estimate, empty, self.upto)
        with one_thread():
            return self._solve(callback)

    def _solve(self, callback: Callback) -> Solved:
        """Return the estimate and the bounds where there is at least one window."""
        bounds = self.bounds()
        false = self.false_reading or self._stuck(bounds)
        if not bounds.consistent and false is None:
            return self._under_larger_load() or self._inconsistent(bounds, callback)
        if false is not None:  # whatever the torques say
            message = "" if false is self.false_reading else false.sentence
            estimate = self._estimate(bounds, Status.INCONSISTENT, message)
            return Solved(replace(estimate, cause=false.cause), bounds, self.upto)
        return Solved(self._consistent(bounds), bounds, self.upto)

    def _consistent(self, bounds: Bounds) -> Estimate:
        """Return the estimate of consistent rows, with the verdict on what is proved."""
        return self._judged(self._estimate(bounds, Status.WAITING, ""))

    def with_confidence(self, estimate: Estimate) -> Estimate:
        """Return the estimate of these data with confidence intervals, and the verdict on them.

        Where the best fit breaks the bounds, other payloads may keep them, all of them near the end
        of what is possible: what they leave of phi is narrow because the bounds are too small. The
        proof is then for bounds that the best fit and what is near it keep.
        """
        if estimate.status in FAILED or estimate.status is Status.WAITING:
            return estimate
        with one_thread():
            residuals = self._residuals()
            if residuals is None:
                return estimate
            if said := self._refused(residuals):
                return replace(self, remarks=(*self.remarks, said))._judged(estimate)
            newest = RowBlock.stack(self.newest)
            confidence = confidence_interval(residuals, newest, self.prior)
            if confidence is None:
                return estimate
            channels, told = self.row_source.channels, self
            if estimate.bound_factor is not None:
                told = self._with_wider_bounds(estimate.bound_factor)
            least, most = residuals.errors(told.rows, len(channels))
            if least.max() > 1.0:
                wider = told._with_wider_bounds(most)
                bounds = wider.bounds()
                if bounds.consistent:
                    told, estimate = wider, wider._estimate(bounds, Status.WAITING, "")
                    least, _ = residuals.errors(told.rows, len(channels))
            shares = with_need(estimate.width, channels, least)
            estimate = replace(estimate, confidence=confidence, width=shares)
            return self._judged(self._within_confidence(estimate, confidence))

    def without_confidence(self) -> str:
        """Say why there is no confidence interval: which bounds the data contradict, if they do."""
        with one_thread():
            residuals = self._residuals()
        return "" if residuals is None else self._refused(residuals)

    def _residuals(self) -> Residuals | None:
        """Return what the best fit leaves; None where rows are too few."""
        if not self.newest:
            return None
        newest = RowBlock.stack(self.newest)
        return Residuals.of(self.statistics, newest, self.prior, self.shape, self.settings.level)

    def _refused(self, residuals: Residuals) -> str:
        """Say which bounds residuals contradict; empty if none."""
        if residuals.asked is None:
            return ""
        return asked_in_words(self.row_source.names, residuals.asked)

    def _within_confidence(self, estimate: Estimate, confidence: Confidence) -> Estimate:
        """Return an estimate within its confidence interval: the best fit, for one outside."""
        phi = confidence.phi
        outside = (estimate.phi < confidence.lower) | (confidence.upper < estimate.phi)
        if not outside.any() or not estimate.contains(phi).all() or not is_physical(phi):
            return estimate
        left = residual_rms(self.rows, self.statistics, phi)
        return replace(estimate, phi=phi, residual_rms=left)

    def _with_wider_bounds(self, factor: Array) -> Problem:
        """Return the problem with bounds as many times as large, never smaller.

        Args:
            factor: For each channel, shape (C,).
        """
        factor = np.maximum(factor, 1.0)
        rows = self.rows.with_wider_bounds(factor)
        whole = factor if self.bound_factor is None else factor * self.bound_factor
        return replace(self, rows=rows, payload=self.payload.forgotten(), bound_factor=whole)

    def _judged(self, estimate: Estimate) -> Estimate:
        """Return the estimate with the verdict on the strongest that it has earned."""
        found, enough = Interval(estimate.lower, estimate.upper), self.settings.enough
        reach = float(self.prior.upper[1] / self.prior.upper[0])
        number = headline(estimate, enough, reach)
        remedies = REMEDIES if isinstance(self.row_source, MomentumRows) else {}
        width = width_in_words(estimate.width, float(estimate.half_width[0]), remedies)
        status, said = verdict(found, number, self.prior, enough, self._advice(found), width)
        message = self._message(said, estimate)
        return replace(estimate, status=status, message=message, headline=number)

    def _message(self, said: str, estimate: Estimate) -> str:
        """Return the verdict's sentences, with all that has to be said beside them."""
        calibrated, by_history = estimate.calibrated, ""
        if calibrated is not None:
            by_history = calibrated.sentence(estimate.lower, estimate.upper)
        elif otherwise := self._history[1]:
            by_history = (
                f"The arm's history is not used, as it was made {otherwise}: make it "
                "again with the present robot file ('payload-id calibrate history'), or identify "
                "with what it was made with."
            )
        widened, factor = "", estimate.bound_factor
        if factor is not None:
            most = int(factor.argmax())
            widened = (
                "The best fit breaks the stated bounds. The proof is for larger ones, up to "
                f"{factor[most]:.2f} times ({self.row_source.channels[most]})."
            )
            widened += MEANS_STATED if self._means_stated else ""
        every = (said, widened, by_history, self.change.note, *self._doubts())
        return " ".join(filter(None, every))

    def bounds(self) -> Bounds:
        """Return bounds on phi."""
        method, known = self.settings.method, self.payload
        return method.bounds(self.rows, known.interval, known.memory, self.shape, self.stated)

    def _estimate(self, bounds: Bounds, status: Status, message: str) -> Estimate:
        """Return the estimate that goes with bounds."""
        phi = point_estimate(
            self.rows, self.statistics, bounds, self.prior, self.settings, self.shape, self.stated
        )
        found = bounds.interval
        estimate = replace(
            self.estimate,
            phi=phi,
            lower=found.lower,
            upper=found.upper,
            identifiable=identifiable(found, self.prior),
            status=status,
            residual_rms=residual_rms(self.rows, self.statistics, phi),
            condition_number=condition_number(self.statistics.nominal()),
            noise_factor=bounds.noise_factor,
            bound_factor=self.bound_factor,
            interval_overhead=bounds.overhead,
            calibrated=self._calibrated(),
            width=self.width(bounds),
        )
        return replace(estimate, message=self._message(message, estimate))

    def width(self, bounds: Bounds) -> tuple[WidthShare, ...]:
        """Return what the intervals' widths are made of; empty where no proof says it."""
        if bounds.budget is None:
            return ()
        source = self.row_source
        stated = ("stated",) * (bounds.budget.nuisance.shape[1] - source.p)
        return width_shares(bounds.budget, source.channels, (*source.names, *stated))

    def _calibrated(self) -> CalibratedInterval | None:
        """Return the intervals from the arm's history, where it tells of such rows."""
        (history, _), motion = self._history, self.motion
        if history is None or motion is None:
            return None
        seconds = self.estimate.seconds
        return calibrated_interval(history, self.own, motion, seconds, self.settings.level)

    def _stuck(self, bounds: Bounds) -> Finding | None:
        """Return that torques which count as unknown are none: no payload explains them, too."""
        note, joints = self._unknown, self.row_source.channels
        if self.torques is None or not note or not bounds.consistent or not len(self.doubtful):
            return None
        known = bounds.interval if self.settings.method.guaranteed else self.prior
        rows = RowBlock.stack([self.rows, self.doubtful])
        scaled = ScaledRows.of(rows, known, rows.bound(known.magnitude), narrow=False)
        factor = smallest_noise_factor(scaled, self.shape).factor
        longest = self.torques.longest
        if longest is None or factor <= BORDERLINE:
            return None
        return Finding(
            "stuck torque", factor, 0,
            f"What the torque sensor of {joints[longest.joint]} shows without any change is not "
            "what acts: no payload explains it within the stated bounds, as one does all else. "
            "Look at that sensor and at the driver, or leave that time out.",
        )  # fmt: skip

    @property
    def _unknown(self) -> str:
        """Whose torque is unknown, as a sentence; empty if of none."""
        return "" if self.torques is None else self.torques.note(self.row_source.channels)

    @cached_property
    def false_reading(self) -> Finding | None:
        """What of the readings cannot be, whatever the payload; None if there is nothing."""
        if self.torques is None or not isinstance(self.row_source, MomentumRows):
            return None
        return false_reading(self.torques, self.buffer, self.row_source)

    @property
    def contradiction(self) -> str:
        """The same as a sentence; empty if there is nothing."""
        return "" if self.false_reading is None else self.false_reading.sentence

    def _doubts(self) -> tuple[str, ...]:
        """Say what was left out of the samples, and what looks false; empty where nothing does."""
        rows, seen = self.row_source, self.motion
        outside = ""
        if seen is not None and isinstance(rows, MomentumRows):
            outside = doubt_about_range(rows.model, seen.lower, seen.upper)
        left_out = note_of(self.estimate.false_samples)
        return self.contradiction, self._unknown, left_out, *self.remarks, outside

    def _inconsistent(self, bounds: Bounds, callback: Callback) -> Solved:
        """Return the likely cause, or the answer for a new payload if that is the cause."""
        joints = self.row_source.channels
        if self.settings.hands_free:
            message = f"{inconsistent(bounds, joints)} {BEGUN_ANEW}"
            return Solved(self._estimate(bounds, Status.INCONSISTENT, message), bounds, self.upto)
        found = self.detector.diagnosis_at(self.upto)
        if found is None:
            message = f"{inconsistent(bounds, joints)} {SEARCHING}"
            callback(self._estimate(bounds, Status.INCONSISTENT, message))
            found = self._diagnosis(bounds.noise_factor)
        changed = self._after_change(found)
        if changed is not None:
            return changed
        message = f"{inconsistent(bounds, joints)} {found.sentence(joints)}"
        if not found.cause and self._means_stated:
            message += MEANS_STATED
        estimate = self._estimate(bounds, Status.INCONSISTENT, message)
        blame = tuple((joints[b.joint], b.start, b.end, b.share) for b in found.spans)
        estimate = replace(estimate, cause=found.cause, blame=blame)
        return Solved(estimate, bounds, self.upto, diagnosis=found)

    def _under_larger_load(self) -> Solved | None:
        """Return the answer for bounds in proportion to torques larger than they were measured at.

        None where no payload keeps those either, or nothing is larger.
        """
        source = self.row_source
        if not isinstance(source, MomentumRows) or self.torques is None:
            return None
        load = source.uncertainty.per_joint("torque_mean_load", source.model.n)
        grown = np.divide(self.torques.largest, load, out=np.ones_like(load), where=load > 0.0)
        if not (grown > 1.0).any():
            return None
        wider = self._with_wider_bounds(grown)
        bounds = wider.bounds()
        if not bounds.consistent:
            return None
        return Solved(wider._consistent(bounds), bounds, self.upto, anew=True)

    @property
    def _means_stated(self) -> bool:
        """Whether bounds on means of the noise are stated."""
        source = self.row_source
        return isinstance(source, MomentumRows) and bool(source.uncertainty.torque_mean)

    def _diagnosis(self, factor: float) -> Diagnosis:
        """Return why the rows are inconsistent: with what is stated, or by themselves."""
        if self.stated:
            found = contradicted(self.rows, self.prior, self.shape, self.stated)
            if found is not None:
                return found
            factor = float("nan")  # that of the rows by themselves is another one
        evidence = self.evidence(factor)
        window, scales = self.settings.window, self.settings.scales
        again = Reprocessed.of(evidence, self.row_source, self.buffer, window, scales)
        return diagnose(evidence, again, table_of(self.row_source))

    def evidence(self, factor: float) -> Evidence:
        """Return what hypotheses are judged by.

        Args:
            factor: The noise factor that was found; NaN if none was.
        """
        links, arm = _link_columns(self.row_source), len(self.arm.rows)
        return Evidence.of(self.rows, self.prior, self.shape, arm, links, factor)

    def _after_change(self, found: Diagnosis) -> Solved | None:
        """Return the answer of the rows since the payload changed; None if it did not."""
        likely, detector = found.likely, self.detector
        if likely is None or likely.cause != PayloadSlipped.name or not detector.consistent:
            return None
        if self.false_reading is not None:
            return None
        start = likely.spans[0][0]
        new = [(k, block) for k, block in detector.since if block.start[0] > start]
        if len(new) * self.settings.window < CHANGE_SECONDS - 1e-9:
            return None
        change = PayloadChange(
            new[0][0],
            f"The payload changed at about {start:.2f} s: this is a new run with the data "
            f"since {new[0][1].start[0]:.2f} s, and its intervals are of the new payload.",
            float(new[0][1].start[0]),
        )
        anew = self._anew(since_first([block for _, block in new]), change)
        bounds = anew.bounds()
        if not bounds.consistent:
            return None
        return Solved(anew._consistent(bounds), bounds, self.upto, change)

    def _anew(self, blocks: Sequence[RowBlock], change: PayloadChange) -> Problem:
        """Return the problem of some windows alone, and what is known of the arm."""
        kept = KeptRows.none(self.row_source.growth, self.payload.typical).with_windows(blocks)
        seconds = len(blocks) * self.settings.window
        return replace(
            self,
            rows=RowBlock.stack([self.arm.rows, *blocks]),
            own=kept.statistics(),
            newest=kept.newest,
            payload=self.payload.forgotten(),
            change=change,
            estimate=replace(self.estimate, windows=len(blocks), seconds=seconds),
        )

    def _advice(self, found: Interval) -> tuple[str, ...]:
        """Say which joints' motion would help with what the data do not bound."""
        weak = np.flatnonzero(~identifiable(found, self.prior))
        if self.motion is None or not isinstance(self.row_source, MomentumRows) or not len(weak):
            return ()
        part = np.where(np.arange(10) > 0, found.upper[0] / self.prior.upper[0], 1.0)
        return advise(
            self.row_source,
            self.motion,
            self.statistics,
            weak.tolist(),
            self.prior.half_width * np.clip(part, 1e-6, 1.0),
            self.payload.typical,
            self.settings.window,
        )


class SilentProblem(Problem):
    """The same, of which nobody reads the answer: what later updates need of it, and no more."""

    def _estimate(self, bounds: Bounds, status: Status, message: str) -> Estimate:
        """Return the bounds without a point estimate and words."""
        found = bounds.interval
        return replace(self.estimate, lower=found.lower, upper=found.upper, status=status)

    def _advice(self, found: Interval) -> tuple[str, ...]:
        """Return none."""
        return ()


def known_shape(row_source: RowSource, settings: Settings) -> Array:
    """Return rows c with c phi >= 0 that follow from the payload's size and shape, (K, 10)."""
    known, shape = row_source.prior.shape(), settings.shape
    return known if shape is None else np.vstack([known, shape.rows()])


def _link_columns(row_source: RowSource) -> Array:
    """Return the body of each nuisance parameter that is a link's, -1 for others, shape (p,)."""
    columns = np.full(row_source.p, -1)
    if isinstance(row_source, MomentumRows):
        links = np.flatnonzero(row_source.nuisance.uncertain[: 10 * row_source.model.n])
        columns[: len(links)] = links // 10
    return columns
