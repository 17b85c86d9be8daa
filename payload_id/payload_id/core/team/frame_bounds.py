r"""Guaranteed bounds on a grasp frame from the stated bounds on poses and twists.

The equations of `closed_form.pair_equations` are linear in the frame. The first bound, on all nine
numbers of R_1i, needs no estimate at all (image of the noise under least squares); then images and
at last linear programs over (a, dp, clock) narrow it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays import Array, IntArray
from ..bounds.hull import NARROWED, PASSES
from ..bounds.linear_program import LinearProgram
from ..errors import SolverError
from .blocks import Blocks
from .bounds import RobotBounds
from .closed_form.pair_equations import FrameBounds, Motion, Pairs
from .grasp_frames import ROUNDING

MARGIN = 1.03  # of errors of poses, for how far the body turns within a block


def narrowed(pairs: Pairs, X: Array, p: Array, box: FrameBounds) -> FrameBounds | None:
    """Return the bounds that images leave about an estimate; None if nothing is left.

    Args:
        pairs: Of blocks.
        X: Estimate of R_1i, shape (3, 3).
        p: Of p_1i, shape (3,) [m].
        box: Of position and clock before any data.
    """
    a = pairs.first_bound(X, box.clock)
    if a is None:
        return FrameBounds.unknown(box.clock)
    size = replace(box, a=a).size
    for _ in range(PASSES):
        smaller = _image(*pairs.rows(X, p, FrameBounds.of_size(size)), size)
        if smaller is None:
            return None
        gained, size = bool((smaller < NARROWED * size).any()), smaller
        if not gained:
            break
    return FrameBounds.of_size(size)


def _image(G: Array, r: Array, d: Array, size: Array) -> Array | None:
    """Return bounds on all |z| <= size with |G z - r| <= d, shape (7,); None if none is seen to be.

    With any L,  z = L r - L w + (1 - L G) z,  |w| <= d.
    """
    scale = np.where(size > 0, size, 1.0)
    L = scale[:, None] * np.linalg.pinv(G * scale / d[:, None], rcond=1e-12) / d
    half = np.abs(L) @ d + np.abs(np.eye(7) - L @ G) @ size
    middle = np.abs(L @ r)
    if (middle - half > size * (1.0 + 1e-9) + 1e-12).any():
        return None
    return np.minimum(middle + half, size)


def extremes(
    rows: tuple[Array, Array, Array], box: FrameBounds, ends: tuple[float, float]
) -> FrameBounds | None:
    """Return the box of all z with |G z - r| <= d inside a box; None if there is none.

    Args:
        rows: G, r and d, shapes (m, 7), (m,) and (m,).
        box: That holds z.
        ends: Least and largest offset of the clock less its estimate [s].
    """
    size = box.size
    program, scale = _program(*rows, size)
    if size[6] > 0.0:
        least, most = np.array(ends)[:, None] / scale[6]
        program.add_rows(np.eye(7)[6:], least, most)
    found = np.zeros(7)
    for k in np.flatnonzero(size):
        for sign in (1.0, -1.0):
            try:
                solution = program.minimise(-sign * np.eye(7)[k])
            except SolverError:
                found[k] = size[k]
                continue
            if solution is None:
                return None
            found[k] = max(found[k], -solution.value * scale[k])
    return FrameBounds.of_size(np.minimum(found * (1.0 + 1e-6) + 1e-12, size))


def is_empty(rows: tuple[Array, Array, Array], box: FrameBounds) -> bool:
    """Tell whether no z in a box has |G z - r| <= d; rows as `extremes` takes them."""
    try:
        return _program(*rows, box.size)[0].minimise(np.zeros(7)) is None
    except SolverError:
        return False


def _program(G: Array, r: Array, d: Array, size: Array) -> tuple[LinearProgram, Array]:
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
