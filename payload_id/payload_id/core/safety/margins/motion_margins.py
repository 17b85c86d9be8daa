"""Margins of position, velocity and acceleration, from the extrema of a motion and the tube."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...arrays import Array
from ...motion.limits import MotionLimits
from ...motion.trajectory import MotionRanges
from ..tube.tracking_tube import TrackingTube
from .margin import CONSTRAINTS, Margin, Refusal


def motion_margins(
    joints: Sequence[str], limits: MotionLimits, tube: TrackingTube, ranges: MotionRanges
) -> list[Margin | Refusal]:
    """Return the smallest margin of each constraint that has a limit, or the refusal.

    Extrema are those of continuous time, so that no finer slices are needed. The acceleration is
    that of the reference, desired motion and feedback together.

    Args:
        joints: Names.
        limits: What may not be exceeded.
        tube: Bounds of the tracking error.
        ranges: Extrema of the desired motion.
    """
    found: list[Margin | Refusal] = []
    for name, lower, upper, error, low, high in _constraints(limits, tube, ranges):
        if np.isfinite([low, high]).any():
            found.append(_margin(name, joints, ranges.edges, lower, upper, error, low, high))
    return found


def motion_use(limits: MotionLimits, tube: TrackingTube, ranges: MotionRanges) -> dict[str, Array]:
    """Return the part of each limit used on each slice, shape (K, n) each; NaN without a limit.

    Args:
        limits: What may not be exceeded.
        tube: Bounds of the tracking error.
        ranges: Extrema of the desired motion.
    """
    found = {}
    for name, lower, upper, error, low, high in _constraints(limits, tube, ranges):
        bounded = np.isfinite(low) & np.isfinite(high)
        bottom, top = np.where(bounded, low, -1.0), np.where(bounded, high, 1.0)
        half, middle = (top - bottom) / 2, (top + bottom) / 2
        reach = np.maximum(upper - middle, middle - lower) + error
        found[name] = np.where(bounded, reach / half, np.nan)
    return found


def _constraints(
    limits: MotionLimits, tube: TrackingTube, ranges: MotionRanges
) -> Iterator[tuple[str, Array, Array, Array, Array, Array]]:
    """Return name, extrema (K, n), tracking error (n,) and limits (n,) of each constraint."""
    v, a = limits.velocity, limits.acceleration
    position = (limits.position_lower, limits.position_upper)
    yield ("position", ranges.q_lower, ranges.q_upper, tube.position, *position)
    yield ("velocity", ranges.dq_lower, ranges.dq_upper, tube.velocity, -v, v)
    error = tube.reference_acceleration
    yield ("acceleration", ranges.ddq_lower, ranges.ddq_upper, error, -a, a)


def _margin(
    name: str,
    joints: Sequence[str],
    edges: Array,
    lower: Array,
    upper: Array,
    error: Array,
    low: Array,
    high: Array,
) -> Margin | Refusal:
    """Return the margin of one constraint, or the earliest time at which it is not kept."""
    left = np.minimum(high - upper, lower - low) - error  # (K, n)
    half = (high - low) / 2
    used = np.zeros_like(left)
    np.divide(left, half, out=used, where=np.isfinite(half) & np.isfinite(left))
    used = np.where(np.isfinite(half), 1.0 - used, 0.0)
    if (left < 0.0).any():
        k = int(np.flatnonzero((left < 0.0).any(axis=1))[0])
        j = int(np.argmin(left[k]))
        return _refusal(name, joints[j], edges[k : k + 2], -left[k, j], error[j])
    worst = np.argmax(used) if np.isfinite(half).any() else np.argmin(left)
    k, j = (int(x) for x in np.unravel_index(int(worst), used.shape))
    return Margin(
        constraint=name,
        where=(joints[j],),
        value=float(left[k, j]),
        used=float(used[k, j]),
        start=float(edges[k]),
        end=float(edges[k + 1]),
    )


def _refusal(name: str, joint: str, slice_: Array, missing: float, error: float) -> Refusal:
    """Return the refusal of a joint's motion on a slice of time."""
    unit = CONSTRAINTS[name]
    certain = bool(missing > error)
    cause = "on the desired motion" if certain else "with the tracking error that the tube allows"
    sentence = (
        f"Refused ({name}): {joint} exceeds its limit by {missing:.4g} {unit} {cause}, between "
        f"{slice_[0]:.3f} and {slice_[1]:.3f} s."
    )
    time = float(np.mean(slice_))
    return Refusal(name, (joint,), time, float(missing), certain, sentence)
