"""What contradicts one rigid body in the robots' motions, and whose data explain it.

Who contradicts the others is put to the vote. What is wrong with such a robot is a table of
hypotheses, `HYPOTHESES`: the first one under which it moves with the others as one body is named.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..estimate import Fault, Finding
from .clock_leaps import leapt
from .evidence import LEAST_TURN, Evidence, turning
from .forces import LEAST_WINDOWS
from .own_twists import of_own_twists
from .pairs import (
    agree,
    are_mirrored,
    clock_offset,
    contradict,
    differs,
    missing_turns,
    slipped_since,
    until,
)

NOTHING = 0.02  # of the total force that counts as none
AT_ONCE, SOON = 0.5, 3.0  # [s] around the loss of a force, before and after which both part


def of_motions(e: Evidence) -> tuple[list[Finding], bool]:
    """Return what speaks against one rigid body in the robots' motions; whether it excludes it."""
    if max(turning(e.blocks), default=0.0) < LEAST_TURN:
        return [], False
    if false := of_own_twists(e):
        return _mirrored_rather(e, false), True
    suspects = [
        i
        for i, bounds in enumerate(e.rows.frame_bounds)
        if i and (not bounds.consistent or differs(e, i))
    ]
    if not suspects:
        return [], False
    first, suspects = _by_majority(e, suspects)
    named = [_named(e, i, first) for i in suspects]
    if len(named) == 1 and named[0].fault in (Fault.SLIPS, Fault.UNKNOWN):
        named = [_either(e, suspects[0], first) or named[0]]
    once = {(finding.fault, finding.robots): finding for finding in reversed(named)}
    return list(once.values())[::-1], True


def _mirrored_rather(e: Evidence, false: list[Finding]) -> list[Finding]:
    """Return findings of who contradicts itself; a mirror image, where it is one, says more."""
    named = {name for finding in false for name in finding.robots}
    others = [j for j, name in enumerate(e.names) if name not in named]
    told = [(f, _mirrored(e, e.names.index(f.robots[0]), others[0]) if others else None)
            for f in false]  # fmt: skip
    return [mirrored or finding for finding, mirrored in told]


def _by_majority(e: Evidence, suspects: list[int]) -> tuple[int, list[int]]:
    """Return whom to compare with, and whom to suspect, which are not the most that agree.

    Those that do not move with the first robot may move with each other: where they are more than
    those that move with it, it is to be suspected, with whoever moves with neither.
    """
    N = len(e.names)
    for i in suspects if N > 2 else ():
        together = [i, *(j for j in range(1, N) if j != i and agree(e, i, j))]
        if len(together) > N - len(suspects):
            return i, [j for j in range(N) if j not in together]
    return 0, suspects


def _either(e: Evidence, i: int, j: int) -> Finding | None:
    """Return that it is robot i or j, if all others may move with both; None: it is robot i.

    The slip is that of the one who is elsewhere than before for others, too.
    """
    others = [k for k in range(len(e.names)) if k not in (i, j)]
    if not others or not all(agree(e, k, r) for k in others for r in (j, i)):
        return None
    for robot in (i, j):
        if any(slipped_since(e, robot, k) is not None for k in others):
            return None if robot == i else _named(e, j, others[0])
    return Finding(
        Fault.UNKNOWN, (e.names[i], e.names[j]),
        f"{e.names[i]} and {e.names[j]} do not move as one rigid body, but each does with "
        f"{', '.join(e.names[k] for k in others)} within the stated bounds: one of both slips, let "
        "go, has a clock that leapt, or states false bounds; which one shows with more motion.",
    )  # fmt: skip


def _named(e: Evidence, i: int, j: int) -> Finding:
    """Return why robot i does not move with robot j as one body."""
    for hypothesis in HYPOTHESES:
        if (found := hypothesis(e, i, j)) is not None:
            return found
    return Finding(
        Fault.UNKNOWN, _whose(e, i, j),
        f"{e.names[i]} does not move with {e.names[j]} as one rigid body within the stated bounds. "
        "Lock a hinge of the payload, if it has one; check that both hold it firmly, their frames, "
        "their clocks and the bounds.",
    )  # fmt: skip


def _mirrored(e: Evidence, i: int, j: int) -> Finding | None:
    """Robot i's poses or twists are mirror images."""
    if not are_mirrored(e, i, j):
        return None
    return Finding(
        Fault.MIRRORED, (e.names[i],),
        f"The frame of {e.names[i]} is left-handed against that of {e.names[j]}: its vectors fit "
        "as their mirror image. Change the sign of one axis.",
    )  # fmt: skip


def _let_go(e: Evidence, i: int, j: int) -> Finding | None:
    """One of both exerts nothing from some time on, and moves otherwise soon after it."""
    size = np.linalg.norm(e.forces.wrench[:, :, :3], axis=2)
    for k in (i,) if len(e.names) > 2 else (i, j):
        nothing = size[k] < NOTHING * size.sum(axis=0)
        first = len(nothing) - int(np.logical_and.accumulate(nothing[::-1]).sum())
        if min(first, len(nothing) - first) < LEAST_WINDOWS / 2:
            continue
        since = float(e.forces.start[first])
        before, after = until(e, since - AT_ONCE), until(e, since + SOON)
        if not contradict(before, j, i) and contradict(after, j, i):
            return Finding(
                Fault.SLIPS, (e.names[k],),
                f"{e.names[k]} let go of the payload at {since:.1f} s of team time: since then it "
                "does not move with the others as before, and exerts nothing. Hold it again and "
                "reset the estimator, or say that it left.",
                since,
            )  # fmt: skip
    return None


def _clock_off(e: Evidence, i: int, j: int) -> Finding | None:
    """Robot i's clock is further off than stated."""
    late = clock_offset(e, i, j)
    if late is None:
        return None
    return Finding(
        Fault.CLOCK, (e.names[i],),
        f"The clock of {e.names[i]} is {1e3 * late:.0f} ms off that of {e.names[j]} in the mean of "
        f"the run; {1e3 * (e.rows.bounds[i].clock + e.rows.bounds[j].clock):.0f} ms are stated. "
        "State more, or set the clock.",
    )  # fmt: skip


def _slipped(e: Evidence, i: int, j: int) -> Finding | None:
    """Robot i is elsewhere in the body than before since some time."""
    since = slipped_since(e, i, j)
    if since is None:
        return None
    robots = _whose(e, i, j)
    return Finding(
        Fault.SLIPS, robots,
        f"{' or '.join(robots)} slips on the payload, or let go of it, at {since:.1f} s of team "
        f"time: since then {e.names[i]} does not move with {e.names[j]} as before. Hold it again "
        "and reset the estimator, or say that it left.",
        since,
    )  # fmt: skip


def _locked(e: Evidence, i: int, j: int) -> Finding | None:
    """Robot i does not turn, or not about one axis, as robot j does; of two robots, or j as i."""
    for k, other in ((i, j), (j, i)) if len(e.names) == 2 else ((i, j),):
        locked = missing_turns(e, k, other)
        if locked.any():
            what = "does not turn" if locked.all() else "does not turn about every axis"
            return Finding(
                Fault.GIMBAL_LOCKED, (e.names[k],),
                f"The gimbal of {e.names[k]} {what} as the others do: it is locked, at its end, "
                "its encoders stand still, or the payload is not rigid and its part does not turn. "
                "Free it, or state its orientation by an IMU.",
            )  # fmt: skip
    return None


def _whose(e: Evidence, i: int, j: int) -> tuple[str, ...]:
    """Return whose fault it may be that robot i does not move with robot j: of two, either's."""
    return (e.names[i],) if len(e.names) > 2 else tuple(e.names[k] for k in sorted((i, j)))


HYPOTHESES: tuple[Callable[[Evidence, int, int], Finding | None], ...] = (
    _mirrored, _locked, _let_go, leapt, _slipped, _clock_off,
)  # fmt: skip
