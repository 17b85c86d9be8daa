"""Identification in receding horizon [ZZV, Algorithm 2]: pieces that take over from each other.

A piece is planned from the state in which the one before will be left, while that one waits and one
more is followed, and handed to the bridge, which proves it and has it take over. Where none is
there in time, the last one is followed to its end, at rest, and the next one is planned from there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from payload_id_msgs.action import Identify
from payload_id_msgs.msg import ExcitationGoal, PayloadEstimate

from ...core.arrays import Array
from ...core.errors import InputError
from ...core.excitation.search.planning import NoPlan, Plan
from ...core.motion.motion_state import MotionState
from ...core.safety.certificate.certificate import Certificate
from ...core.safety.certificate.certified_motion import CertifiedMotion
from ...planning.request import PIECES, Goal, Piece, PieceRequest
from ..common.awaited_answers import until
from ..execution.payload_intervals import estimate_intervals, is_usable
from ..execution.stop_reason import Reason, sentence
from .arm_goal import PAUSED, ArmGoal
from .bridge_client import Ended, Following
from .context import PlannerContext
from .parameters import MOST_PROGRESS

EARLY = 0.12  # [s] before the last moment at which a piece is handed to the bridge
MARGIN = 0.1  # [s] between the end of a piece's computing time and its deadline


@dataclass(frozen=True)
class Rules:
    """What the pieces shall be, and when a run ends.

    Attributes:
        goal: Of the first piece, with all blanks filled in.
        asked: Of whoever wants the run: later pieces take the intervals of then.
        handover: t_p, how long a piece is followed before the next takes over [s].
        most_pieces: It ends after so many; 0: no bound.
        least_progress: It ends after a piece that shrinks the half-widths by less than this part,
            in the geometric mean over those that are finite [-].
    """

    goal: Goal
    asked: ExcitationGoal
    handover: float
    most_pieces: int
    least_progress: float


def rules_of(context: PlannerContext, asked: Identify.Goal) -> Rules:
    """Return the rules that a goal of `~/identify` asks for; fills in its blanks.

    Raises:
        InputError: A field is impossible.
    """
    message, settings = asked.goal, context.settings
    message.family = message.family or "wave"
    message.duration = message.duration or settings.piece_duration
    goal = context.goal_of(message)
    if goal.family not in PIECES:
        raise InputError(
            f"Receding horizon takes the families {' and '.join(PIECES)}; plan a single motion "
            "(one_motion) for anything else."
        )
    if settings.piece_time + _lead(context) >= goal.duration:
        raise InputError(
            f"A piece of {goal.duration:g} s is too short: the parameter piece_time is "
            f"{settings.piece_time:g} s, and its braking follows that."
        )
    least = asked.least_progress
    if not 0.0 <= least <= MOST_PROGRESS:
        raise InputError(
            f"least_progress must be from 0 (for the default) to {MOST_PROGRESS:g}; found "
            f"{least!r}."
        )
    return Rules(
        goal, message, settings.piece_time, asked.most_pieces, least or settings.least_progress
    )


@dataclass(frozen=True, eq=False)
class Begun:
    """A piece that has begun.

    Attributes:
        condition_number: After it, as predicted [-].
        certificate: Of it.
        estimate: The newest as it began; None: there was none.
        half_width: Of that estimate, shape (10,); None where it was not new, or none.
    """

    condition_number: float
    certificate: Certificate | None
    estimate: PayloadEstimate | None
    half_width: Array | None


class Horizon:
    """One run.

    Attributes:
        phase: What the arm is doing, while it follows nothing.
        planning_seconds: Computing time of each piece [s].
        begun: The pieces that have begun.
    """

    def __init__(self, context: PlannerContext, arm_goal: ArmGoal, name: str, rules: Rules) -> None:
        """Nothing moves yet.

        Args:
            context: What all parts share.
            arm_goal: The goal, which has the arm.
            name: Of the run.
            rules: What the pieces shall be.
        """
        self._context, self._goal, self._name, self._rules = context, arm_goal, name, rules
        self.phase = "planning"
        self.planning_seconds: list[float] = []
        self.begun: list[Begun] = []
        self._turns: Mapping[str, int] = {}  # whole turns of the joints, as the arm rests

    async def run(self) -> Ended:
        """Have pieces followed until the rules end it, or the bridge; return how it has ended."""
        while True:
            ended = await self._from_rest()
            if ended.reason is Reason.PAUSED:
                self.phase = "paused"
                await self._goal.resumed()
            elif ended.reason is not Reason.COMPLETED:
                return ended
            elif over := self._over():
                return replace(ended, reason=over[0], message=sentence(*over))
            if why := self._goal.called_off:
                return replace(ended, reason=why[0], message=sentence(*why))
            self.phase = "planning"

    async def _from_rest(self) -> Ended:
        """Have pieces take over from each other until one does not; return how the last ended.

        The piece after the next one is planned while the bridge proves the next one.
        """
        first = len(self.begun)
        piece = await self._planned(first, None, lambda: math.inf, lambda: self._goal.unwanted)
        if self._goal.is_paused:
            return PAUSED
        if isinstance(piece, str):
            return self._unplanned(piece)
        last = newest = self._follow(piece, first, None)
        waiting = [(piece, newest)]  # which the bridge has, and that have not begun
        while len(waiting) < 2 or await self._first_begins(waiting, newest):
            number = len(self.begun) + len(waiting)
            next_piece = await self._next(number, newest)
            if not await self._takes_over(newest):
                break
            last = newest
            if isinstance(next_piece, str) or self._over() or self._ends(newest):
                break
            newest = self._follow(next_piece, number, newest)
            waiting.append((next_piece, newest))
        last = newest if newest.is_commanded else last
        while waiting and await self._first_begins(waiting, last):
            pass
        return await self._goal.end_of(last)

    def _unplanned(self, why: str) -> Ended:
        """Return the end of a run of which no piece was planned from rest."""
        reason = Reason.NO_FURTHER_PLAN if self.begun else Reason.REFUSED
        reason, why = self._goal.called_off or (reason, why)
        return Ended(reason, sentence(reason, why), at_rest=True)

    async def _next(self, number: int, following: Following) -> Piece | str:
        """Return the piece of a number, after one that is or will be followed; or why none."""
        if self._over(number):
            return "No more pieces are wanted."
        if why := self._ends(following):
            return why
        handover, lead = self._rules.handover, _lead(self._context)
        latest = handover - lead - self._context.settings.proof_time - MARGIN
        start = MotionState.of(following.motion.trajectory, handover)

        def left() -> float:
            return latest - max(0.0, following.time(self._context.arm.states.now_ns))

        return await self._planned(number, start, left, lambda: self._ends(following))

    async def _planned(
        self,
        number: int,
        start: MotionState | None,
        left: Callable[[], float],
        unwanted: Callable[[], str],
    ) -> Piece | str:
        """Return a piece, or why there is none.

        Args:
            number: Of the piece.
            start: From which it begins; None: where the arm rests.
            left: Tells how much computing time there is [s].
            unwanted: Says why nobody waits for it any more; empty: somebody does.
        """
        context, rules = self._context, self._rules
        try:
            if start is None:
                await context.heard()
                q = context.start(rules.goal.limits, own=True)
                start, self._turns = MotionState.at_rest(q), context.arm.states.turns.at(q)
            goal = context.goal_of(rules.asked) if number else rules.goal
            context.check_payload(goal)
            budget = min(left(), goal.time_budget)
            timed = replace(goal, time_budget=budget, turns=self._turns)
            if budget <= 0.0:
                return "There was no time left to plan a piece in."
            request = PieceRequest(
                self._name, number, timed, start, rules.handover, context.bridge.bodies
            )
            piece: Piece = await context.answer(request, unwanted)
        except InputError as error:
            return str(error)
        self.planning_seconds.append(piece.seconds)
        return piece.plan.reason if isinstance(piece.plan, NoPlan) else piece

    def _follow(self, piece: Piece, number: int, before: Following | None) -> Following:
        """Have the bridge follow a piece of a number, from rest or from the one before."""
        if not isinstance(piece.plan, Plan) or piece.documents is None:
            raise TypeError("A piece that is followed has a plan and certificates.")
        motion = CertifiedMotion(piece.plan.trajectory, piece.stops, piece.tube)
        name = f"{self._name}/piece_{number:02d}"
        if before is None:
            return self._goal.hand_over(name, motion, piece.documents)
        after = self._rules.handover
        return self._goal.hand_over(name, motion, piece.documents, before.name, after)

    async def _first_begins(
        self, waiting: list[tuple[Piece, Following]], newest: Following
    ) -> bool:
        """Wait until the first piece that waits begins, or what was handed over last has ended.

        Returns:
            begun: Whether it has begun; it is noted, and waits no more.
        """
        states, (piece, following) = self._context.arm.states, waiting[0]

        def begun() -> bool:
            return following.time(states.now_ns) >= 0.0

        await self._wait(lambda: begun() or newest.ended is not None)
        if begun():
            self._note(piece)
            waiting.pop(0)
        return begun()

    async def _takes_over(self, follower: Following) -> bool:
        """Wait until the bridge lets a motion take over, or refuses it; return whether it does."""
        await self._wait(lambda: follower.is_commanded or follower.ended is not None)
        return follower.is_commanded

    async def _wait(self, condition: Callable[[], bool]) -> None:
        """Wait for something that comes about in any case."""
        await until(self._context.node, condition, math.inf)

    def _ends(self, following: Following) -> str:
        """Say that a motion in progress ends, or has ended; empty: it goes on."""
        if self._goal.is_paused:
            return "It was paused"
        if following.ended is not None:
            return following.ended.message
        return self._goal.unwanted

    def _note(self, piece: Piece) -> None:
        """Note that a piece has begun, and what is known of the payload then."""
        half_width, estimate = None, self._context.estimator.estimate
        if is_usable(estimate) and not (self.begun and self.begun[-1].estimate is estimate):
            lower, upper = estimate_intervals(estimate)
            half_width = np.asarray((upper - lower) / 2)
        certificate = piece.plan.certificate if isinstance(piece.plan, Plan) else None
        self.begun.append(Begun(piece.condition_number, certificate, estimate, half_width))

    def _over(self, pieces: int | None = None) -> tuple[Reason, str] | None:
        """Return why no more pieces are wanted after so many, or those so far; None: they are."""
        pieces = len(self.begun) if pieces is None else pieces
        if self._rules.most_pieces and pieces >= self._rules.most_pieces:
            return Reason.PIECES_DONE, ""
        widths = [x.half_width for x in self.begun if x.half_width is not None]
        if len(widths) < 2 or self.begun[-1].half_width is None:
            return None
        gain = _gain(*widths[-2:])
        if gain >= self._rules.least_progress:
            return None
        said = f"The half-widths shrank by {100 * gain:.1f} % in the last piece"
        return Reason.NO_PROGRESS, said


def _gain(before: Array, now: Array) -> float:
    """Return the part by which half-widths, shape (10,), have shrunk, in the geometric mean [-]."""
    usable = np.isfinite(before) & np.isfinite(now) & (before > 0) & (now > 0)
    if not usable.any():
        return math.inf
    return 1.0 - float(np.exp(np.mean(np.log(now[usable] / before[usable]))))


def _lead(context: PlannerContext) -> float:
    """Return how long before a handover a piece must be with the bridge, its proof apart [s]."""
    state = context.bridge.state
    return EARLY + (0.0 if state is None else float(state.reaction))
