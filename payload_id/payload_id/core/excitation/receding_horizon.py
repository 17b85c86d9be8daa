"""Identification in receding horizon [ZZV, Algorithm 2], a state machine without clock or threads.

While a piece runs, the next one is planned from the state in which it will be left, t_p after its
begin. If a certified next piece is there by then, it takes over; if not, for whatever reason, the
present piece is followed to its end, at rest: that is the stop which was certified with it.
Estimates arrive at any time; the run ends when a target is met or half widths no longer shrink.

`begin`, `planned`, `estimated`, `cancelled` and `tick` each return the next state and what to do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from ..arrays import Array
from ..errors import InputError
from ..motion.motion_state import MotionState
from ..motion.trajectory import Trajectory
from .search.planning import NoPlan, Plan

LATE = 0.05  # [s] after the handover at which the next piece may still take over


class Phase(Enum):
    """What the run is doing."""

    WAITING = "waiting for the first piece; the arm is at rest"
    MOVING = "following a piece; the next one is being planned, or is there"
    STOPPING = "following the present piece to its end, at rest"
    ENDED = "at rest; nothing more will be planned"


@dataclass(frozen=True)
class Settings:
    """When to hand over and when to end.

    Attributes:
        handover: t_p, how long a piece is followed before the next takes over [s].
        pieces: Largest number of pieces.
        target: Half widths of phi that are small enough, shape (10,), inf where any will do; None:
            no target.
        least_gain: The run ends after a piece that shrinks the half widths by less than this part,
            in the geometric mean over those that are finite [-].
    """

    handover: float = 1.5
    pieces: int = 4
    target: Array | None = None
    least_gain: float = 0.02

    def __post_init__(self) -> None:
        if not self.handover > 0.0 or self.pieces < 1:
            raise InputError(
                "A receding horizon needs a handover after more than 0 s and at least one piece; "
                f"found {self.handover!r} s and {self.pieces!r}."
            )


@dataclass(frozen=True)
class Ask:
    """Plan a piece.

    Attributes:
        index: Number of the piece, from 0; give it back with the answer.
        start: MotionState from which it begins.
        deadline: Until when the answer counts; inf for the first [s].
    """

    index: int
    start: MotionState
    deadline: float


@dataclass(frozen=True)
class Follow:
    """Follow a motion.

    Attributes:
        trajectory: The motion, certified to its end.
        begin: When its time 0 is [s].
    """

    trajectory: Trajectory
    begin: float


@dataclass(frozen=True)
class End:
    """The arm is at rest (or never moved) and the run is over.

    Attributes:
        reason: Why, one sentence.
        refused: Whether it never moved.
    """

    reason: str
    refused: bool = False


Action = Ask | Follow | End
Actions = tuple[Action, ...]


@dataclass(frozen=True)
class Run:
    """State of a run.

    Attributes:
        settings: When to hand over and when to end.
        phase: What it is doing.
        index: Number of the piece that is followed, or waited for.
        begin: When the present piece began [s].
        present: The plan that is followed; None before the first.
        following: The plan that takes over at the handover, if it is there.
        reason: Why the run ends or ended; empty while it goes on.
        half_widths: Last estimate of each piece so far, shape (10,) each, by number of the piece.
    """

    settings: Settings
    phase: Phase = Phase.WAITING
    index: int = 0
    begin: float = 0.0
    present: Plan | None = None
    following: Plan | None = None
    reason: str = ""
    half_widths: tuple[tuple[int, Array], ...] = ()

    @property
    def handover(self) -> float:
        """When the next piece takes over [s]."""
        return self.begin + self.settings.handover

    @property
    def end(self) -> float:
        """When the present piece has come to rest [s]."""
        length = 0.0 if self.present is None else self.present.trajectory.duration
        return self.begin + length

    @property
    def pieces(self) -> int:
        """Number of pieces begun."""
        return 0 if self.present is None else self.index + 1


def begin(settings: Settings, start: MotionState) -> tuple[Run, Actions]:
    """Return a new run from a pose at rest; it asks for the first piece.

    Raises:
        InputError: The arm is not at rest.
    """
    if np.abs(start.dq).max() > 0.0 or np.abs(start.ddq).max() > 0.0:
        raise InputError(
            f"A run begins at rest; found dq = {start.dq.round(4)}. Wait until the arm stands "
            "still."
        )
    return Run(settings), (Ask(0, start, np.inf),)


def planned(run: Run, index: int, answer: Plan | NoPlan, time: float) -> tuple[Run, Actions]:
    """Take in the answer to `Ask` number `index` at a time [s].

    Raises:
        InputError: The motion is shorter than the handover.
    """
    if isinstance(answer, Plan) and answer.trajectory.duration < run.settings.handover:
        raise InputError(
            f"A piece must last at least until the handover after {run.settings.handover:g} s; "
            f"found {answer.trajectory.duration:g} s."
        )
    if run.phase is Phase.WAITING and index == 0:
        if isinstance(answer, NoPlan):
            ended = replace(run, phase=Phase.ENDED, reason=answer.reason)
            return ended, (End(answer.reason, refused=True),)
        return _follow(replace(run, phase=Phase.MOVING), answer, time)
    late = time > run.handover
    if run.phase is not Phase.MOVING or index != run.index + 1 or late or run.reason:
        return run, ()  # nobody waits for it any more
    if isinstance(answer, NoPlan):
        return replace(run, reason=f"No next piece: {answer.reason}"), ()
    return replace(run, following=answer), ()


def estimated(run: Run, half_widths: Array, time: float) -> tuple[Run, Actions]:
    """Take in half widths of phi, shape (10,), of all data so far."""
    if run.phase is Phase.ENDED:
        return run, ()
    number = run.index
    known = tuple(entry for entry in run.half_widths if entry[0] != number)
    run = replace(run, half_widths=(*known, (number, np.array(half_widths, dtype=float))))
    target = run.settings.target
    if target is not None and (half_widths <= target).all() and not run.reason:
        run = replace(run, reason="All half widths have reached the target.")
    return run, ()


def cancelled(run: Run, reason: str, time: float) -> tuple[Run, Actions]:
    """End the run: at once if the arm has not moved, else along the certified stop."""
    if run.phase is Phase.WAITING:
        return replace(run, phase=Phase.ENDED, reason=reason), (End(reason, refused=True),)
    if run.phase is Phase.ENDED:
        return run, ()
    return replace(run, phase=Phase.STOPPING, following=None, reason=reason), ()


def tick(run: Run, time: float) -> tuple[Run, Actions]:
    """Let time pass: hand over, turn to the stop, or end."""
    if run.phase is Phase.MOVING and time >= run.handover:
        run = _without_gain(run)
        in_time = time <= run.handover + LATE  # pieces part ways with the cube of the time
        if run.following is not None and in_time and not run.reason:
            handed = replace(run, index=run.index + 1, following=None)
            return _follow(handed, run.following, run.handover)
        reason = run.reason or "No next piece was planned in time."
        run = replace(run, phase=Phase.STOPPING, following=None, reason=reason)
    if run.phase is Phase.STOPPING and time >= run.end:
        return replace(run, phase=Phase.ENDED), (End(run.reason),)
    return run, ()


def _follow(run: Run, plan: Plan, time: float) -> tuple[Run, Actions]:
    """Begin a piece at a time [s] and ask for the next one, if there shall be one."""
    run = replace(run, present=plan, begin=time)
    follow = Follow(plan.trajectory, time)
    if run.pieces >= run.settings.pieces:
        reason = f"All {run.settings.pieces} pieces were begun."
        return replace(run, reason=reason), (follow,)
    start = MotionState.of(plan.trajectory, run.settings.handover)
    return run, (follow, Ask(run.index + 1, start, run.handover))


def _without_gain(run: Run) -> Run:
    """Give a reason to end if the last two pieces' estimates are nearly equal."""
    if run.reason or len(run.half_widths) < 2:
        return run
    (_, before), (number, now) = run.half_widths[-2:]
    usable = np.isfinite(before) & np.isfinite(now) & (before > 0) & (now > 0)
    if number != run.index or not usable.any():
        return run
    gain = 1.0 - float(np.exp(np.mean(np.log(now[usable] / before[usable]))))
    if gain >= run.settings.least_gain:
        return run
    return replace(run, reason=f"The half widths shrank by {100 * gain:.1f} % in the last piece.")
