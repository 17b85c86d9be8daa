r"""Whose poses do not change as its own twists say.

Neither grasp nor payload, clock or force has a part in it: whatever else is known, this robot's
poses or twists are false. Between the blocks before and after one, 2 h apart,

    log(R(t - h)' R(t + h)) / (2 h) = omega(t) + O(h^2),
    (p(t + h) - p(t - h)) / (2 h) = R(t) v(t) + O(h^2),

with what is left out from the second derivatives of both.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from ...arrays import Array, BoolArray
from ..blocks import SPACING
from ..estimate import Fault, Finding
from ..kinematic_bounds.frame_bounds import motion_of
from .evidence import LEAST_TURN, Evidence

SPAN = 2.0 * SPACING  # [s]
REMAINDER = 0.1 * SPAN**2  # [s2] of what is left out, twice what smooth motions make of it
MARGIN = 2.0  # times all that is stated and left out, from which on a block contradicts
PART = 0.2  # of the blocks that contradict, from which on it is no accident
LEAST_BLOCKS = 10
ALIKE = 0.1  # part of angular velocities by which they miss, where a unit explains them


def of_own_twists(e: Evidence) -> list[Finding]:
    """Return whose poses contradict its own twists."""
    return [found for i in range(len(e.names)) if (found := _contradicting(e, i))]


def _contradicting(e: Evidence, i: int) -> Finding | None:
    """Return that robot i's poses do not go with its twists."""
    here, time = e.blocks.present[i], e.blocks.time
    inner = here[:-2] & here[1:-1] & here[2:] & (time[2:] - time[:-2] < 1.05 * SPAN)
    k = np.flatnonzero(inner) + 1
    if len(k) < LEAST_BLOCKS:
        return None
    every = motion_of(e.blocks, i, np.arange(len(e.blocks)), e.rows.bounds[i])
    between = every.R[k - 1].swapaxes(1, 2) @ every.R[k + 1]
    turn = np.linalg.det(between) > 0.0  # the mean of attitudes at random may be none
    between[~turn] = np.eye(3)
    shown, told = Rotation.from_matrix(between).as_rotvec() / SPAN, every.V[k, :3]
    (omega, v), (alpha, a) = every.fastest[k].T, every.steepest[k].T
    error = np.sqrt(3.0) * (every.e_R[k - 1] + every.e_R[k + 1]) / SPAN + every.unsure[k, 0]
    error += REMAINDER * (every.bend[k, 0] + omega * (alpha + omega**2))
    off = ~turn | (np.linalg.norm(shown - told, axis=1) > MARGIN * error)
    if _is_no_accident(off):
        return Finding(Fault.UNKNOWN, (e.names[i],), _of_turning(e.names[i], shown, told))
    moved = (every.x[k + 1] - every.x[k - 1]) / SPAN
    velocity = np.einsum("bij,bj->bi", every.mean_R[k], every.V[k, 3:])
    error = np.sqrt(3.0) * (every.e_x[k - 1] + every.e_x[k + 1]) / SPAN + every.unsure[k, 1]
    error += np.sqrt(3.0) * every.e_R[k] * v
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
        times = float((told * shown).sum() / (shown**2).sum())
        left = np.linalg.norm(told - times * shown) / np.linalg.norm(told)
        what = (
            f"Those are {times:.3g} times what attitudes show: check their unit, which is rad/s."
            if left < ALIKE and times > 0.0
            else "Check the order of quaternions (x, y, z, w), that attitudes are those of the "
            "grasp frame in the robot's own, and that angular velocities are in the grasp frame."
        )
    return f"The attitudes of {name} do not change as its own angular velocities say. {what}"
