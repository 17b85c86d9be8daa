r"""Whose poses do not change as its own twists say.

Neither grasp nor payload, clock or force has a part in it: whatever else is known, this robot's
poses or twists are false. Between the blocks before and after one, 2 h apart,

    log(R(t - h)' R(t + h)) / (2 h) = omega(t) + O(h^2),
    (p(t + h) - p(t - h)) / (2 h) = R(t) v(t) + O(h^2),

with what is left out from the second derivatives of both. Those are of the twists, which see more
of fast motions than attitudes do: so a unit that makes twists much larger excuses itself. But then
they are as many times as large as what attitudes show over 2 h and over h, and that no motion does:
one so fast that attitudes hardly show it is shown over h much better.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from ...arrays import Array, BoolArray, IntArray
from ..blocks import SPACING
from ..estimate import Fault, Finding
from ..kinematic_bounds.frame_bounds import motion_of
from .evidence import LEAST_BLOCKS, LEAST_TURN, Evidence

SPAN = 2.0 * SPACING  # [s]
REMAINDER = 0.1 * SPAN**2  # [s2] of what is left out, twice what smooth motions make of it
MARGIN = 2.0  # times all that is stated and left out, from which on a block contradicts
PART = 0.2  # of the blocks that contradict, from which on it is no accident
UNITS = (180.0 / np.pi, 30.0 / np.pi, 0.5 / np.pi)  # deg/s, rpm, turns a second of a rad/s
NEAR = 0.3  # part of angular velocities by which they may miss where a unit explains them


def of_own_twists(e: Evidence) -> list[Finding]:
    """Return whose poses contradict its own twists."""
    every = ((e.names[i], _contradiction(e, i)) for i in range(len(e.names)))
    return [Finding(Fault.UNKNOWN, (name,), said.format(name=name)) for name, said in every if said]


def _contradiction(e: Evidence, i: int) -> str:
    """Say how robot i's poses do not go with its twists; empty if they do."""
    here, time = e.blocks.present[i], e.blocks.time
    inner = here[:-2] & here[1:-1] & here[2:] & (time[2:] - time[:-2] < 1.05 * SPAN)
    k = np.flatnonzero(inner) + 1  # blocks between two others
    if len(k) < LEAST_BLOCKS:
        return ""
    every = motion_of(e.blocks, i, np.arange(len(e.blocks)), e.rows.bounds[i])
    (shown, turn), told = _shown(every.R, k - 1, k + 1), every.V[k, :3]
    nearer, seen = _shown(every.R, k, k + 1)
    about = (every.V[k, :3] + every.V[k + 1, :3]) / 2
    for unit in UNITS if _size(shown) > LEAST_TURN else ():
        if all(_size(w - unit * s) < NEAR * _size(w) for s, w in
               ((shown[turn], told[turn]), (nearer[seen], about[seen]))):  # fmt: skip
            return (
                "The attitudes of {name} do not change as its own angular velocities say. Those "
                f"are {unit:.3g} times what attitudes show: check their unit, which is rad/s."
            )
    (omega, v), (alpha, a) = every.fastest[k].T, every.steepest[k].T
    error = np.sqrt(3.0) * (every.e_R[k - 1] + every.e_R[k + 1]) / SPAN + every.unsure[k, 0]
    error += REMAINDER * (every.bend[k, 0] + omega * (alpha + omega**2))
    if _is_no_accident(~turn | (np.linalg.norm(shown - told, axis=1) > MARGIN * error)):
        return (
            "The attitudes of {name} do not change as its own angular velocities say. Check that "
            "neither stands still, the unit (rad/s), the order of quaternions (x, y, z, w), that "
            "attitudes are those of the grasp frame in the robot's own, that angular velocities "
            "are in the grasp frame, and that nothing vibrates faster than it is sampled."
        )
    moved = (every.x[k + 1] - every.x[k - 1]) / SPAN
    velocity = np.einsum("bij,bj->bi", every.mean_R[k], every.V[k, 3:])
    error = np.sqrt(3.0) * (every.e_x[k - 1] + every.e_x[k + 1]) / SPAN + every.unsure[k, 1]
    error += np.sqrt(3.0) * every.e_R[k] * v
    error += REMAINDER * (every.bend[k, 1] + omega * (2.0 * a + omega * v) + alpha * v)
    if _is_no_accident(np.linalg.norm(moved - velocity, axis=1) > MARGIN * error):
        return (
            "The positions of {name} do not change as its own velocities say. Check that they do "
            "not stand still, units (m and m/s), that positions are in the robot's own frame, and "
            "velocities in the grasp frame."
        )
    return ""


def _shown(R: Array, begin: IntArray, end: IntArray) -> tuple[Array, BoolArray]:
    """Return the angular velocities that attitudes show between blocks, and where they do."""
    between = R[begin].swapaxes(1, 2) @ R[end]
    turn = np.linalg.det(between) > 0.0  # the mean of attitudes at random may be none
    between[~turn] = np.eye(3)
    span = SPACING * (end - begin)[:, None]
    return Rotation.from_matrix(between).as_rotvec() / span, turn


def _size(vectors: Array) -> float:
    """Return the root mean square of lengths."""
    return float(np.sqrt((vectors**2).sum(axis=1).mean())) if len(vectors) else 0.0


def _is_no_accident(off: BoolArray) -> bool:
    """Tell whether enough blocks contradict."""
    return bool(np.count_nonzero(off) >= max(LEAST_BLOCKS, PART * len(off)))
