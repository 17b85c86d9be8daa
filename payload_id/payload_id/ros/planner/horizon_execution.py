"""Receding horizon on the arm: pieces are planned in another process while the present one runs.

The rules are those of `core.excitation.receding_horizon`; here they meet futures and commands. They
are told a time that is `lead` ahead of the robot's, so that what they hand over is commanded early
enough to be followed in time.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from ...core.arrays import Array
from ...core.excitation import receding_horizon as horizon
from ...core.excitation.search.planning import NoPlan, Plan
from ...core.motion.motion_sequence import MotionSequence
from ...core.motion.motion_state import MotionState
from ...core.safety.certificate.certificate import Certificate
from ...core.safety.certificate.certified_motion import CertifiedMotion
from ...planning.request import Documents, Piece, Refused
from ..certifying.worker_process import Failure
from ..execution.monitors import AT_END, Phase
from ..execution.start_check import NotReadyError
from ..execution.stop_reason import Reason, sentence
from .bridge_link import FollowedMotion

MARGIN = 0.1  # [s] between the end of a piece's computing time and its deadline
AGAIN = 200_000_000  # [ns] after which a pause is asked for again, until the arm comes to rest

# Asks for piece `index` from a state, with so much computing time [s].
AskPiece = Callable[[int, MotionState, float], "Future[Any]"]


class Mover(Protocol):
    """Whoever has pieces followed; pieces are known by their number."""

    def begin(self, index: int, motion: CertifiedMotion, documents: Documents) -> FollowedMotion:
        """Have a piece followed from rest.

        Raises:
            NotReadyError: The arm may not set off.
        """

    def prepare(self, index: int, documents: Documents) -> None:
        """Have a piece proved, that may take over soon."""

    def extend(
        self, followed: FollowedMotion, index: int, motion: CertifiedMotion, after: float
    ) -> None:
        """Have a piece take over from the newest one at a time on that [s]."""

    def pause(self) -> None:
        """Have the arm rest on its path."""


@dataclass
class HorizonExecution:
    """One run in receding horizon; `advance` is called every few milliseconds.

    Attributes:
        run: State of the rules since the arm last began to move from rest.
        ask: Asks the planning process.
        mover: Has pieces followed.
        limits: Name of the set of joint limits.
        first_budget: Computing time of the first piece [s].
        lead: How much earlier than it is due a piece is handed over [s].
        proof: Time that a piece takes to be proved before that [s].
        execution: The motion, or the last one while the arm waits at rest; None before the first.
        planning_seconds: Computing time of each piece [s].
        condition_numbers: After each piece that was begun, as predicted.
        certificate: Of the newest piece that was begun.
        refusal: Why the arm does not move from rest; empty otherwise.
        resting: Whether the arm waits at rest for a piece.
        paused: Whether it rests until somebody resumes.
    """

    run: horizon.Run
    ask: AskPiece
    mover: Mover
    limits: str
    first_budget: float
    lead: float
    proof: float
    execution: FollowedMotion | None = None
    planning_seconds: list[float] = field(default_factory=list)
    condition_numbers: list[float] = field(default_factory=list)
    certificate: Certificate | None = None
    refusal: str = ""
    resting: bool = True
    paused: bool = False
    _pausing: bool = False  # whether the arm is coming to rest for a pause
    _asked_ns: int = 0  # when that was last asked for [ns]
    _stopped: Reason | None = None  # while the arm waited at rest
    _cancelled: tuple[Reason, str] | None = None  # while it moved, or came to rest
    _earlier: int = 0  # pieces before the arm last began to move from rest
    _pending: tuple[int, Future[Any]] | None = None
    _unbegun: FollowedMotion | None = None  # the newest that was held before its start
    _pieces: dict[int, Piece] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        settings: horizon.Settings,
        start: Array,
        ask: AskPiece,
        mover: Mover,
        limits: str,
        first_budget: float,
        lead: float,
        proof: float = 0.0,
    ) -> HorizonExecution:
        """Return a run from a pose at rest, shape (n,), whose first piece is being planned."""
        run, actions = horizon.begin(settings, MotionState.at_rest(start))
        self = cls(run, ask, mover, limits, first_budget, lead, proof)
        self._carry_out(actions, 0)
        return self

    @property
    def done(self) -> bool:
        """Whether the arm is at rest again, or has never moved."""
        return bool(self.refusal) or not (self.resting or self._moving)

    @property
    def phase(self) -> str:
        """What the arm is doing, in a word."""
        if self.paused:
            return "paused"
        if self.resting or self.execution is None:
            return "planning"
        return self.execution.phase.value

    @property
    def _moving(self) -> bool:
        """Whether the arm follows a motion."""
        return self.execution is not None and not self.execution.done

    @property
    def reason(self) -> tuple[Reason, str]:
        """Why it ended, and that in the present case as a sentence."""
        execution, clause = self.execution, self.refusal
        if self._stopped is not None:
            reason = self._stopped
        elif execution is None:
            reason = Reason.REFUSED
        elif self.refusal:
            reason = Reason.NO_FURTHER_PLAN if self.condition_numbers else Reason.REFUSED
        elif execution.reason not in (None, Reason.COMPLETED, Reason.PAUSED):
            return execution.reason, execution.sentence
        elif self._cancelled is not None:
            reason, clause = self._cancelled
        else:
            reason = self._own_reason()
            clause = "" if reason is Reason.PIECES_DONE else self.run.reason
        return reason, sentence(reason, clause)

    def advance(self, now_ns: int) -> None:
        """Take in the planner's answer, hand over, or end."""
        self._undo_not_continued()
        self._forget_unbegun()
        self._rest_if_paused()
        if self.paused:
            return
        if self.execution is not None and self._stands_without_plan(self.execution):
            self._plan_from_rest(self.execution.end_positions())
        if self.done:
            return
        self._insist_on_pause(now_ns)
        time = self._time(now_ns)
        if self._pending is not None and self._pending[1].done():
            (index, future), self._pending = self._pending, None
            self._take(index, future.result(), time, now_ns)
        if not self.resting and self.execution is not None:
            if self.execution.stopping:
                self.run, _ = horizon.cancelled(self.run, self.execution.sentence, time)
            self._step(horizon.tick(self.run, time), now_ns)

    def estimated(self, half_width: Array, now_ns: int) -> None:
        """Take in the half widths of a new estimate, shape (10,)."""
        self._step(horizon.estimated(self.run, half_width, self._time(now_ns)), now_ns)

    def cancel(self, reason: Reason, detail: str, now_ns: int) -> None:
        """End by the next certified stop, or at once if nothing has moved."""
        if self.execution is not None and not self.resting:
            self.execution.stop(reason, detail)
            self._pausing, self._cancelled = False, self._cancelled or (reason, detail)
        elif not self.refusal:
            self.refusal = detail or reason.value
            self._stopped = reason
        self.run, _ = horizon.cancelled(self.run, detail or reason.value, self._time(now_ns))

    def pause(self, now_ns: int) -> bool:
        """Rest by the next certified stop, or the end of the piece; return whether it will."""
        if self.paused or self.refusal:
            return False
        if self.resting or self.execution is None:
            self.paused, self._pending = True, None
            return True
        if self.execution.stopping:
            return False
        if not self.execution.hold_back():
            self.mover.pause()
        self.run, _ = horizon.cancelled(self.run, "Paused", self._time(now_ns))
        self._pausing, self._asked_ns = True, now_ns
        return True

    def resume(self, q: Array) -> None:
        """Plan on from where the arm rests, shape (n,) [rad or m]; end if no piece is left."""
        self.paused = self._pausing = False
        if self.run.pieces >= self.run.settings.pieces:
            self.resting = False
            return
        self._plan_from_rest(q)

    def _insist_on_pause(self, now_ns: int) -> None:
        """Ask the bridge once more while the arm goes on.

        A pause that meets a motion on its way to the bridge is refused there, as nothing moves yet;
        so is one after the last stop of a piece, until the next one has taken over.
        """
        execution = self.execution
        if not self._pausing or execution is None or execution.stopping:
            return
        if execution.phase not in (*AT_END, Phase.HOLDING) and now_ns - self._asked_ns >= AGAIN:
            self._asked_ns = now_ns
            self.mover.pause()

    def _forget_unbegun(self) -> None:
        """Do not count a piece that was held before its start."""
        execution = self.execution
        if execution is None or not execution.done or execution.begun or self._unbegun is execution:
            return
        self._unbegun = execution
        self.condition_numbers.pop()
        self._allow_one_more()
        if execution.reason is Reason.REFUSED:
            self.refusal = execution.sentence

    def _undo_not_continued(self) -> None:
        """Do not count a piece that the bridge did not let take over."""
        execution = self.execution
        if execution is not None and execution.not_continued:
            why, execution.not_continued = execution.not_continued, ""
            self.condition_numbers.pop()
            self._refuse(why)

    def _rest_if_paused(self) -> None:
        """Wait for somebody to resume, once the stop of a pause is over."""
        execution = self.execution
        if execution is None or not self._pausing or not execution.done:
            return
        if execution.reason in (Reason.PAUSED, Reason.COMPLETED):
            self.paused = self.resting = True
            self._pending = None

    def _time(self, now_ns: int) -> float:
        """Return the time that the rules are told [s]."""
        if self.resting or self.execution is None:
            return 0.0
        return self.execution.time(now_ns) + self.lead

    def _stands_without_plan(self, execution: FollowedMotion) -> bool:
        """Whether the arm has come to rest although more pieces were wanted."""
        ended = execution.done and not (self.resting or self.refusal or self._cancelled)
        as_planned = execution.reason is Reason.COMPLETED
        return ended and as_planned and self._own_reason() is Reason.NO_FURTHER_PLAN

    def _plan_from_rest(self, q: Array) -> None:
        """Ask for a piece from where the arm has come to rest, shape (n,) [rad or m]."""
        before = self.run
        self._earlier += before.pieces
        self._pieces.clear()
        self.resting = True
        settings = replace(before.settings, pieces=before.settings.pieces - before.pieces)
        run, actions = horizon.begin(settings, MotionState.at_rest(q))
        known = tuple((-1, widths) for _, widths in before.half_widths[-1:])
        self.run = replace(run, half_widths=known)
        self._carry_out(actions, 0)

    def _take(self, index: int, answer: Any, time: float, now_ns: int) -> None:
        """Take in the answer to a request for a piece."""
        plan: Plan | NoPlan
        if isinstance(answer, (Failure, Refused)):
            plan = NoPlan(answer.sentence, None, 0, 0, 0.0)
        else:
            plan = answer.plan
            self._pieces[index] = answer
            if answer.documents is not None and not self.resting:
                self.mover.prepare(self._earlier + index, answer.documents)
            self.planning_seconds.append(answer.seconds)
        self._step(horizon.planned(self.run, index, plan, time), now_ns)

    def _step(self, step: tuple[horizon.Run, horizon.Actions], now_ns: int) -> None:
        """Keep the next state and do what it asks for."""
        self.run, actions = step
        self._carry_out(actions, now_ns)

    def _carry_out(self, actions: horizon.Actions, now_ns: int) -> None:
        """Do what the rules ask for."""
        for action in actions:
            if isinstance(action, horizon.Follow):
                self._follow(action, now_ns)
            elif isinstance(action, horizon.Ask):
                left = action.deadline - self._time(now_ns) - MARGIN - self.proof
                budget = min(left, self.first_budget) if np.isfinite(left) else self.first_budget
                future = self.ask(self._earlier + action.index, action.start, budget)
                self._pending = (action.index, future)
            elif action.refused:
                self.refusal = action.reason

    def _follow(self, action: horizon.Follow, now_ns: int) -> None:
        """Begin a piece from rest, or let the next one take over."""
        piece, index = self._pieces.pop(self.run.index), self._earlier + self.run.index
        if piece.documents is None:
            raise TypeError("A piece that is followed has certificates.")
        if isinstance(piece.plan, Plan):
            self.certificate = piece.plan.certificate
        duration = action.trajectory.duration
        if self.resting or self.execution is None:
            whole = MotionSequence((action.trajectory,), (duration,))
            motion = CertifiedMotion(whole, piece.stops, piece.tube)
            try:
                self.execution = self.mover.begin(index, motion, piece.documents)
            except NotReadyError as error:
                self.refusal = str(error)
                return
            self.resting = False
            self.condition_numbers.append(piece.condition_number)
            return
        present = self.execution.motion
        before = present.trajectory
        if not isinstance(before, MotionSequence):
            raise TypeError("A receding horizon executes sequences only.")
        after = self.run.settings.handover
        until = (*before.until[:-1], after, duration)
        kept = tuple(stop for stop in present.stops if stop.time <= action.begin)
        stops = (*kept, *(stop.later(action.begin) for stop in piece.stops))
        motion = replace(
            present,
            trajectory=MotionSequence((*before.parts, action.trajectory), until),
            stops=stops,
        )
        self.mover.extend(self.execution, index, motion, after)
        self.condition_numbers.append(piece.condition_number)

    def _refuse(self, why: str) -> None:
        """Do not follow a piece that was due: the present one is followed to its end, at rest."""
        self._allow_one_more()
        self.run, _ = horizon.cancelled(self.run, why, 0.0)

    def _allow_one_more(self) -> None:
        """Let another piece take the place of one that was counted and not followed."""
        settings = self.run.settings
        self.run = replace(self.run, settings=replace(settings, pieces=settings.pieces + 1))

    def _own_reason(self) -> Reason:
        """Return why the rules ended the run."""
        settings, known = self.run.settings, self.run.half_widths
        if settings.target is not None and known and (known[-1][1] <= settings.target).all():
            return Reason.TARGET_REACHED
        if self.run.reason.startswith("The half widths shrank"):
            return Reason.NO_PROGRESS
        if self.run.pieces >= settings.pieces:
            return Reason.PIECES_DONE
        return Reason.NO_FURTHER_PLAN
