r"""Whose poses do not change as its own twists say.

Neither grasp nor payload, clock or force has a part in it: whatever else is known, this robot's
poses or twists are false. Between the blocks before and after one, 2 h apart,

    log(R(t - h)' R(t + h)) / (2 h) = omega(t) + O(h^2),
    (p(t + h) - p(t - h)) / (2 h) = R(t) v(t) + O(h^2),

and what is left out is a third of what 4 h show otherwise than 2 h, but for higher orders.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from ...arrays import Array, IntArray
from ..blocks import SPACING
from ..closed_form.pair_equations import Motion
from ..estimate import Fault, Finding
from ..frame_bounds import motion_of
from .evidence import Evidence

PART, LEAST = 0.2, 10  # of the blocks, and number of them, from which on it is no accident
MARGIN = 2.0  # times all that is stated and left out, from which on a block contradicts
TURNS = (
    "The attitudes of {name} do not change as its own angular velocities say. Check that neither "
    "stands still, the unit (rad/s), the order of quaternions (x, y, z, w), that attitudes are "
    "those of the grasp frame in the robot's own, that angular velocities are in the grasp frame, "
    "and that nothing vibrates faster than it is sampled."
)
MOVES = (
    "The positions of {name} do not change as its own velocities say. Check that they do not stand "
    "still, units (m and m/s), that positions are in the robot's own frame, and velocities in the "
    "grasp frame."
)


def of_own_twists(e: Evidence) -> list[Finding]:
    """Return whose poses contradict its own twists."""
    every = ((name, _contradiction(e, i)) for i, name in enumerate(e.names))
    return [Finding(Fault.UNKNOWN, (name,), said.format(name=name)) for name, said in every if said]


def _contradiction(e: Evidence, i: int) -> str:
    """Say how robot i's poses do not go with its twists; empty if they do."""
    here, time = e.blocks.present[i], e.blocks.time
    if len(time) < LEAST:
        return ""
    near = time[4:] - time[:-4] < 4.5 * SPACING
    whole = np.all([here[k : len(here) - 4 + k] for k in range(5)], axis=0)
    k = np.flatnonzero(near & whole[: len(near)]) + 2  # blocks between two others on either side
    if len(k) < LEAST:
        return ""
    motion = motion_of(e.blocks, i, np.arange(len(time)), e.source.bounds[i])
    velocity = np.einsum("bij,bj->bi", motion.mean_R[k], motion.V[k, 3:])
    (turn, move), (far_turn, far_move) = _shown(motion, k, 1), _shown(motion, k, 2)
    error = np.sqrt(3.0) * np.stack([motion.e_R, motion.e_x, *motion.e_V.T])
    shown = (error[:2, k - 1] + error[:2, k + 1]) / (2.0 * SPACING)
    shown[1] += error[0, k] * motion.fastest[k, 1]
    for shows, further, told, bound, said in (
        (turn, far_turn, motion.V[k, :3], shown[0] + error[2, k], TURNS),
        (move, far_move, velocity, shown[1] + error[3, k], MOVES),
    ):
        left_out = np.linalg.norm(further - shows, axis=1)
        off = np.linalg.norm(shows - told, axis=1) > MARGIN * (bound + left_out)
        if np.count_nonzero(off) >= max(LEAST, PART * len(off)):
            return said
    return ""


def _shown(motion: Motion, k: IntArray, steps: int) -> tuple[Array, Array]:
    """Return the angular velocities and the velocities that poses show around blocks, (n, 3)."""
    span = 2.0 * steps * SPACING
    between = motion.R[k - steps].swapaxes(1, 2) @ motion.R[k + steps]
    between[np.linalg.det(between) < 0.0] = np.eye(3)  # means of attitudes at random may be none
    turn = Rotation.from_matrix(between).as_rotvec() / span
    return turn, (motion.x[k + steps] - motion.x[k - steps]) / span
