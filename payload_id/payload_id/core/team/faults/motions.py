"""What contradicts one rigid body in the robots' motions, and who is to blame."""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ..blocks import Blocks
from ..estimate import Fault, Finding
from .clock_leaps import leapt, one_leap_each
from .evidence import LEAST_TURN, Evidence, turning
from .letting_go import force_gone_since, let_go, part_at
from .own_twists import of_own_twists
from .pairs import agree, are_mirrored, differs, slipped_since, times_as_fast

LOCKED = 0.15  # of the other robots' angular velocity about an axis, below which it is locked
# Times the bound of an angular velocity: beyond it errors of two robots, one against the other, do
# not make one look locked: (w - sqrt(3) b) > LOCKED (w + sqrt(3) b).
SURELY = 2.0 * np.sqrt(3.0) / (1.0 - LOCKED)
CLOCK_DEVIATIONS, CLOCK_SLACK = 6.0, 2e-3  # [-, s] beyond what is stated


def of_motions(e: Evidence) -> tuple[list[Finding], bool]:
    """Return what speaks against one rigid body in the robots' motions; whether it excludes it."""
    N = len(e.names)
    most = max(turning(e.blocks), default=0.0)
    if most < LEAST_TURN:
        return [], False
    if false := of_own_twists(e):
        return _mirrored_rather(e, false), True
    out = []
    suspects = []
    consistent = [bounds.consistent for bounds in e.rows.frame_bounds]
    certain = any(differs(e, i) for i in range(1, N))
    for i in range(N):
        locked = _locked(e, i)
        if locked and (N > 2 or slipped_since(e, 1, 0) is None):  # what slips turns otherwise
            out.append(locked)
        elif (late := _late(e, i)) and slipped_since(e, i, 0) is None:
            certain = True
            out.append(leapt(e, i, 0) or late)
        elif i and (not consistent[i] or _unlike(e, i)):
            suspects.append(i)
    if out:
        return one_leap_each(out) or _reference_late(e, out) or out, certain
    certain |= not all(consistent[i] for i in suspects)
    first, suspects = _by_majority(e, suspects)
    named = [_named(e, i, first) for i in suspects]
    certain |= any(finding.fault is Fault.MIRRORED for finding in named)
    if len(named) == 1 and named[0].fault in (Fault.SLIPS, Fault.UNKNOWN):
        named = [_either(e, suspects[0], first) or named[0]]
    return named, certain


def _mirrored_rather(e: Evidence, false: list[Finding]) -> list[Finding]:
    """Return findings of who contradicts itself; a mirror image, where it is one, says more."""
    named = {name for finding in false for name in finding.robots}
    others = [j for j, name in enumerate(e.names) if name not in named]
    told = [_named(e, e.names.index(f.robots[0]), j) for f in false for j in others[:1]]
    mirrored = {f.robots: f for f in told if f.fault is Fault.MIRRORED}
    return [mirrored.get(finding.robots, finding) for finding in false]


def _by_majority(e: Evidence, suspects: list[int]) -> tuple[int, list[int]]:
    """Return whom to compare with, and whom to suspect, which are not the most that agree.

    Those that do not move with the first robot may move with each other: where they are more than
    those that move with it, it is to be suspected, with whoever moves with neither.
    """
    N = len(e.names)
    if not suspects or N < 3:
        return 0, suspects
    doubtful = suspects
    if len(suspects) < N - 1:  # of some a mirror image may not be seen yet
        mirrored = [i for i in range(1, N) if i in suspects or are_mirrored(e, i, 0)]
        doubtful = mirrored if len(mirrored) == N - 1 else suspects
    with_first = N - len(doubtful)
    for i in doubtful:
        together = [i, *(j for j in range(1, N) if j != i and agree(e, i, j))]
        if len(together) > with_first:
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


def _reference_late(e: Evidence, found: list[Finding]) -> list[Finding]:
    """Return that the first robot's clock is off, if those of most robots are off by the same."""
    N = len(e.names)
    if N < 3 or any(f.fault is not Fault.CLOCK for f in found):
        return []
    named = [e.names.index(f.robots[0]) for f in found]
    late = e.rows.frames.clock - np.median(e.rows.frames.clock[named])
    off = np.abs(late) > 2.0 * max(b.clock for b in e.rows.bounds) + CLOCK_SLACK
    if not off[0] or np.count_nonzero(e.rows.frames.known & ~off) <= N / 2:
        return []
    bound = max(b.clock for b in e.rows.bounds)
    return [_clock_off(e, int(i), float(late[i]), bound, "the others") for i in np.flatnonzero(off)]


def _clock_off(e: Evidence, i: int, late: float, bound: float, against: str) -> Finding:
    """Return that robot i's clock is off by more than is stated [s]."""
    return Finding(
        Fault.CLOCK, (e.names[i],),
        f"The clock of {e.names[i]} is {1e3 * late:.0f} ms off that of {against} in the mean of "
        f"the run; {1e3 * bound:.0f} ms are stated. State more, or set the clock.",
    )  # fmt: skip


def _unlike(e: Evidence, i: int) -> bool:
    """Tell whether a robot that turns goes with none, or as a mirror image of the first."""
    if e.blocks.present[i].sum() <= 10 or e.rows.frame_bounds[i].known:
        return False
    noise = 2.0 * max(e.rows.bounds[j].angular_velocity for j in (0, i))
    if turning(e.blocks)[i] < max(LEAST_TURN, noise):
        return False
    return differs(e, i) or are_mirrored(e, i, 0)


def _locked(e: Evidence, i: int) -> Finding | None:
    """Return that a robot's gimbal does not turn, or not about one axis, as others do."""
    here = e.blocks.present[i]
    if here.sum() < 10:
        return None
    weak, others = np.zeros(3), 0
    for j in range(len(e.names)):
        both = e.blocks.present[j] & here
        if j == i or both.sum() <= 10 or times_as_fast(e, i, j) is not None:
            continue
        noise = SURELY * max(e.rows.bounds[k].angular_velocity for k in (i, j))
        own, other = (np.linalg.eigvalsh(_square(e.blocks, k, both)) for k in (i, j))
        weak += (own < LOCKED**2 * other) & (other > max(noise**2, LEAST_TURN**2 / 3.0))
        others += 1
    locked = weak > others / 2  # one that is alone in turning more than all others is false itself
    if not locked.any():
        return None
    what = "does not turn" if locked.all() else "does not turn about every axis"
    return Finding(
        Fault.GIMBAL_LOCKED, (e.names[i],),
        f"The gimbal of {e.names[i]} {what} as the others do: it is locked, at its end, its "
        "encoders stand still, or the payload is not rigid and its part does not turn. Free it, or "
        "state its orientation by an IMU.",
    )  # fmt: skip


def _late(e: Evidence, i: int) -> Finding | None:
    """Return that a robot's clock is further off than stated, if nothing within that fits."""
    frames = e.rows.frames
    late, bound = float(frames.clock[i]), e.rows.bounds[i].clock
    jitter = e.rows.bounds[0].jitter + e.rows.bounds[i].jitter
    deviation = float(np.sqrt(max(frames.covariance[i, 12, 12], 0.0)))
    if (
        not i
        or not bound
        or not frames.known[i]
        or e.rows.frame_bounds[i].consistent
        or abs(late) <= bound + jitter + CLOCK_DEVIATIONS * deviation + CLOCK_SLACK
    ):
        return None
    return _clock_off(e, i, late, bound, e.names[0])


def _square(blocks: Blocks, i: int, here: Array) -> Array:
    """Return the mean of omega omega', shape (3, 3)."""
    omega = blocks.twist[i][here, :3]
    return np.asarray(omega.T @ omega / max(len(omega), 1))


def _named(e: Evidence, i: int, j: int) -> Finding:
    """Return why robot i does not move with robot j as one body."""
    name, other = e.names[i], e.names[j]
    if are_mirrored(e, i, j):
        return Finding(
            Fault.MIRRORED, (name,),
            f"The frame of {name} is left-handed against that of {other}: its vectors fit as their "
            "mirror image. Change the sign of one axis.",
        )  # fmt: skip
    if (times := times_as_fast(e, i, j)) is not None:
        return Finding(
            Fault.UNKNOWN, (name,),
            f"The angular velocities of {name} are {times:.3g} times those of {other}, and fit but "
            "for that: check their unit, which is rad/s.",
        )  # fmt: skip
    if (leap := leapt(e, i, j)) is not None:
        return leap
    for k in (i,) if len(e.names) > 2 else (i, j):
        begin = force_gone_since(e, k)
        if begin is not None and part_at(e, i, j, begin):
            return let_go(e.names[k], begin)
    since = slipped_since(e, i, j)
    if since is not None:
        robots = _whose(e, i, j)
        return Finding(
            Fault.SLIPS, robots,
            f"{' or '.join(robots)} slips on the payload, or let go of it, at {since:.1f} s of "
            f"team time: since then {name} does not move with {other} as before. Hold it again and "
            "reset the estimator, or say that it left.",
            since,
        )  # fmt: skip
    return Finding(
        Fault.UNKNOWN, _whose(e, i, j),
        f"{name} does not move with {other} as one rigid body within the stated bounds. Lock a "
        "hinge of the payload, if it has one; check that both hold it firmly, their frames, their "
        "clocks and the bounds.",
    )  # fmt: skip


def _whose(e: Evidence, i: int, j: int) -> tuple[str, ...]:
    """Return whose fault it may be that robot i does not move with robot j: of two, either's."""
    return (e.names[i],) if len(e.names) > 2 else tuple(e.names[k] for k in sorted((i, j)))
