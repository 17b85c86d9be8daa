"""What some payload leaves of the rows of forces, with frames as far off as they likely may be."""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from .evidence import Evidence

LEAST_WINDOWS = 8
UNIFORM = np.sqrt(3.0)  # half-width of a box over its standard deviation
MOVED = 6.0  # deviations of frames from where kinematics put them
LEAST_PART = 0.01  # of all forces, that is not looked at


def exerts(e: Evidence) -> float:
    """Return the mean size of the vertical force of all robots together [N]."""
    return float(np.abs(e.forces.lift.sum(axis=0)).mean())


def unexplained(
    e: Evidence, scaled: tuple[int, float] | None = None, free: Array | None = None
) -> float:
    """Return what some payload leaves of the rows, in parts of the deviations of their errors.

    These are those of the bounds, and what frames may be off by [N, Nm].

    Args:
        e: What is known.
        scaled: Robot on whose forces there is a factor, and that; None: on nobody's.
        free: Wrench of which nothing is known but its direction, shape (6,); None: there is none.
    """
    if len(e.windows) < LEAST_WINDOWS or not exerts(e):
        return 0.0
    block, frames, bounds = e.rows.of_estimate(e.windows), e.rows.frames, e.rows.bounds
    error, here = block.d.reshape(-1, 6).copy(), e.windows.present & e.windows.holding
    spread = np.sqrt(np.maximum(np.diagonal(frames.covariance, axis1=1, axis2=2), 0.0))
    for i in np.flatnonzero(frames.known):
        size = np.linalg.norm(e.windows.wrench[i], axis=1) * here[i]
        far = float(np.linalg.norm(frames.position[i]))
        off = sum(b.orientation + b.tilt for b in (bounds[0], bounds[i]))
        turn = off + MOVED * float(np.linalg.norm(spread[i, :3]))
        place = (
            bounds[0].position + bounds[i].position + MOVED * float(np.linalg.norm(spread[i, 6:9]))
        )
        error[:, :3] += (turn * size)[:, None]
        error[:, 3:] += ((place + far * turn + turn) * size)[:, None]
    least, reach = LEAST_PART * exerts(e), float(np.max(np.abs(frames.position[frames.known])))
    error = np.maximum(error, np.repeat([least, least * reach], 3))
    b = block.b
    if scaled is not None:
        robot, factor = scaled
        b = b + (factor - 1.0) * e.rows.wrench_of(e.windows, robot).ravel()
    rows = np.hstack([block.A, block.B, b[:, None]]).reshape(len(error), 6, -1)
    return what_is_left(rows, error, block.B.shape[1], free)


def what_is_left(rows: Array, error: Array, p: int, free: Array | None = None) -> float:
    """Return what some payload leaves of rows, in parts of their errors' deviations.

    Of any mass: moments about a grasp do not know it, since a point there adds none.

    Args:
        rows: Columns of phi and of p nuisance parameters, then the right side, of shape
            (W, k, 11 + p).
        error: Bounds on the errors, shape (W, k).
        p: Number of nuisance parameters.
        free: Direction in which the rows of each window err by any amount, shape (k,).
    """
    weight = UNIFORM / np.maximum(error, 0.05 * np.median(error))
    each = rows * weight[..., None]
    if free is not None:
        out = weight * free
        out /= np.linalg.norm(out, axis=1, keepdims=True)
        each = each - np.einsum("wk,wj,wjc->wkc", out, out, each)
    weighted = each.reshape(-1, 11 + p)
    boxes = np.hstack([np.zeros((p, 10)), UNIFORM * np.eye(p)])
    _, rest = least_squares(
        np.vstack([weighted[:, :-1], boxes]), np.append(weighted[:, -1], np.zeros(p))
    )
    return float(np.sqrt(rest / len(weighted)))


def least_squares(A: Array, b: Array) -> tuple[Array, float]:
    """Return the least-squares solution, and the sum of squares that it leaves."""
    x, *_ = np.linalg.lstsq(A, b, rcond=1e-10)
    return x, float(np.sum((A @ x - b) ** 2))
