r"""Whose poses do not change as its own twists say.

Neither grasp nor payload, clock or force has a part in it: whatever else is known, this robot's
poses or twists are false. Between the blocks before and after one, 2 h apart,

    log(R(t - h)' R(t + h)) / (2 h) = omega(t) + O(h^2),
    (p(t + h) - p(t - h)) / (2 h) = R(t) v(t) + O(h^2),

with what is left out from the second derivatives of both. Those are of the twists, which see more
of fast motions than attitudes do: so a unit that makes twists much larger excuses itself. But then
they are as many times as large as what attitudes show over 2 h and over h, and that no motion does:
one so fast that attitudes hardly show it is shown over h much better. Attitudes or positions that
are the same to all their digits while twists tell of motion need no such remainder: their source
stands still.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from ...arrays import Array, BoolArray, IntArray
from ..blocks import SPACING, Blocks
from ..estimate import Fault, Finding
from ..kinematic_bounds.frame_bounds import motion_of
from .evidence import LEAST_TURN, Evidence

SPAN = 2.0 * SPACING  # [s]
REMAINDER = 0.1 * SPAN**2  # [s2] of what is left out, twice what smooth motions make of it
MARGIN = 2.0  # times all that is stated and left out, from which on a block contradicts
PART = 0.2  # of the blocks that contradict, from which on it is no accident
LEAST_BLOCKS = 10
SAME, SAME_ANGLE = 1e-9, 1e-6  # [rad/s or m/s], [rad] as which rounding shows what is the same
ALIKE = 0.3  # part of angular velocities by which they miss, where a unit explains them
OTHER = 1.5  # times as fast, from which on one is to be looked for
UNITS = (180.0 / np.pi, 30.0 / np.pi, 0.5 / np.pi)  # deg/s, rpm, turns a second of a rad/s
NEAR = 0.2  # part of such a factor by which what is seen may be off it


def of_own_twists(e: Evidence) -> list[Finding]:
    """Return whose poses contradict its own twists."""
    every = (_contradicting(e, i) or _in_another_unit(e, i) for i in range(len(e.names)))
    return [found for found in every if found]


def _in_another_unit(e: Evidence, i: int) -> Finding | None:
    """Return that robot i's attitudes show angular velocities in another unit than rad/s."""
    k = _inner(e.blocks, i)
    if len(k) < LEAST_BLOCKS:
        return None
    R, told = e.blocks.rotation[i], e.blocks.twist[i][:, :3]
    spans = (_shown(R, k - 1, k + 1), told[k]), (_shown(R, k, k + 1), (told[k] + told[k + 1]) / 2)
    for (shown, turn), about in spans:
        times, left = _times_as_fast(shown[turn], about[turn])
        near = any(abs(times / unit - 1.0) < NEAR for unit in UNITS)
        if not near or left > ALIKE or np.sqrt((shown**2).sum(axis=1).mean()) < LEAST_TURN:
            return None
    return Finding(Fault.UNKNOWN, (e.names[i],), _of_turning(e.names[i], spans[0][0][0], told[k]))


def _inner(blocks: Blocks, i: int) -> IntArray:
    """Return the numbers of robot i's blocks between two others."""
    here, time = blocks.present[i], blocks.time
    inner = here[:-2] & here[1:-1] & here[2:] & (time[2:] - time[:-2] < 1.05 * SPAN)
    return np.flatnonzero(inner) + 1


def _shown(R: Array, begin: IntArray, end: IntArray) -> tuple[Array, BoolArray]:
    """Return the angular velocities that attitudes show between blocks, and where they do."""
    between = R[begin].swapaxes(1, 2) @ R[end]
    turn = np.linalg.det(between) > 0.0  # the mean of attitudes at random may be none
    between[~turn] = np.eye(3)
    span = SPACING * (end - begin)[:, None]
    return Rotation.from_matrix(between).as_rotvec() / span, turn


def _contradicting(e: Evidence, i: int) -> Finding | None:
    """Return that robot i's poses do not go with its twists."""
    k = _inner(e.blocks, i)
    if len(k) < LEAST_BLOCKS:
        return None
    every = motion_of(e.blocks, i, np.arange(len(e.blocks)), e.rows.bounds[i])
    (shown, turn), told = _shown(every.R, k - 1, k + 1), every.V[k, :3]
    (omega, v), (alpha, a) = every.fastest[k].T, every.steepest[k].T
    error = np.sqrt(3.0) * (every.e_R[k - 1] + every.e_R[k + 1]) / SPAN + every.unsure[k, 0]
    turned = _turned_within(every.R[k], every.mean_R[k])
    same = (np.abs(shown).max(axis=1) < SAME) & (turned < SAME_ANGLE)
    still = _contradicting_stretch(same, told, error)
    if still is not None:
        return _of_standing_still(e.names[i], "attitudes", e.blocks.time[k[still] + [-1, 1]])
    error += REMAINDER * (every.bend[k, 0] + omega * (alpha + omega**2))
    off = ~turn | (np.linalg.norm(shown - told, axis=1) > MARGIN * error)
    if _is_no_accident(off):
        return Finding(Fault.UNKNOWN, (e.names[i],), _of_turning(e.names[i], shown, told))
    moved = (every.x[k + 1] - every.x[k - 1]) / SPAN
    velocity = np.einsum("bij,bj->bi", every.mean_R[k], every.V[k, 3:])
    error = np.sqrt(3.0) * (every.e_x[k - 1] + every.e_x[k + 1]) / SPAN + every.unsure[k, 1]
    error += np.sqrt(3.0) * every.e_R[k] * v
    same = np.abs(moved).max(axis=1) < SAME
    vibrating = turned * e.blocks.pace[i][k, 1]  # R and v together, of which means know nothing
    still = _contradicting_stretch(same, velocity, error + vibrating)
    if still is not None:
        return _of_standing_still(e.names[i], "positions", e.blocks.time[k[still] + [-1, 1]])
    error += REMAINDER * (every.bend[k, 1] + omega * (2.0 * a + omega * v) + alpha * v)
    if not _is_no_accident(np.linalg.norm(moved - velocity, axis=1) > MARGIN * error):
        return None
    return Finding(
        Fault.UNKNOWN, (e.names[i],),
        f"The positions of {e.names[i]} do not change as its own velocities say. Check units (m "
        "and m/s), that positions are in the robot's own frame, and velocities in the grasp frame.",
    )  # fmt: skip


def _is_no_accident(off: BoolArray) -> bool:
    """Tell whether enough blocks contradict."""
    return bool(np.count_nonzero(off) >= max(LEAST_BLOCKS, PART * len(off)))


def _turned_within(R: Array, mean: Array) -> Array:
    """Return the root mean square of angles about the mean attitude within blocks, (n,) [rad]."""
    return np.asarray(np.sqrt(np.maximum(3.0 - np.einsum("bij,bij->b", R, mean), 0.0)))


def _contradicting_stretch(same: BoolArray, told: Array, error: Array) -> IntArray | None:
    """Return the longest stretch in which poses are the same, though twists tell of motion.

    Args:
        same: Where attitudes or positions are, shape (n,).
        told: Velocity by twists, shape (n, 3).
        error: Of what is told and shown, shape (n,).

    Returns:
        Its first and last number; None: there is none in which enough blocks contradict.
    """
    edges = np.flatnonzero(np.diff(same, prepend=False, append=False))
    if not len(edges):
        return None
    begin, end = max(edges.reshape(-1, 2), key=np.ptp)
    off = np.linalg.norm(told[begin:end], axis=1) > MARGIN * error[begin:end]
    return np.array([begin, end - 1]) if np.count_nonzero(off) >= LEAST_BLOCKS else None


def _of_standing_still(name: str, which: str, times: Array) -> Finding:
    """Return that a robot's attitudes or positions stand still while it moves."""
    begin, end = times
    return Finding(
        Fault.UNKNOWN, (name,),
        f"The {which} of {name} are the same from {begin:.2f} to {end:.2f} s of team time, while "
        f"its own velocities say that it moves. Its {which} stand still: check their source.",
    )  # fmt: skip


def _times_as_fast(shown: Array, told: Array) -> tuple[float, float]:
    """Return how many times what attitudes show twists tell, and the part that this leaves."""
    times = float((told * shown).sum() / max((shown**2).sum(), 1e-300))
    left = np.linalg.norm(told - times * shown) / max(float(np.linalg.norm(told)), 1e-300)
    return times, float(left)


def _of_turning(name: str, shown: Array, told: Array) -> str:
    """Say what is false of attitudes and angular velocities, as far as it can be seen.

    Args:
        name: Of the robot.
        shown: Angular velocities that attitudes show, shape (n, 3) [rad/s].
        told: Those that twists tell, shape (n, 3) [rad/s].
    """
    sizes = [np.sqrt((w**2).sum(axis=1).mean()) for w in (shown, told)]
    if min(sizes) < LEAST_TURN < max(sizes):
        which = "attitudes" if sizes[0] < sizes[1] else "angular velocities"
        what = f"Its {which} stand still: check their source."
    else:
        times, left = _times_as_fast(shown, told)
        other = times > OTHER or 0.0 < times < 1.0 / OTHER
        what = (
            f"Those are {times:.3g} times what attitudes show: check their unit, which is rad/s."
            if left < ALIKE and other
            else "Check the order of quaternions (x, y, z, w), that attitudes are those of the "
            "grasp frame in the robot's own, that angular velocities are in the grasp frame, and "
            "that nothing vibrates faster than it is sampled."
        )
    return f"The attitudes of {name} do not change as its own angular velocities say. {what}"
