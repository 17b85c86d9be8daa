"""What some payload leaves of the rows of forces, with frames as far off as they likely may be."""

from __future__ import annotations

import numpy as np

from ...arrays import Array, IntArray
from ...body.inertial import skew
from ..rows import DEVIATIONS
from .evidence import Evidence

LEAST_WINDOWS = 8
UNIFORM = np.sqrt(3.0)  # half-width of a box over its standard deviation
MUCH_BETTER = 0.3  # of what is left, down to which a single cause is believed to leave it
LEAST_PART = 0.01  # of all forces, that is not looked at


def exerts(e: Evidence) -> float:
    """Return the mean size of the vertical force of all robots together [N]."""
    return float(np.abs(e.forces.lift.sum(axis=0)).mean())


def unexplained(e: Evidence, scaled: tuple[int, float] | None = None) -> float:
    """Return what some payload leaves of the rows, in parts of the deviations of their errors.

    These are those of the bounds, and what frames may be off by [N, Nm].

    Args:
        e: What is known.
        scaled: Robot on whose forces there is a factor, and that; None: on nobody's.
    """
    return 0.0 if _are_few(e) else what_is_left(*_rows_of(e, scaled))


def without(e: Evidence, i: int, axes: IntArray) -> tuple[float, Array, Array]:
    """Return what some payload leaves of the rows where robot i's wrench is not known in part.

    Args:
        e: What is known.
        i: Number of the robot, whose frame is known.
        axes: Of its wrench, k of 0 to 5, along which nothing is known of it.

    Returns:
        left: As `unexplained` has it.
        off: By how much it then is another one there than it shows, shape (W, k) [N, N m].
        deviation: Of `off`, by what is left, shape (W, k) [N, N m].
    """
    rows, error, p = _rows_of(e)
    X, place = e.rows.frames.rotation[i], e.rows.frames.position[i]
    wrench = np.block([[X, np.zeros((3, 3))], [skew(place) @ X, X]])[:, axes]
    weight = _weight_of(error)[..., None]
    each = rows * weight
    out, size = np.linalg.qr(weight * wrench)
    part = np.swapaxes(out, 1, 2) @ each
    told = (each - out @ part).reshape(-1, 11 + p)
    x, left = _fitted(told, p)
    share = np.linalg.solve(size, part)
    off = share[..., :-1] @ x - share[..., -1]
    spread = np.linalg.pinv(np.vstack([told[:, :-1], np.eye(10 + p)[10:]]), rcond=1e-10)
    own = np.linalg.norm(np.linalg.inv(size), axis=2)
    return left, off, left * (own + np.linalg.norm(share[..., :-1] @ spread, axis=2))


def _are_few(e: Evidence) -> bool:
    """Whether there are too few windows to tell anything of forces, or no forces."""
    return len(e.windows) < LEAST_WINDOWS or not exerts(e)


def _rows_of(e: Evidence, scaled: tuple[int, float] | None = None) -> tuple[Array, Array, int]:
    """Return rows, bounds on their errors, and the number of nuisance parameters."""
    block, frames, bounds = e.rows.of_estimate(e.windows), e.rows.frames, e.rows.bounds
    error, here = block.d.reshape(-1, 6).copy(), e.windows.present & e.windows.holding
    variance = np.diagonal(frames.covariance, axis1=1, axis2=2)
    moved = DEVIATIONS * np.sqrt(np.maximum(variance, 0.0))
    for i in np.flatnonzero(frames.known):
        size = np.linalg.norm(e.windows.wrench[i], axis=1) * here[i]
        far = float(np.linalg.norm(frames.position[i]))
        turn = sum(b.orientation + b.tilt for b in (bounds[0], bounds[i]))
        turn += float(np.linalg.norm(moved[i, :3]))
        place = bounds[0].position + bounds[i].position + float(np.linalg.norm(moved[i, 6:9]))
        error[:, :3] += (turn * size)[:, None]
        error[:, 3:] += ((place + far * turn + turn) * size)[:, None]
    least, reach = LEAST_PART * exerts(e), float(np.max(np.abs(frames.position[frames.known])))
    error = np.maximum(error, np.repeat([least, least * reach], 3))
    b = block.b
    if scaled is not None:
        robot, factor = scaled
        b = b + (factor - 1.0) * e.rows.wrench_of(e.windows, robot).ravel()
    rows = np.hstack([block.A, block.B, b[:, None]]).reshape(len(error), 6, -1)
    return rows, error, block.B.shape[1]


def what_is_left(rows: Array, error: Array, p: int) -> float:
    """Return what some payload leaves of rows, in parts of their errors' deviations.

    Of any mass: moments about a grasp do not know it, since a point there adds none.

    Args:
        rows: Columns of phi and of p nuisance parameters, then the right side, of shape
            (W, k, 11 + p).
        error: Bounds on the errors, shape (W, k).
        p: Number of nuisance parameters.
    """
    return _fitted((rows * _weight_of(error)[..., None]).reshape(-1, 11 + p), p)[1]


def _weight_of(error: Array) -> Array:
    """Return one over the deviation of errors within bounds."""
    return np.asarray(UNIFORM / np.maximum(error, 0.05 * np.median(error)))


def _fitted(weighted: Array, p: int) -> tuple[Array, float]:
    """Return what fits weighted rows best, nuisance in its boxes, and the deviation it leaves."""
    boxes = np.hstack([np.zeros((p, 10)), UNIFORM * np.eye(p)])
    A, b = np.vstack([weighted[:, :-1], boxes]), np.append(weighted[:, -1], np.zeros(p))
    x, rest = least_squares(A, b)
    return x, float(np.sqrt(rest / len(weighted)))


def least_squares(A: Array, b: Array) -> tuple[Array, float]:
    """Return the least-squares solution, and the sum of squares that it leaves."""
    x, *_ = np.linalg.lstsq(A, b, rcond=1e-10)
    return x, float(np.sum((A @ x - b) ** 2))
