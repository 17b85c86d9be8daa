"""The certifier as the planner asks it, and what the planner should know of its case beforehand."""

from __future__ import annotations

import numpy as np

from ..inertial import Array
from ..safety.body_table import Items, Poses
from ..safety.certificate import CLEARANCES, Certificate, Refusal
from ..safety.certify import SafetyCase, certify
from ..safety.separation import rough_distance
from .limits import MotionLimits
from .planning import Certify, Verdict
from .screening import Clearance
from .trajectory import Trajectory


def certifier(case: SafetyCase) -> Certify:
    """Return what proves or refuses motions in a case."""

    def ask(trajectory: Trajectory) -> Verdict:
        answer = certify(case, trajectory)
        if isinstance(answer, Certificate):
            return Verdict(True, answer)
        return _refused(case, answer)

    return ask


def _refused(case: SafetyCase, refusal: Refusal) -> Verdict:
    """Return a refusal as the planner understands it."""
    if refusal.constraint in CLEARANCES:
        return Verdict(False, refusal, refusal.sentence, refusal.missing)
    joint = case.model.joints.index(refusal.where[0])
    limits = case.limits
    span = (limits.position_upper - limits.position_lower)[joint] / 2
    limit = {
        "position": span if np.isfinite(span) else 1.0,
        "velocity": limits.velocity[joint],
        "acceleration": limits.acceleration[joint],
        "torque": limits.torque[joint],
    }[refusal.constraint]
    torque = None
    if refusal.constraint == "torque":
        torque = np.zeros(case.model.n)
        torque[joint] = max(refusal.missing, 0.01 * limit)
    return Verdict(False, refusal, refusal.sentence, refusal.missing / limit, torque)


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
    """Return rough distances of sampled poses, first bodies replaced by balls that cover them."""
    scene = case.scene
    if not len(scene.group):
        return None
    pairs = np.arange(len(scene.group))

    def smallest(q: Array) -> Array:
        C, N, n = q.shape
        poses = Poses.of(case.model, q.reshape(C * N, n), np.zeros((C * N, n)))
        pose = np.repeat(np.arange(C * N), len(pairs))
        items = Items.of(scene.table, scene.pairs, poses, pose, np.tile(pairs, C * N))
        distance = rough_distance(scene.table, items)[0] - case.clearance
        return np.asarray(distance.reshape(C, -1).min(axis=1))

    return smallest
