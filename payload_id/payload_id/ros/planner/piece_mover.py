"""Receding horizons on request: their rules, and their pieces, handed to the bridge."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any

from payload_id_msgs.action import Identify
from payload_id_msgs.msg import ExcitationGoal

from ...core.arrays import Array
from ...core.errors import InputError
from ...core.excitation.receding_horizon import Settings as HorizonSettings
from ...core.motion.motion_state import MotionState
from ...core.safety.certificate.certified_motion import CertifiedMotion
from ...planning.request import PIECES, Documents, Goal, PieceRequest
from .bridge_link import FollowedMotion
from .context import PlannerContext
from .horizon_execution import HorizonExecution, Mover
from .parameters import MOST_PROGRESS

EARLY = 0.12  # [s] before the last moment at which a piece is handed to the bridge
MANY = 100_000  # pieces: no bound


@dataclass(frozen=True)
class PieceMover(Mover):
    """Has the pieces of one run followed.

    Attributes:
        context: What all parts share.
        run: Name of the run.
        limits: Name of its set of joint limits.
        who: Who asks for it.
    """

    context: PlannerContext
    run: str
    limits: str
    who: str

    def begin(self, index: int, motion: CertifiedMotion, documents: Documents) -> FollowedMotion:
        """Have a piece followed from rest."""
        self.context.standing(self.limits)
        return self.context.bridge.follow(self._name(index), motion, documents, self.who)

    def prepare(self, index: int, documents: Documents) -> None:
        """Have a piece proved, that may take over soon."""
        self.context.bridge.prepare(self._name(index), documents)

    def extend(
        self, followed: FollowedMotion, index: int, motion: CertifiedMotion, after: float
    ) -> None:
        """Have a piece take over from the newest one at a time on that [s]."""
        self.context.bridge.extend(followed, self._name(index), motion, after)

    def pause(self) -> None:
        """Have the arm rest on its path."""
        self.context.bridge.pause()

    def _name(self, index: int) -> str:
        """Return the name of a piece."""
        return f"{self.run}/piece_{index:02d}"


def horizon_of(
    context: PlannerContext,
    name: str,
    goal: Goal,
    rules: HorizonSettings,
    start: Array,
    asked: Identify.Goal,
) -> HorizonExecution:
    """Return a run from where the arm stands, whose first piece is being planned.

    Args:
        context: What all parts share.
        name: Of the run.
        goal: What its pieces shall be.
        rules: When it ends.
        start: Where the arm stands, shape (n,) [rad or m].
        asked: The goal of ~/identify.
    """
    pieces = PieceMover(context, name, goal.limits, asked.requested_by)
    lead = _reaction(context) + EARLY
    return HorizonExecution.of(
        rules, start, _asker(context, name, goal, asked.goal), pieces, goal.limits,
        goal.time_budget, lead, context.settings.proof_time,
    )  # fmt: skip


def horizon_rules(
    context: PlannerContext, asked: Identify.Goal, target: Array | None
) -> tuple[Goal, HorizonSettings]:
    """Return goal and rules of a run.

    Args:
        context: What all parts share.
        asked: The goal of ~/identify, whose blanks are filled in.
        target: Half-widths at which it ends, shape (10,); None: none.

    Raises:
        InputError: A field is impossible.
    """
    message, settings = asked.goal, context.settings
    message.family = message.family or "wave"
    message.duration = message.duration or settings.piece_duration
    goal = context.goal_of(message)
    if goal.family not in PIECES or goal.dry_run_scale:
        raise InputError(
            f"Receding horizon takes the families {' and '.join(PIECES)} and no dry run; plan "
            "a single motion (one_motion) for anything else."
        )
    if settings.piece_time + _reaction(context) + EARLY >= goal.duration:
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
    return goal, HorizonSettings(
        handover=settings.piece_time,
        pieces=asked.most_pieces or MANY,
        target=target,
        least_gain=least or settings.least_progress,
    )


def _asker(
    context: PlannerContext, name: str, goal: Goal, message: ExcitationGoal
) -> Callable[[int, MotionState, float], Future[Any]]:
    """Return what asks the planning process for pieces, each with the intervals of then."""

    def ask(index: int, start: MotionState, budget: float) -> Future[Any]:
        now = goal if index == 0 else context.goal_of(message)
        timed = replace(now, time_budget=budget, turns=goal.turns)
        handover, bodies = context.settings.piece_time, context.bridge.bodies
        return context.process.request(PieceRequest(name, index, timed, start, handover, bodies))

    return ask


def _reaction(context: PlannerContext) -> float:
    """Return the longest time from a command until the arm's controller has taken it up [s]."""
    state = context.bridge.state
    return 0.0 if state is None else float(state.reaction)
