"""What two robots' motions say of each other: whether they may be of one body, and how not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Array
from ...body.inertial import skews
from ..blocks import Blocks
from ..closed_form.pairwise import kabsch_umeyama
from ..grasp_frames import FrameWeights, GraspFrames
from ..kinematic_bounds.frame_bounds import frame_bounds
from ..refine import begun, pose_misfit, refine
from .evidence import Evidence

MUCH_BETTER = 0.3  # of a residual, from which on another explanation is taken
ABOUT_TWO = 0.3  # of the turning about one axis, that about another, for both to count
UNEXPLAINED, EXPLAINED = 0.5, 0.15  # parts of velocities: much is left of them, hardly anything
EARLY = 0.35  # part of the blocks that a slip is measured from
EARLIER = 0.15  # likewise, of one that is long ago
LEAST_BLOCKS = 10  # of such a part
SEEN = 2.0  # times the error of orientations, beyond which a turn is seen in them
SMALL = 0.01  # [rad] of a turn that is not looked for in them
SETTLING = 0.5  # [s] that a slip may take
LATER = 0.6  # part of what follows that must be off, too
ANOTHER_UNIT = 2.0  # times as fast, from which on a unit is false rather than a motion
LARGEST_UNIT = 1e4  # likewise, from which on one of both stands still
ROUNDING = 1e-9  # of angular velocities [rad/s]


def agree(e: Evidence, j: int, i: int) -> bool:
    """Tell whether two robots move as one body."""
    return _is_one_body(e, j, i, *_pair(e, j, i))


def _is_one_body(e: Evidence, j: int, i: int, both: Blocks, frames: GraspFrames) -> bool:
    """Tell whether blocks of two robots alone are of one body within all bounds."""
    if not frames.known[1]:
        return False
    one, two = e.rows.bounds[j], e.rows.bounds[i]
    clock = one.clock + two.clock
    return frame_bounds(both, 1, frames, one, two, e.reach, (-clock, clock)).consistent


def contradict(e: Evidence, j: int, i: int) -> bool:
    """Tell whether two robots' motions exclude that both are of one body."""
    return bool(e.blocks.present[[j, i]].all(axis=0).sum() >= LEAST_BLOCKS) and not agree(e, j, i)


def slipped_since(e: Evidence, i: int, j: int) -> float | None:
    """Return since when robots i and j hold one body otherwise than before; None: they do not so.

    They are rigid after it, which few data early in a run or a slow motion do not tell.
    """
    for part in (EARLY, EARLIER):
        begin = _elsewhere_since(e, i, j, part)
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
    if not frames.known[1]:
        return False
    turned, _ = pose_misfit(both, frames, 1)
    most = SEEN * (e.rows.bounds[j].orientation + e.rows.bounds[i].orientation)
    within = _root_mean_square(turned) <= max(most, SMALL)
    return within and _is_one_body(e, j, i, both, frames)


def _elsewhere_since(e: Evidence, i: int, j: int, part: float) -> float | None:
    """Return since when robot i is elsewhere in the body than in a first part of the data."""
    both, frames = _pair(e, j, i, part)
    if not frames.known[1] or part * len(both) < LEAST_BLOCKS:
        return None
    turned, moved = pose_misfit(both, frames, 1)
    one, two = e.rows.bounds[j], e.rows.bounds[i]
    first = slice(0, int(part * len(both)))
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


def differs(e: Evidence, i: int) -> bool:
    """Tell whether no rotation takes robot i's angular velocities to the first one's.

    The best one leaves no more than the true one, and that no more than the stated errors.
    """
    both = e.blocks.present[0] & e.blocks.present[i]
    if both.sum() <= 10:
        return False
    fit = kabsch_umeyama(e.blocks.twist[0][both, :3], e.blocks.twist[i][both, :3])
    return fit.residual > _root_mean_square(_spread(e, 0, both) + _spread(e, i, both))


def are_mirrored(e: Evidence, i: int, j: int) -> bool:
    """Tell whether vectors of robot i fit those of j much better as their mirror image.

    As they are they must leave more than the stated errors, or the mirror image must explain nearly
    all of what they leave much of: noise has no hand.
    """
    both = e.blocks.present[i] & e.blocks.present[j]
    if both.sum() < 10:
        return False
    one, two = e.blocks.twist[j][both], e.blocks.twist[i][both]
    fit = kabsch_umeyama(one[:, :3], two[:, :3])
    spread = _spread(e, i, both) + _spread(e, j, both)
    if fit.mirror_residual < MUCH_BETTER * fit.residual:
        return fit.residual > _root_mean_square(spread)
    turns = np.linalg.svd(one[:, :3], compute_uv=False) / np.sqrt(len(one))
    noise = np.sqrt(3.0) * sum(e.rows.bounds[k].angular_velocity for k in (i, j))
    if turns[1] < max(ABOUT_TWO * turns[0], noise):
        return False  # any half turn about the one axis reverses what is across it
    # axial vectors may look right where polar ones do not: v = X v_i - omega x p, X -> -X
    left, far = [], 0.0
    for sign in (1.0, -1.0):
        v = sign * two[:, 3:] @ fit.rotation.T
        S = -skews(one[:, :3]).reshape(-1, 3)
        y = (one[:, 3:] - v).ravel()
        p, *_ = np.linalg.lstsq(-S, y, rcond=1e-9)
        left.append(float(((y + S @ p) ** 2).sum()))
        far = max(far, float(np.linalg.norm(p)))
    linear = sum(e.rows.bounds[k].linear_velocity for k in (i, j))
    turned = spread / max(_root_mean_square(np.linalg.norm(one[:, :3], axis=1)), ROUNDING)
    own = np.linalg.norm(two[:, 3:], axis=1)
    errors = _root_mean_square(np.sqrt(3.0) * linear + min(far, e.reach) * spread + turned * own)
    whole = float((one[:, 3:] ** 2).sum())
    plain = left[0] > UNEXPLAINED**2 * whole and left[1] < EXPLAINED**2 * whole
    return left[1] < MUCH_BETTER**2 * left[0] and (plain or left[0] > errors**2 * both.sum())


def times_as_fast(e: Evidence, i: int, j: int) -> float | None:
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
