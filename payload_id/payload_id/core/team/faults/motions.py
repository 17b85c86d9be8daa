"""What contradicts one rigid body in the robots' motions, and whose data explain it.

Named are the fewest robots without which all others move as one body, where only these are so few.
What is wrong with one is the first entry of `HYPOTHESES` under which it moves with the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import chain, combinations

import numpy as np

from ...arrays import Array
from ..blocks import Blocks
from ..estimate import Fault, Finding
from ..pair import ClockBounds, Pair
from ..samples import RobotSamples
from .evidence import Evidence
from .forces import within_errors
from .own_twists import of_own_twists

MIRROR = np.diag([1.0, -1.0, 1.0])  # any one whose plane is vertical: others differ by a yaw
LOCKED = 0.15  # of another robot's angular velocity about an axis, below which it is locked
SETTLING = 0.5  # [s] that a slip may take


Change = Callable[[RobotSamples], RobotSamples]


def of_motions(e: Evidence) -> list[Finding]:
    """Return what speaks against one rigid body in the robots' motions."""
    if false := of_own_twists(e):
        return _mirrored_rather(e, false)
    if all(frame.consistent for frame in e.source.frame_bounds):
        return []
    apart = [p for p in combinations(range(len(e.names)), 2) if _are_apart(e, *p)]
    if named := _fewest(apart, len(e.names)):
        other = min(set(range(len(e.names))) - set(named))
        return [_why(e, i, other) for i in named]
    robots = tuple(e.names[k] for k in sorted(set(chain.from_iterable(apart))))
    return [
        Finding(
            Fault.UNKNOWN, robots,
            f"{' and '.join(robots)} do not move as one rigid body, and data do not tell whose "
            "fault it is: one slips, let go, has a clock that leapt, or states false bounds. Lock "
            "a hinge of the payload, if it has one; which one it is shows with more motion.",
        )
    ]  # fmt: skip


def pair_of(e: Evidence, one: int, two: int, changed: Change = lambda robot: robot) -> Pair:
    """Return the motions of two robots where both are seen, the second one's samples changed."""
    first, second = e.robots[one], e.robots[two]
    if second is not None:
        second = changed(second)
    (ahead, unsure), (late, more) = (_clock_of(e, i) for i in (one, two))
    shift, offsets = np.array([0.0, late - ahead]), ClockBounds.stated(unsure + more)
    offsets = replace(offsets, middle=offsets.middle + shift[1])
    blocks = Blocks.of([first, second], e.blocks.time, shift, e.step)
    bounds = e.source.bounds[one], replace(e.source.bounds[two], clock=max(np.abs(offsets.ends)))
    return Pair(
        blocks.take(np.flatnonzero(blocks.present.all(axis=0))), (first, second), bounds, offsets,
        e.source.prior.com_max, e.step,
    )  # fmt: skip


def _clock_of(e: Evidence, i: int) -> tuple[float, float]:
    """Return the middle of what a robot's clock may be off, and the most it may be beside [s]."""
    frame = e.source.frame_bounds[i]
    if frame.known and frame.consistent:
        return float(e.source.frames.clock[i]), frame.clock
    return 0.0, e.source.bounds[i].clock


def _are_apart(e: Evidence, i: int, j: int) -> bool:
    """Tell whether robots i < j do not move as one body."""
    if not i:
        return not e.source.frame_bounds[j].consistent
    return not pair_of(e, i, j).is_one_body()


def _fewest(apart: list[tuple[int, int]], N: int) -> tuple[int, ...]:
    """Return the fewest robots that have a part in all pairs; none if others are as few.

    Of two it is the second, as seen from the first.
    """
    for count in range(1, N) if N > 2 else ():
        found = [s for s in combinations(range(N), count) if all(set(s) & set(p) for p in apart)]
        if found:
            return found[0] if len(found) == 1 else ()
    return (1,)


def _why(e: Evidence, i: int, j: int) -> Finding:
    """Return why robot i does not move with robot j as one body."""
    for hypothesis in HYPOTHESES:
        if (found := hypothesis(e, i, j)) is not None:
            return found
    names = _whose(e, i, j)
    return Finding(
        Fault.UNKNOWN, names,
        f"{' and '.join(names)} {'do' if len(names) > 1 else 'does'} not move with the others as "
        "one rigid body within the stated bounds. Lock a hinge of the payload, if it has one; "
        "check that all hold it firmly, their frames, their clocks and the bounds.",
    )  # fmt: skip


def _whose(e: Evidence, i: int, j: int) -> tuple[str, ...]:
    """Return whose fault it may be that robot i does not move with robot j: of two, either's."""
    return (e.names[i],) if len(e.names) > 2 else tuple(e.names[k] for k in sorted((i, j)))


def _mirrored_rather(e: Evidence, false: list[Finding]) -> list[Finding]:
    """Return findings of who contradicts itself; a mirror image, where it is one, says more."""
    named = [e.names.index(finding.robots[0]) for finding in false]
    others = [j for j in range(len(e.names)) if j not in named]
    told = [_mirrored(e, i, others[0]) if others else None for i in named]
    return [mirrored or finding for finding, mirrored in zip(false, told, strict=True)]


def _mirrored(e: Evidence, i: int, j: int) -> Finding | None:
    """Robot i's poses or twists are mirror images."""

    def mirrored(sign: float, robot: RobotSamples) -> RobotSamples:
        omega, v = np.hsplit(robot.twist, 2)
        return replace(
            robot, rotation=MIRROR @ robot.rotation @ MIRROR, position=robot.position @ MIRROR,
            twist=np.hstack([sign * omega @ MIRROR, v @ MIRROR]),
        )  # fmt: skip

    # Angular velocities may have been mirrored as the axial vectors they are, or like others.
    for sign in (-1.0, 1.0):
        pair = pair_of(e, j, i, partial(mirrored, sign))
        frames = pair.frames()
        found = pair.narrowed(frames.position[1]).frame(frames)
        if found.consistent and found.known:
            break
    else:
        return None
    return Finding(
        Fault.MIRRORED, (e.names[i],),
        f"The frame of {e.names[i]} is left-handed against that of {e.names[j]}: its vectors fit "
        "as their mirror image. Change the sign of one axis.",
    )  # fmt: skip


def _locked(e: Evidence, i: int, j: int) -> Finding | None:
    """Robot i does not turn, or not about one axis, as robot j does; of two robots, or j as i."""
    for k, other in ((i, j), (j, i))[: 1 + (len(e.names) == 2)]:
        pair = pair_of(e, k, other)
        own, turns = (np.sqrt(_turning(omega)) for omega in pair.blocks.twist[..., :3])
        error = np.sqrt(3.0) * max(bound.angular_velocity for bound in pair.bounds)
        locked = own + error < LOCKED * (turns - error)
        if locked.any():
            what = "does not turn" if locked.all() else "does not turn about every axis"
            return Finding(
                Fault.GIMBAL_LOCKED, (e.names[k],),
                f"The gimbal of {e.names[k]} {what} as the others do: it is locked, at its end, "
                "its encoders stand still, or the payload is not rigid and its part does not turn. "
                "Free it, or state its orientation by an IMU.",
            )  # fmt: skip
    return None


def _turning(omega: Array) -> Array:
    """Return the mean squares of angular velocities about three axes, ascending, shape (3,)."""
    square = omega.T @ omega / max(len(omega), 1)
    return np.asarray(np.maximum(np.linalg.eigvalsh(square), 0.0))


def _clock(e: Evidence, i: int, j: int) -> Finding | None:
    """Robot i's clock is further off than stated, all of the time or since it leapt."""
    pair, stated = pair_of(e, j, i), e.source.bounds[i].clock + e.source.bounds[j].clock
    since = pair.parts_at()
    for begin, what in (
        (-np.inf, "is {:+.0f} ms off that of {} in the run; more than the {:.0f} ms that are "
                  "stated. State more, or set it"),
        (since, "leapt at {since:.1f} s of team time: its stamps are {:+.0f} ms off those of {} "
                "since then. Let clocks be slewed, not stepped, while a team is measured"),
    ):  # fmt: skip
        late = pair.between(begin, np.inf).offset()
        if abs(late) <= stated + e.source.bounds[i].jitter + e.source.bounds[j].jitter:
            continue
        set_right = pair_of(e, j, i, partial(_set_back, late))
        if set_right.between(begin, np.inf).is_seen_as_one_body():
            said = what.format(1e3 * late, e.names[j], 1e3 * stated, since=since)
            return Finding(
                Fault.CLOCK, (e.names[i],),
                f"The clock of {e.names[i]} {said}, and begin anew.",
                since if np.isfinite(begin) else np.nan,
            )  # fmt: skip
    return None


def _set_back(late: float, robot: RobotSamples) -> RobotSamples:
    """Return samples with earlier stamps [s]."""
    return replace(robot, time=robot.time - late)


def _slipped(e: Evidence, i: int, j: int) -> Finding | None:
    """Robot i let go, or is elsewhere in the body than before since some time."""
    pair, windows = pair_of(e, j, i), e.windows
    since = pair.parts_at()
    later = windows.start > since
    for k in (i, j)[: 1 + (len(e.names) == 2)]:
        if later.any() and within_errors(e)[k][later].all() and not within_errors(e)[k].all():
            return Finding(
                Fault.SLIPS, (e.names[k],),
                f"{e.names[k]} let go of the payload at {since:.1f} s of team time: since then it "
                "does not move with the others as before, and exerts nothing. Hold it again and "
                "reset the estimator, or say that it left.",
                since,
            )  # fmt: skip
    if not pair.between(since + SETTLING, np.inf).is_seen_as_one_body():
        return None
    robots = _whose(e, i, j)
    return Finding(
        Fault.SLIPS, robots,
        f"{' or '.join(robots)} slips on the payload, or let go of it, at {since:.1f} s of team "
        f"time: since then {e.names[i]} does not move with {e.names[j]} as before. Hold it again "
        "and reset the estimator, or say that it left.",
        since,
    )  # fmt: skip


HYPOTHESES: tuple[Callable[[Evidence, int, int], Finding | None], ...] = (
    _mirrored, _locked, _clock, _slipped,
)  # fmt: skip
