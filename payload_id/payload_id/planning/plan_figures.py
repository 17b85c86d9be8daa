"""The figures of a plan that a person reads before it is executed."""

from __future__ import annotations

import numpy as np

from ..core.arrays import Array
from ..core.motion.trajectory import MotionRanges, Trajectory, even_edges
from ..core.safety.certificate.certificate import Certificate
from ..core.safety.certificate.certify import STEP
from ..core.safety.certificate.safety_case import SafetyCase
from ..core.safety.margins.margin import CLEARANCES
from ..core.safety.torque.slice_torque_bounds import slice_torque_bounds
from .request import Figures


def figures_of(
    case: SafetyCase,
    motion: Trajectory,
    certificate: Certificate,
    known: Array,
    expected: Array,
    calibrated: Array | None,
    seconds: float,
) -> Figures:
    """Return the figures of a certified motion.

    Args:
        case: What it was certified against.
        motion: The motion.
        certificate: Its certificate.
        known: Half widths of the payload's intervals before it, shape (10,).
        expected: After it, shape (10,).
        calibrated: Those that the arm's history lets expect, if the plan was made for them.
        seconds: Computing time [s].
    """
    limits, tube = case.limits, case.tube
    ranges = motion.ranges(even_edges(motion, STEP))
    speed = ranges.speed.max(axis=0) + tube.velocity
    acceleration = ranges.acceleration.max(axis=0)
    acceleration += tube.reference_acceleration
    clearance, closest = _clearance(case, certificate)
    return Figures(
        position=_position(case, ranges),
        velocity=speed / limits.velocity,
        acceleration=acceleration / limits.acceleration,
        torque=_torque(case, ranges, certificate),
        clearance=clearance,
        closest=closest,
        half_width_now=known,
        half_width_expected=expected,
        half_width_calibrated=calibrated,
        seconds=seconds,
    )


def _position(case: SafetyCase, ranges: MotionRanges) -> Array:
    """Return parts of half the ranges that are used, zero for joints without limits."""
    low, high = case.limits.position_lower, case.limits.position_upper
    limited = np.isfinite(high - low)
    with np.errstate(invalid="ignore"):  # -inf + inf where there is no limit
        middle = np.where(limited, (low + high) / 2, 0.0)
    out = np.maximum(ranges.q_upper.max(axis=0) - middle, middle - ranges.q_lower.min(axis=0))
    half = np.where(limited, (high - low) / 2, np.inf)
    return np.asarray((out + case.tube.position) / half)


def _torque(case: SafetyCase, ranges: MotionRanges, certificate: Certificate) -> Array:
    """Return parts of the torque limits that are used.

    The enclosure over whole slices is wide; no joint uses more than the certificate says.
    """
    enclosure = slice_torque_bounds(case.model, ranges, case.tube, case.box)
    lower, upper = enclosure.commanded(case.tube)
    used = np.maximum(-lower, upper).max(axis=0) / case.limits.torque
    margin = certificate.margin("torque")
    return np.asarray(used if margin is None else np.minimum(used, margin.used))


def _clearance(case: SafetyCase, certificate: Certificate) -> tuple[float, tuple[str, ...]]:
    """Return the least certified distance [m] and the bodies that come so close."""
    found = [m for m in certificate.margins if m.constraint in CLEARANCES]
    if not found:
        return float("inf"), ()
    least = min(found, key=lambda margin: margin.value)
    return case.clearance + least.value, least.where
