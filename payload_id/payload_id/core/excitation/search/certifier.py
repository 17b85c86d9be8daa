"""The certifier as the planner asks it, and what the planner should know of its case beforehand."""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ...motion.limits import MotionLimits
from ...motion.trajectory import Motion, MotionRanges, Trajectory
from ...safety.certificate.certify import certify
from ...safety.certificate.safety_case import SafetyCase
from ...safety.margins.margin import Refusal
from ...safety.torque.slice_torque_bounds import slice_torque_bounds
from ...safety.tube.tracking_tube import EXACT, TrackingTube
from ..candidates.candidates import Family
from .planning import Certify
from .planning_task import Clearance
from .sampled_clearance import SampledClearance
from .verdict import Verdict

TYPICAL = 6  # motions, and instants of each, on which the share of the tube is measured
HALF = 0.5  # of the torque that the calm motion leaves may be reserved


def certifier(case: SafetyCase) -> Certify:
    """Return what proves or refuses motions in a case."""

    def ask(trajectory: Trajectory) -> Verdict:
        answer = certify(case, trajectory)
        if isinstance(answer, Refusal):
            return Verdict(False, answer, answer.sentence)
        return Verdict(True, answer)

    return ask


def planning_limits(case: SafetyCase) -> MotionLimits:
    """Return the limits of a desired motion: those of the case less what tracking errors take."""
    limits, tube = case.limits, case.tube
    return MotionLimits(
        limits.position_lower + tube.position,
        limits.position_upper - tube.position,
        np.maximum(limits.velocity - tube.velocity, 1e-3),
        np.maximum(limits.acceleration - tube.reference_acceleration, 1e-3),
        limits.torque,
    )


def rough_clearance(case: SafetyCase) -> Clearance | None:
    """Return the clearances of sampled poses; None if there are no two bodies to keep apart."""
    return SampledClearance(case) if len(case.scene.group) else None


def tube_torque(case: SafetyCase, family: Family) -> Array:
    """Return what tracking errors typically add to the largest torque, shape (n,) [N m or N].

    That is the median over instants of a few motions of half the size, but what they add to the
    calm motion if that leaves little room.
    """
    if case.tube.kind == EXACT:
        return np.zeros(case.model.n)
    rng = np.random.default_rng(0)
    x = family.calm + 0.5 * (rng.uniform(-1.0, 1.0, (TYPICAL, family.size)) - family.calm)
    time = family.duration * (np.arange(TYPICAL) + 0.5) / TYPICAL
    added = np.median(_added(case, family.motion(x, time))[0], axis=0)
    calm = _added(case, family.motion(family.calm[None], time))
    at_calm, peak = (part.max(axis=0) for part in calm)
    room = HALF * np.maximum(case.limits.torque - peak, 0.0)
    # Where not even the calm motion is one that the controller is designed for, nothing is known.
    known = np.isfinite(at_calm)
    least = np.where(known, at_calm, 0.0)
    return np.where(known, least + np.clip(added - least, 0.0, room), 0.0)


def _added(case: SafetyCase, motion: Motion) -> tuple[Array, Array]:
    """Return what the tube adds to the largest torques, and those, (C N, n) each [N m or N]."""
    q, dq, ddq = (part.reshape(-1, case.model.n) for part in (motion.q, motion.dq, motion.ddq))
    flat = Motion(np.arange(len(q), dtype=float), q, dq, ddq)
    peak = _peaks(case, case.tube, flat)
    return np.maximum(peak - _peaks(case, TrackingTube.exact(case.model.n), flat), 0.0), peak


def _peaks(case: SafetyCase, tube: TrackingTube, motion: Motion) -> Array:
    """Return the largest |torque| at N instants, shape (N, n) [N m or N]."""
    instants = MotionRanges.at_instants(motion)
    bounds = slice_torque_bounds(case.model, instants, tube, case.box, splits=0)
    lower, upper = bounds.commanded(tube)
    return np.maximum(-lower, upper)
