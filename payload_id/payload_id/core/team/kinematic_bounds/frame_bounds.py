r"""Guaranteed bounds on a grasp frame from the stated bounds on poses and twists.

The equations of `closed_form.pair_equations` are linear in the frame. The first bound, on all nine
numbers of R_1i, needs no estimate at all (image of the noise under least squares); then images and
at last linear programs over (a, dp, clock) narrow it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Array, IntArray
from ...bounds.linear_program import LinearProgram
from ...errors import SolverError
from ..blocks import Blocks
from ..bounds import RobotBounds
from ..closed_form.pair_equations import FrameBounds, Motion, Pairs
from ..grasp_frames import GraspFrames

MOST = 90  # blocks looked at
PASSES = 6  # of narrowing what is left out
ROUNDING = (
    1e-7  # [rad, m, rad/s, m/s] what rounding of stamps and weights leaves, below any encoder
)
MARGIN = 1.03  # of errors of poses, for how far the body turns within a block


def frame_bounds(
    blocks: Blocks,
    i: int,
    frames: GraspFrames,
    one: RobotBounds,
    other: RobotBounds,
    reach: float,
    ends: tuple[float, float],
) -> FrameBounds:
    """Return bounds on the frame of robot i > 0 about its estimate, in the first robot's frame.

    Args:
        blocks: Means of pose and twist.
        i: Number of the robot.
        frames: Estimates.
        one: What is assumed of the first robot.
        other: What is assumed of robot i.
        reach: Largest distance between the grasps [m].
        ends: Least and largest offset of its clock that is not excluded [s].
    """
    here = float(frames.clock[i])
    least, most = ends
    if least > most:
        return _contradicted(other.clock + abs(here))
    clock = max(most - here, here - least) if most > least else 0.0
    common = np.flatnonzero(blocks.present[0] & blocks.present[i])
    if len(common) < 3:
        return FrameBounds.unknown(clock)
    chosen = common[np.unique(np.linspace(0, len(common) - 1, MOST).astype(int))]
    first = motion_of(blocks, 0, chosen, one)
    second = motion_of(blocks, i, chosen, other)
    shifted = float(np.abs(blocks.shift[i][chosen] - frames.clock[i]).max())
    if not frames.known[i]:
        known = FrameBounds.unknown(clock)
        return known if _turn_alike(first, second, clock + shifted) else _contradicted(clock)
    pairs = Pairs(first, second, shifted, one.tilt + other.tilt)
    box = FrameBounds(np.zeros(3), np.full(3, reach) + np.abs(frames.position[i]), clock)
    found = _boxed(pairs, frames.rotation[i], frames.position[i], box, least - here, most - here)
    return _contradicted(clock) if found is None else found


def _boxed(
    pairs: Pairs, X: Array, p: Array, box: FrameBounds, least: float, most: float
) -> FrameBounds | None:
    """Return the bounds that pairs of blocks leave about an estimate; None if they leave none.

    Args:
        pairs: Of blocks.
        X: Estimate of R_1i, shape (3, 3).
        p: Of p_1i, shape (3,) [m].
        box: Of position and clock before any data.
        least: Bound of the clock's offset less its estimate [s].
        most: Likewise.
    """
    a = pairs.first_bound(X, box.clock)
    if a is None:
        return FrameBounds.unknown(box.clock)
    box = replace(box, a=a)
    for _ in range(PASSES):
        narrower = image(*pairs.rows(X, p, box), box)
        if narrower is None:
            return None
        gained = narrower.a.sum() < 0.9 * box.a.sum() or narrower.clock < 0.9 * box.clock
        gained |= narrower.position.sum() < 0.9 * box.position.sum()
        box = narrower
        if not gained:
            break
    return _narrowed(*pairs.rows(X, p, box), box, least, most)


def _turn_alike(one: Motion, two: Motion, late: float) -> bool:
    """Tell whether both may turn as fast as each other, whatever their frames."""
    speed, other = (np.linalg.norm(motion.V[:, :3], axis=1) for motion in (one, two))
    off = one.unsure[:, 0] + two.unsure[:, 0]
    off += late * (two.steepest[:, 0] + late * two.bend[:, 0])
    return bool((np.abs(speed - other) <= off).all())


def _contradicted(clock: float) -> FrameBounds:
    """Return that no frame is left, and the bound of the clock that was."""
    return FrameBounds(np.full(3, np.inf), np.full(3, np.inf), clock, consistent=False)


def image(G: Array, r: Array, d: Array, box: FrameBounds) -> FrameBounds | None:
    """Return a box of all z with |G z - r| <= d inside a box; None if none is seen to be.

    With any L,  z = L r - L w + (1 - L G) z,  |w| <= d.
    """
    size = np.concatenate([box.a, box.position, [box.clock]])
    scale = np.where(size > 0, size, 1.0)
    L = scale[:, None] * np.linalg.pinv(G * scale / d[:, None], rcond=1e-12) / d
    half = np.abs(L) @ d + np.abs(np.eye(7) - L @ G) @ size
    middle = np.abs(L @ r)
    if (middle - half > size * (1.0 + 1e-9) + 1e-12).any():
        return None
    found = np.minimum(middle + half, size)
    return FrameBounds(found[:3], found[3:6], float(found[6]))


def _narrowed(
    G: Array, r: Array, d: Array, box: FrameBounds, least: float, most: float
) -> FrameBounds | None:
    """Return the box of all z with |G z - r| <= d inside a box; None if there is none.

    Args:
        G: Shape (m, 7).
        r: Shape (m,).
        d: Shape (m,).
        box: That holds z.
        least: Bound of the clock's offset less its estimate [s].
        most: Likewise.
    """
    size = np.concatenate([box.a, box.position, [box.clock]])
    program, scale = program_of(G, r, d, size)
    if size[6] > 0.0:
        ends = np.array([least, most]) / scale[6]
        program.add_rows(np.eye(7)[6:], ends[:1], ends[1:])
    found = np.zeros(7)
    for k in range(7):
        if size[k] == 0.0:
            continue
        for sign in (1.0, -1.0):
            cost = np.zeros(7)
            cost[k] = -sign
            try:
                solution = program.minimise(cost)
            except SolverError:
                found[k] = size[k]
                continue
            if solution is None:
                return None
            found[k] = max(found[k], -solution.value * scale[k])
    found = np.minimum(found * (1.0 + 1e-6) + 1e-12, size)
    return FrameBounds(found[:3], found[3:6], float(found[6]))


def program_of(G: Array, r: Array, d: Array, size: Array) -> tuple[LinearProgram, Array]:
    """Return |G z - r| <= d, |z| <= size as a program in z / scale, and the scale."""
    scale = np.where(size > 0, size, 1.0)
    active = np.abs(r) + np.abs(G) @ size > d
    G, r = G[active] * scale / d[active, None], r[active] / d[active]
    program = LinearProgram(-size / scale, size / scale)
    program.add_rows(G, r - 1.0, r + 1.0)
    return program, scale


def motion_of(blocks: Blocks, i: int, chosen: IntArray, bounds: RobotBounds) -> Motion:
    """Return some blocks of robot i with bounds on their errors."""
    V, rate = blocks.twist[i][chosen], blocks.rate[i][chosen]
    gain, jitter = blocks.gain[i][chosen], bounds.jitter
    left, pace = blocks.left_out[i][chosen], blocks.pace[i][chosen]
    wide = np.sqrt(3.0) * gain[:, None] * [bounds.angular_velocity, bounds.linear_velocity]
    off = jitter * (pace + np.hstack([wide, np.zeros_like(wide)]))
    return Motion(
        blocks.rotation[i][chosen], blocks.mean_rotation[i][chosen],
        blocks.position[i][chosen], V, rate, blocks.bend[i][chosen],
        MARGIN * (gain * bounds.orientation + off[:, 0]) + left[:, 0] + ROUNDING,
        MARGIN * (gain * bounds.position + off[:, 1]) + left[:, 1] + ROUNDING,
        gain[:, None] * [bounds.angular_velocity, bounds.linear_velocity]
        + off[:, 2:] + left[:, 2:] + ROUNDING,
    )  # fmt: skip
