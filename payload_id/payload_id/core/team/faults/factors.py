r"""Factors on what single robots exert, with which all forces fit a payload.

A factor c on what robot i exerts is one more unknown of the rows; biases and what else is stated
stay inside their boxes. It is believed where it explains nearly all that the rows leave, in parts
of the forces that there are with it, and where (c - 1) f_i is more than the stated bounds let the
robot's forces err: constant and slow errors within the bounds look like a factor, too, but like a
smaller one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from .evidence import Evidence
from .unexplained import LEAST_WINDOWS, MUCH_BETTER, UNIFORM, exerts, least_squares

CLEAR = 6.0  # deviations of a factor, by errors as large as the bounds, that are no chance
FAKED = 2.0  # times the share of errors in what tells a factor
VANISHED = 0.05  # part of all forces, below which a factor has made them vanish
NEARLY_NONE = 0.2  # a factor below which no scale explains it
INVERTED = -0.5  # a factor below which the sign is wrong


@dataclass(frozen=True)
class Factor:
    """A factor on a robot's forces with which they fit.

    Attributes:
        robot: Its number.
        value: The factor.
        phi: Of the payload then, shape (10,).
        sure: Whether errors of frames and motion cannot look like it.
    """

    robot: int
    value: float
    phi: Array
    sure: bool


def how_they_fit(factor: float) -> str:
    """Return how forces with a factor fit, and what to look at."""
    if factor < INVERTED:
        return (
            "with the opposite sign: its sensor is inverted. Samples hold the force on the payload."
        )
    if abs(factor) < NEARLY_NONE:
        return (
            "best if they count next to nothing: check their axes and signs, its orientation, and "
            "whether it still holds the payload."
        )
    return (
        f"if they are {factor:.2f} times as large as it says: check its scale, whether it still "
        "holds the payload, and what else touches it."
    )


def false_factor(e: Evidence) -> Factor | None:
    """Return the factor with which alone a robot's forces fit; None if there is none."""
    if len(e.windows) < LEAST_WINDOWS or not exerts(e):
        return None
    block = e.rows.of_estimate(e.windows)
    weight = UNIFORM / np.maximum(block.d, 0.05 * np.median(block.d))
    A, b = np.hstack([block.A, block.B]) * weight[:, None], block.b * weight
    p = block.B.shape[1]
    boxes = np.hstack([np.zeros((p, 10)), UNIFORM * np.eye(p)])
    nothing, zero = np.zeros((p, 1)), np.zeros(p)
    usual = np.vstack([A, boxes])
    _, without = least_squares(usual, np.concatenate([b, zero]))
    whole = without / float(b @ b)
    least, best = np.inf, None
    for i in range(len(e.names)):
        own = e.rows.wrench_of(e.windows, i).ravel() * weight
        if not own.any():
            continue
        free = np.block([[A, -own[:, None]], [boxes, nothing]])
        x, left = least_squares(free, np.concatenate([b - own, zero]))
        # Of forces as small as they then are: those of a robot that holds the payload alone are
        # explained by no payload, once their factor is 0.
        total = b + (x[-1] - 1.0) * own
        size = float(total @ total)
        # Another robot's wrong sign turns into that of the payload: its mass would be below 0.
        explained = x[0] > 0.0 and size > VANISHED**2 * float(b @ b)
        if explained and left / size < least:
            least, factor = left / size, float(x[-1])
            deviation = float(np.linalg.norm(np.linalg.pinv(free)[-1]))
            least_step = max(CLEAR * deviation, _faked(e, i, weight, own, usual))
            best = Factor(i, factor, x[:10], abs(factor - 1.0) >= least_step)
    if best is None or least > MUCH_BETTER**2 * whole or not _beyond(e, best.robot, best.value):
        return None
    return best


def _faked(e: Evidence, i: int, weight: Array, own: Array, usual: Array) -> float:
    """Return how far from 1 errors of a robot's own forces may pull its factor.

    What no payload explains of its forces tells the factor. As far as that is error, the factor
    that leaves least is smaller by its share (errors in variables), down to 0 for a robot that
    holds the payload alone, or a constant part of it: that part some payload explains.

    Args:
        e: What is known.
        i: Number of the robot.
        weight: Of the rows, shape (N,).
        own: The robot's forces, weighted, shape (N,).
        usual: The other unknowns' columns, weighted, shape (N + p, k).
    """
    rest = np.zeros(len(usual) - len(own))
    x, *_ = np.linalg.lstsq(usual, np.concatenate([own, rest]), rcond=1e-10)
    told = ((usual @ x)[: len(own)] - own).reshape(-1, 6)[:, :3]
    held = e.windows.present[i] & e.windows.holding[i]
    error = np.linalg.norm(e.windows.wrench_error[i][:, :3], axis=1) * held
    error += _turn(e, i) * np.linalg.norm(e.windows.wrench[i][:, :3], axis=1) * held
    energy = float(np.sum(error**2 * np.mean(weight.reshape(-1, 6)[:, :3] ** 2, axis=1)))
    size = float(np.sum(told**2))
    return FAKED * energy / size if size > 0.0 else np.inf


def _turn(e: Evidence, i: int) -> float:
    """Return by how much robot i's frame may be turned, against another or gravity [rad]."""
    frame, tilt = e.rows.frame_bounds[i], np.sqrt(2.0) * e.rows.bounds[i].tilt
    if frame.known:
        return float(np.linalg.norm(frame.a) + tilt)
    variance = np.trace(e.rows.frames.covariance[i][:3, :3])
    return float(UNIFORM * np.sqrt(max(variance, 0.0)) + tilt)


def _beyond(e: Evidence, i: int, factor: float) -> bool:
    """Tell whether a factor changes a robot's forces by more than its bounds let them err."""
    held = e.windows.present[i] & e.windows.holding[i]
    force = np.linalg.norm(e.windows.wrench[i][held, :3], axis=1).mean()
    error = np.linalg.norm(e.windows.wrench_error[i][held, :3], axis=1).mean()
    bounds = e.rows.bounds[i]
    error += UNIFORM * bounds.force_bias + bounds.force_gain / (1.0 - bounds.force_gain) * force
    return bool(abs(factor - 1.0) * force > error)
