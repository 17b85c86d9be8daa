"""What contradicts one rigid body in the robots' motions, and who is to blame."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Array
from ...body.inertial import skews
from ..blocks import Blocks
from ..closed_form.hinge import Hinge, hinge
from ..closed_form.pairwise import kabsch_umeyama
from ..estimate import Fault, Finding
from ..grasp_frames import FrameWeights, GraspFrames
from ..kinematic_bounds.frame_bounds import frame_bounds
from ..refine import begun, pose_misfit, refine
from .evidence import LEAST_TURN, Evidence, turning

LOCKED = 0.15  # of the other robots' angular velocity about an axis, below which it is locked
# Times the bound of an angular velocity: beyond it errors of two robots, one against the other, do
# not make one look locked: (w - sqrt(3) b) > LOCKED (w + sqrt(3) b).
SURELY = 2.0 * np.sqrt(3.0) / (1.0 - LOCKED)
MUCH_BETTER = 0.3  # of a residual, from which on another explanation is taken
EARLY = 0.35  # part of the blocks that a slip is measured from
SETTLING = 0.5  # [s] that a slip may take
LATER = 0.6  # part of what follows that must be off, too
CLOCK_DEVIATIONS, CLOCK_SLACK = 6.0, 2e-3  # [-, s] beyond what is stated
CLEARLY = 0.5  # of a misfit, below which a robot is on one part of a payload rather than another
CLOCKS = 21  # offsets of a clock that are tried
ANOTHER_UNIT = 2.0  # times as fast, from which on a unit is false rather than a motion
LARGEST_UNIT = 1e4  # likewise, from which on one of both stands still
ROUNDING = 1e-9  # of angular velocities [rad/s]
NOTHING = 0.02  # of the total force that counts as none


def of_motions(e: Evidence) -> tuple[list[Finding], bool]:
    """Return what speaks against one rigid body in the robots' motions; whether it excludes it."""
    N = len(e.names)
    most = max(turning(e.blocks), default=0.0)
    if most < LEAST_TURN:
        return [], False
    out = []
    suspects = []
    consistent = [bounds.consistent for bounds in e.rows.frame_bounds]
    certain = any(_differs(e, i) for i in range(1, N))
    for i in range(N):
        if locked := _locked(e, i):
            out.append(locked)
        elif (late := _late(e, i)) and _slipped(e, i, 0) is None:
            certain = True
            out.append(late)
        elif i and (not consistent[i] or _unlike(e, i)):
            suspects.append(i)
    if out:
        return _reference_late(e, out) or out, certain
    certain |= not all(consistent[i] for i in suspects)
    suspects = _reference_instead(e, suspects)
    first = 1 if suspects == [0] else 0
    named = [_named(e, i, first) for i in suspects]
    if len(named) == 1 and named[0].fault in (Fault.SLIPS, Fault.UNKNOWN):
        named = [_either(e, suspects[0], first) or named[0]]
    return named + _sides(e, named, first), certain


def _reference_instead(e: Evidence, suspects: list[int]) -> list[int]:
    """Return whom to suspect: the first robot where all others move as one body without it."""
    N = len(e.names)
    if not suspects or N < 3:
        return suspects
    doubtful = [i for i in range(1, N) if i in suspects or _mirrored(e, i, 0)]
    if len(doubtful) == N - 1 and _agree(e, 1, 2):
        return [0]
    together = len(suspects) > 1 and all(_agree(e, 1, i) for i in range(2, N))
    return [0] if together else suspects


def _either(e: Evidence, i: int, j: int) -> Finding | None:
    """Return who of robots i and j slips, or that it is either; None: robot i.

    They do not move as one body, but all others may move with both within the stated bounds. The
    slip is that of the one who is elsewhere than before for them, too.
    """
    others = [k for k in range(len(e.names)) if k not in (i, j)]
    if not others or any(_slipped(e, i, k) is not None for k in others):
        return None
    if any(_slipped(e, j, k) is not None for k in others):
        return _named(e, j, others[0])
    if not all(_agree(e, k, i) for k in others):
        return None
    return Finding(
        Fault.UNKNOWN, (e.names[i], e.names[j]),
        f"{e.names[i]} and {e.names[j]} do not move as one rigid body, but each does with "
        f"{', '.join(e.names[k] for k in others)} within the stated bounds: one of both slips, let "
        "go, or states false bounds; which one shows with more motion.",
    )  # fmt: skip


def _reference_late(e: Evidence, found: list[Finding]) -> list[Finding]:
    """Return that the first robot's clock is off, if those of all others are off by the same."""
    N = len(e.names)
    if N < 3 or len(found) < N - 1 or any(f.fault is not Fault.CLOCK for f in found):
        return []
    late, bounds = e.rows.frames.clock[1:], e.rows.bounds
    if np.ptp(late) > 2.0 * max(b.clock for b in bounds) + CLOCK_SLACK:
        return []
    return [_clock_off(e, 0, -float(late.mean()), max(b.clock for b in bounds[1:]), "the others")]


def _clock_off(e: Evidence, i: int, late: float, bound: float, against: str) -> Finding:
    """Return that robot i's clock is off by more than is stated [s]."""
    return Finding(
        Fault.CLOCK, (e.names[i],),
        f"The clock of {e.names[i]} is {1e3 * late:.0f} ms off that of {against}; "
        f"{1e3 * bound:.0f} ms are stated. State more, or set the clock.",
    )  # fmt: skip


def _sides(e: Evidence, named: list[Finding], first: int) -> list[Finding]:
    """Return on which side of a hinge the robots are of which nothing is proved.

    Robots whose clocks are hardly known may move with either part within the stated bounds. What
    fits much better with the part that turns is on it; what fits both alike makes doubt.
    """
    turning = [f for f in named if f.fault is Fault.ARTICULATED]
    if not turning:
        return []
    second = e.names.index(turning[0].robots[0])
    about = {name for finding in named for name in finding.robots}
    found = []
    for k, name in enumerate(e.names):
        if k in (first, second) or name in about:
            continue
        near, far = (_misfit(e, j, k) for j in (first, second))
        if near < CLEARLY * far:
            continue
        other = _named(e, k, first) if far < CLEARLY * near else None
        if other is None or other.fault is not Fault.ARTICULATED:
            other = Finding(
                Fault.UNKNOWN, (name,),
                f"On which part of the payload {name} is cannot be told: it moves with either "
                "within the stated bounds. Turn the hinge more, or know the clocks better.",
            )  # fmt: skip
        found.append(other)
    return found


def _misfit(e: Evidence, j: int, i: int) -> float:
    """Return what the best rotation and clock leave of two robots' angular velocities [rad/s]."""
    both = e.blocks.present[j] & e.blocks.present[i]
    if both.sum() <= 10:
        return np.inf
    one, two = e.blocks.twist[j][both, :3], e.blocks.twist[i][both, :3]
    rate = e.blocks.rate[i][both, :3]
    most = e.rows.bounds[j].clock + e.rows.bounds[i].clock
    late = np.linspace(-most, most, CLOCKS) if most else np.zeros(1)
    return min(kabsch_umeyama(one, two + d * rate).residual for d in late)


def _unlike(e: Evidence, i: int) -> bool:
    """Tell whether a robot that turns goes with none, or as a mirror image of the first."""
    if e.blocks.present[i].sum() <= 10 or e.rows.frame_bounds[i].known:
        return False
    noise = 2.0 * max(e.rows.bounds[j].angular_velocity for j in (0, i))
    if turning(e.blocks)[i] < max(LEAST_TURN, noise):
        return False
    return _differs(e, i) or (bool(e.rows.frames.known[i]) and _mirrored(e, i, 0))


def _differs(e: Evidence, i: int) -> bool:
    """Tell whether no rotation takes robot i's angular velocities to the first one's.

    The best one leaves no more than the true one, and that no more than the stated errors.
    """
    both = e.blocks.present[0] & e.blocks.present[i]
    if both.sum() <= 10:
        return False
    fit = kabsch_umeyama(e.blocks.twist[0][both, :3], e.blocks.twist[i][both, :3])
    return fit.residual > _root_mean_square(_spread(e, 0, both) + _spread(e, i, both))


def _spread(e: Evidence, i: int, here: Array) -> Array:
    """Return how far a robot's angular velocity may be off in some blocks [rad/s]."""
    b, blocks = e.rows.bounds[i], e.blocks.take(np.flatnonzero(here))
    pace = np.pad(blocks.pace[i][:, 2], 1, mode="edge")
    pace = np.maximum(np.maximum(pace[:-2], pace[1:-1]), pace[2:])
    off = np.abs(e.rows.frames.clock[i] - blocks.shift[i])  # as in the rows
    late = e.rows.frame_bounds[i].clock + off + b.jitter
    size = blocks.gain[i] * b.angular_velocity + blocks.left_out[i][:, 2]
    return np.asarray(np.sqrt(3.0) * size + late * pace + ROUNDING)


def _root_mean_square(values: Array) -> float:
    """Return the root of the mean square."""
    return float(np.sqrt((values**2).mean()))


def _locked(e: Evidence, i: int) -> Finding | None:
    """Return that a robot's gimbal does not turn, or not about one axis, as others do."""
    here = e.blocks.present[i]
    if here.sum() < 10:
        return None
    weak, others = np.zeros(3), 0
    for j in range(len(e.names)):
        both = e.blocks.present[j] & here
        if j == i or both.sum() <= 10 or _times_as_fast(e, i, j) is not None:
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


def _pair(e: Evidence, j: int, i: int, part: float = 1.0) -> tuple[Blocks, GraspFrames]:
    """Return the blocks of two robots alone, and their frames fitted to the first part of them."""
    both = e.blocks.of_robots([j, i])
    both = both.take(np.flatnonzero(both.present.all(axis=0)))
    some = both.take(slice(0, max(3, int(part * len(both)))))
    bounds = [e.rows.bounds[j], e.rows.bounds[i]]
    level = bounds[0].tilt + bounds[1].tilt < 0.05
    frames, _ = begun(some, GraspFrames.unknown(2), 1, bounds[1].clock, level)
    weights = FrameWeights(
        np.ones((4, 2)), np.array([b.tilt for b in bounds]),
        np.array([0.0, bounds[1].clock + bounds[0].clock]) / np.sqrt(3.0), e.reach,
    )  # fmt: skip
    return both, refine(some, frames, weights)


def _agree(e: Evidence, j: int, i: int) -> bool:
    """Tell whether two robots move as one body."""
    both, frames = _pair(e, j, i)
    if not frames.known[1]:
        return False
    one, two = e.rows.bounds[j], e.rows.bounds[i]
    clock = one.clock + two.clock
    return frame_bounds(both, 1, frames, one, two, e.reach, (-clock, clock)).consistent


def _named(e: Evidence, i: int, j: int) -> Finding:
    """Return why robot i does not move with robot j as one body."""
    name, other = e.names[i], e.names[j]
    if _mirrored(e, i, j):
        return Finding(
            Fault.MIRRORED, (name,),
            f"The frame of {name} is left-handed against that of {other}: its vectors fit as their "
            "mirror image. Change the sign of one axis.",
        )  # fmt: skip
    if (times := _times_as_fast(e, i, j)) is not None:
        return Finding(
            Fault.UNKNOWN, (name,),
            f"The angular velocities of {name} are {times:.3g} times those of {other}, and fit but "
            "for that: check their unit, which is rad/s.",
        )  # fmt: skip
    since = _slipped(e, i, j)
    gone = since is not None and _without_force(e, i, since)
    slips = since is not None and (gone or _is_rigid_after(e, i, j, since))
    turned = None if slips else _hinge(e, i, j)
    if since is not None and turned is None:
        what = "let go of the payload" if gone else "slips on the payload, or let go of it,"
        return Finding(
            Fault.SLIPS, (name,),
            f"{name} {what} at {since:.1f} s of team time: since then it does not move with "
            f"{other} as before. Hold it again and reset the estimator, or say that it left.",
            since,
        )  # fmt: skip
    if turned is not None:
        axis = turned.axis if j == 0 else e.rows.frames.rotation[j] @ turned.axis
        return articulated(name, other, turned.angle, axis)
    return Finding(
        Fault.UNKNOWN, (name,),
        f"{name} does not move with {other} as one rigid body within the stated bounds. Check that "
        "both hold the payload, their frames, their clocks and the bounds.",
    )  # fmt: skip


def articulated(name: str, other: str, angle: float, axis: Array) -> Finding:
    """Return that two robots hold two parts on a hinge.

    Args:
        name: One robot's name.
        other: The other one's.
        angle: Half the range of the angle between the parts [rad].
        axis: In the first robot's grasp frame, shape (3,).
    """
    return Finding(
        Fault.ARTICULATED, (name,),
        f"The payload is not rigid, but articulated: the part that {name} holds turns against "
        f"the part that {other} holds, by up to {np.degrees(angle):.1f} degrees about "
        f"one axis, ({axis[0]:.2f}, {axis[1]:.2f}, {axis[2]:.2f}) in the first grasp frame. "
        "Lock the hinge, or use what 'hinged' tells of both bodies.",
        axis=axis,
    )  # fmt: skip


def _mirrored(e: Evidence, i: int, j: int) -> bool:
    """Tell whether vectors of robot i fit those of j much better as their mirror image."""
    both = e.blocks.present[i] & e.blocks.present[j]
    if both.sum() < 10:
        return False
    one, two = e.blocks.twist[j][both], e.blocks.twist[i][both]
    fit = kabsch_umeyama(one[:, :3], two[:, :3])
    if fit.mirror_residual < MUCH_BETTER * fit.residual:
        return True
    # axial vectors may look right where polar ones do not: v = X v_i - omega x p, X -> -X
    left = []
    for sign in (1.0, -1.0):
        v = sign * two[:, 3:] @ fit.rotation.T
        S = -skews(one[:, :3]).reshape(-1, 3)
        y = (one[:, 3:] - v).ravel()
        p, *_ = np.linalg.lstsq(-S, y, rcond=1e-9)
        left.append(float(((y + S @ p) ** 2).sum()))
    return left[1] < MUCH_BETTER**2 * left[0]


def _times_as_fast(e: Evidence, i: int, j: int) -> float | None:
    """Return by what factor a robot's angular velocities differ, if they fit with it alone."""
    both = e.blocks.present[i] & e.blocks.present[j]
    if both.sum() < 10:
        return None
    one, two = e.blocks.twist[j][both, :3], e.blocks.twist[i][both, :3]
    times = float(np.linalg.norm(two)) / max(float(np.linalg.norm(one)), ROUNDING)
    if 1.0 / ANOTHER_UNIT < times < ANOTHER_UNIT or not 1.0 / LARGEST_UNIT < times < LARGEST_UNIT:
        return None
    fit = kabsch_umeyama(one, two / times)
    left = fit.residual / max(_root_mean_square(np.linalg.norm(one, axis=1)), ROUNDING)
    return times if left < MUCH_BETTER else None


def _hinge(e: Evidence, i: int, j: int) -> Hinge | None:
    """Return the hinge between what robots j and i hold; None if none explains their motion."""
    both, _ = _pair(e, j, i)
    noise = (e.rows.bounds[j].angular_velocity + e.rows.bounds[i].angular_velocity) / 6.0
    return hinge(both.time, both.twist[:, :, :3], both.rotation[:, :, 2], noise)


def _is_rigid_after(e: Evidence, i: int, j: int, since: float) -> bool:
    """Tell whether robots j and i move as one body from some time on [s]."""
    later = e.blocks.time > since + SETTLING
    blocks = e.blocks.take(np.flatnonzero(later))
    return _agree(replace(e, blocks=blocks), j, i)


def _slipped(e: Evidence, i: int, j: int) -> float | None:
    """Return since when robot i is elsewhere in the body than in the first part of the data."""
    both, frames = _pair(e, j, i, EARLY)
    if not frames.known[1] or len(both) < 30:
        return None
    turned, moved = pose_misfit(both, frames, 1)
    one, two = e.rows.bounds[j], e.rows.bounds[i]
    first = slice(0, int(EARLY * len(both)))
    far = float(np.linalg.norm(frames.position[1]))
    for off, bound in (
        (turned, one.orientation + two.orientation),
        (moved, one.position + two.position + far * (one.orientation + two.orientation)),
    ):
        limit = 4.0 * float(np.sqrt((off[first] ** 2).mean())) + 2.0 * bound
        above = off > limit
        if not above.any():
            continue
        begin = int(above.argmax())
        if begin >= first.stop // 2 and above[begin:].mean() > LATER:
            return float(both.time[begin])
    return None


def _without_force(e: Evidence, i: int, since: float) -> bool:
    """Tell whether a robot exerts hardly any force since a time."""
    after = e.windows.start > since
    if not after.any():
        return False
    size = np.linalg.norm(e.windows.wrench[:, after, :3], axis=2).mean(axis=1)
    return bool(size[i] < NOTHING * size.sum())
