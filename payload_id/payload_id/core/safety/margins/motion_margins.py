"""Position, velocity and acceleration: the extrema of a motion, with the tube, within limits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...motion.trajectory import MotionRanges
from ..certificate.safety_case import SafetyCase
from .subdivision import Need


def motion_needs(case: SafetyCase, ranges: MotionRanges) -> Iterator[Need]:
    """Yield what slices of a motion need of each limit of its joints that there is.

    The acceleration is that of the reference, desired motion and feedback together.
    """
    tube, limits = case.tube, case.limits
    v, a, reference = limits.velocity, limits.acceleration, tube.reference_acceleration
    position = (limits.position_lower, limits.position_upper)
    for name, lower, upper, error, low, high in (
        ("position", ranges.q_lower, ranges.q_upper, tube.position, *position),
        ("velocity", ranges.dq_lower, ranges.dq_upper, tube.velocity, -v, v),
        ("acceleration", ranges.ddq_lower, ranges.ddq_upper, reference, -a, a),
    ):
        if not np.isfinite([low, high]).any():
            continue
        left = np.minimum(high - upper, lower - low) - error
        half = (high - low) / 2
        part = np.divide(left, half, out=np.ones_like(left), where=np.isfinite(half))
        # What is missing is missing, however little, and where only one limit is finite.
        used = np.where(left < 0.0, np.maximum(1.0 - part, np.nextafter(1.0, 2.0)), 1.0 - part)
        yield Need(name, case.model.joints, left, used, left < -error)
