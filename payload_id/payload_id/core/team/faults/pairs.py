"""What two robots' motions say of each other: whether they may be of one body, and how not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Array, BoolArray
from ..blocks import Blocks
from ..closed_form.pair_equations import FrameBounds
from ..closed_form.pairwise import kabsch_umeyama
from ..grasp_frames import FrameWeights, GraspFrames
from ..kinematic_bounds.frame_bounds import frame_bounds
from ..refine import begun, pose_misfit, refine
from ..rows import DEVIATIONS
from .evidence import LEAST_BLOCKS, LEAST_TURN, Evidence

EARLY = 0.35  # part of the blocks that a slip is measured from
SEEN, SMALL = 2.0, 0.01  # [-, rad] times errors of orientations, or more, by which poses may miss
SETTLING = 0.5  # [s] that a slip may take
LATER = 0.6  # part of what follows that must be off, too
LOCKED = 0.15  # of another robot's angular velocity about an axis, below which it is locked
CLOCK_ERROR = 2e-3  # [s] of a clock's estimate, beside six deviations
ROUNDING = 1e-9  # of angular velocities [rad/s]
MIRROR = np.diag([1.0, -1.0, 1.0])  # any one whose plane is vertical: others differ by a yaw


def agree(e: Evidence, j: int, i: int) -> bool:
    """Tell whether two robots may move as one body."""
    both, frames = _pair(e, j, i)
    clock = e.rows.bounds[j].clock + e.rows.bounds[i].clock
    found = _frame_between(e, j, i, both, frames, (-clock, clock))
    return found is not None and found.consistent


def contradict(e: Evidence, j: int, i: int) -> bool:
    """Tell whether two robots' motions exclude that both are of one body."""
    return bool(e.blocks.present[[j, i]].all(axis=0).sum() >= LEAST_BLOCKS) and not agree(e, j, i)


def until(e: Evidence, end: float) -> Evidence:
    """Return what is known of motions before some time [s]."""
    return replace(e, blocks=e.blocks.take(np.flatnonzero(e.blocks.time < end)))


def differs(e: Evidence, i: int) -> bool:
    """Tell whether no rotation takes robot i's angular velocities to the first one's.

    The best one leaves no more than the true one, and that no more than the stated errors.
    """
    both = e.blocks.present[0] & e.blocks.present[i]
    if both.sum() <= LEAST_BLOCKS:
        return False
    fit = kabsch_umeyama(e.blocks.twist[0][both, :3], e.blocks.twist[i][both, :3])
    spread = _spread(e, 0, both) + _spread(e, i, both)
    return fit.residual > float(np.sqrt((spread**2).mean()))


def are_mirrored(e: Evidence, i: int, j: int) -> bool:
    """Tell whether robot i moves with robot j as one body if its data are mirror images.

    Angular velocities may have been mirrored as the axial vectors they are, or like others.
    """
    for sign in (-1.0, 1.0):
        twist, rate = e.blocks.twist.copy(), e.blocks.rate.copy()
        rotation, mean = e.blocks.rotation.copy(), e.blocks.mean_rotation.copy()
        position = e.blocks.position.copy()
        rotation[i], mean[i] = MIRROR @ rotation[i] @ MIRROR, MIRROR @ mean[i] @ MIRROR
        position[i] = position[i] @ MIRROR
        for values in (twist, rate):
            values[i] = np.hstack([sign * values[i][:, :3] @ MIRROR, values[i][:, 3:] @ MIRROR])
        blocks = replace(
            e.blocks, twist=twist, rate=rate, rotation=rotation, mean_rotation=mean,
            position=position,
        )  # fmt: skip
        told = replace(e, blocks=blocks)
        both, frames = _pair(told, j, i)
        clock = e.rows.bounds[j].clock + e.rows.bounds[i].clock
        found = _frame_between(told, j, i, both, frames, (-clock, clock))
        if found is not None and found.consistent and found.known:
            return True
    return False


def clock_offset(e: Evidence, i: int, j: int) -> float | None:
    """Return robot i's clock less robot j's, if that is clearly more than stated [s]."""
    _, frames = _pair(e, j, i)
    late, one, two = float(frames.clock[1]), e.rows.bounds[j], e.rows.bounds[i]
    spread = DEVIATIONS * float(np.sqrt(max(frames.covariance[1, 12, 12], 0.0)))
    stated = one.clock + two.clock + one.jitter + two.jitter
    return late if abs(late) > stated + spread + CLOCK_ERROR else None


def missing_turns(e: Evidence, i: int, j: int) -> BoolArray:
    """Return about which of three axes robot i hardly turns while robot j does."""
    both = e.blocks.present[i] & e.blocks.present[j]
    if both.sum() < LEAST_BLOCKS:
        return np.zeros(3, dtype=bool)
    own, other = (
        np.linalg.eigvalsh(omega.T @ omega / len(omega))
        for omega in (e.blocks.twist[k][both, :3] for k in (i, j))
    )
    # errors of both do not make one look so: (w - sqrt(3) b) > LOCKED (w + sqrt(3) b)
    most = max(e.rows.bounds[k].angular_velocity for k in (i, j))
    noise = 2.0 * np.sqrt(3.0) / (1.0 - LOCKED) * most
    least = max(noise**2, LEAST_TURN**2 / 3.0)
    return np.asarray((own < LOCKED**2 * other) & (other > least))


def slipped_since(e: Evidence, i: int, j: int) -> float | None:
    """Return since when robots i and j hold one body otherwise than before; None: they do not so.

    Both are of one body after it, and no more than a slip's time of them was not before.
    """
    begin = _elsewhere_since(e, i, j)
    if begin is not None and _are_rigid_after(e, i, j, begin):
        return begin
    time, before, since = e.blocks.time, 0, len(e.blocks) // 2
    if agree(e, j, i) or not _are_rigid_after(e, i, j, float(time[since])):
        return None
    while since - before > 1:  # what is one body after a time is one after every later one
        middle = (before + since) // 2
        rigid = _are_rigid_after(e, i, j, float(time[middle]))
        before, since = (before, middle) if rigid else (middle, since)
    return float(time[since])


def _are_rigid_after(e: Evidence, i: int, j: int, since: float) -> bool:
    """Tell whether robots j and i move as one body from some time on, as their poses show, too.

    Where clocks may be far off, bounds alone let another motion pass for that of one body.
    """
    later = np.flatnonzero(e.blocks.time > since + SETTLING)
    e = replace(e, blocks=e.blocks.take(later))
    both, frames = _pair(e, j, i)
    clock = e.rows.bounds[j].clock + e.rows.bounds[i].clock
    found = _frame_between(e, j, i, both, frames, (-clock, clock))
    if found is None or not found.consistent:
        return False
    turned, _ = pose_misfit(both, frames, 1)
    most = SEEN * (e.rows.bounds[j].orientation + e.rows.bounds[i].orientation)
    return float(np.sqrt((turned**2).mean())) <= max(most, SMALL)


def _elsewhere_since(e: Evidence, i: int, j: int) -> float | None:
    """Return since when robot i is elsewhere in the body than in a first part of the data."""
    both, frames = _pair(e, j, i, EARLY)
    if not frames.known[1] or EARLY * len(both) < LEAST_BLOCKS:
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


def _frame_between(
    e: Evidence, j: int, i: int, both: Blocks, frames: GraspFrames, clock: tuple[float, float]
) -> FrameBounds | None:
    """Return the bounds on robot i's frame in robot j's, of both alone; None without an estimate.

    Args:
        e: What is known.
        j: Number of one robot.
        i: Of the other.
        both: Their blocks.
        frames: Their estimates.
        clock: Least and largest offset of i's clock [s].
    """
    if not frames.known[1]:
        return None
    one, two = e.rows.bounds[j], e.rows.bounds[i]
    return frame_bounds(both, 1, frames, one, two, e.reach, clock)


def _spread(e: Evidence, i: int, here: Array) -> Array:
    """Return how far a robot's angular velocity may be off in some blocks [rad/s]."""
    b, blocks = e.rows.bounds[i], e.blocks.take(np.flatnonzero(here))
    pace = np.pad(blocks.pace[i][:, 2], 1, mode="edge")
    pace = np.maximum(np.maximum(pace[:-2], pace[1:-1]), pace[2:])
    off = np.abs(e.rows.frames.clock[i] - blocks.shift[i])  # as in the rows
    late = e.rows.frame_bounds[i].clock + off + b.jitter
    size = blocks.gain[i] * b.angular_velocity + blocks.left_out[i][:, 2]
    return np.asarray(np.sqrt(3.0) * size + late * pace + ROUNDING)
