"""The certifier as the planner asks it, and what the planner should know of its case beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

import numpy as np

from ...arrays import Array
from ...motion.limits import MotionLimits
from ...motion.trajectory import Motion, MotionRanges, Trajectory
from ...safety.certificate.certify import STEP, certify
from ...safety.certificate.safety_case import SafetyCase
from ...safety.margins.margin import Refusal
from ...safety.margins.subdivision import Slices
from ...safety.torque.slice_torque_bounds import slice_torque_bounds
from ...safety.torque.torque_margins import PARTS
from ...safety.tube.tracking_tube import TrackingTube
from ..candidates.candidates import Family
from .planning import Certify
from .planning_task import Clearance
from .sampled_clearance import SampledClearance
from .verdict import Verdict

TYPICAL = 6  # motions, and instants of each, on which the share of a proof is measured
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


def proof_torque(case: SafetyCase, family: Family) -> Array:
    """Return what a proof typically adds to the largest torque, shape (n,) [N m or N].

    It holds for all tracking errors and on whole slices of time: the median over those of a few
    motions of half the size, but hardly more than what tracking errors add to the calm motion if
    that leaves little room. What keeps so much is proved on the first slices, which is quick.
    """
    rng, n, exact = np.random.default_rng(0), case.model.n, TrackingTube.exact(case.model.n)
    x = family.calm + 0.5 * (rng.uniform(-1.0, 1.0, (TYPICAL, family.size)) - family.calm)
    time = family.duration * (np.arange(TYPICAL) + 0.5) / TYPICAL
    slices = Slices(time - STEP / 2, time + STEP / 2)
    found = [slices.ranges(family.trajectory(one), PARTS) for one in x]
    at = family.motion(np.vstack([x, family.calm]), time)
    q, dq, ddq = (part.reshape(-1, n) for part in (at.q, at.dq, at.ddq))
    desired = _peaks(case, exact, _instants(q, dq, ddq))
    typical = np.median(_peaks(case, case.tube, _joined(found), PARTS) - desired[:-TYPICAL], axis=0)
    calm = _peaks(case, case.tube, _instants(*(part[-TYPICAL:] for part in (q, dq, ddq))))
    at_calm, peak = np.maximum(calm - desired[-TYPICAL:], 0.0).max(axis=0), calm.max(axis=0)
    room = HALF * np.maximum(case.limits.torque - peak, 0.0)
    # Where not even the calm motion is one that the controller is designed for, nothing is known.
    known = np.isfinite(at_calm)
    least = np.where(known, at_calm, 0.0)
    return np.where(known, least + np.clip(typical - least, 0.0, room), 0.0)


def _instants(q: Array, dq: Array, ddq: Array) -> MotionRanges:
    """Return the states of instants as slices, shape (K, n) each."""
    return MotionRanges.at_instants(Motion(np.arange(len(q), dtype=float), q, dq, ddq))


def _joined(found: Sequence[MotionRanges]) -> MotionRanges:
    """Return the slices of several motions side by side."""
    width = np.concatenate([np.diff(x.edges) for x in found])
    names = [x.name for x in fields(MotionRanges)[1:]]
    edges = np.concatenate([[0.0], np.cumsum(width)])
    return MotionRanges(edges, *(np.concatenate([getattr(x, y) for x in found]) for y in names))


def _peaks(case: SafetyCase, tube: TrackingTube, ranges: MotionRanges, parts: int = 1) -> Array:
    """Return the largest |torque| on K slices of so many ranges, shape (K, n) [N m or N]."""
    bounds = slice_torque_bounds(case.model, ranges, tube, case.box, parts, splits=0)
    lower, upper = bounds.commanded(tube)
    return np.maximum(-lower, upper)
