"""Proof or refusal: does a motion keep every limit in continuous time, whatever the bounds allow?

A motion is certified when, at every instant, for every payload and every arm in the parameter box
and for every tracking error in the tube, position, velocity, acceleration and torque keep their
limits, the arm can be held at every pose of the motion, and no two bodies come closer than the
required clearance. Constraints are tried in the order of `CONSTRAINTS`, but for the torques, which
are tried last because they cost most. For a robust controller the tube itself is proved for the
motion: its design is tried before the torque, and the disturbance that it is made for with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from ...errors import InputError
from ...motion.motion_state import MotionState
from ...motion.trajectory import Motion, MotionRanges, Trajectory, even_edges
from ...version import VERSION
from ..clearance.clearances import clearances, pose_clearance
from ..margins.margin import CONSTRAINTS, Margin, Refusal
from ..margins.motion_margins import motion_needs
from ..margins.subdivision import LimitBound, Needs, Slices
from ..speed.speed_margins import STEP as SPEED_STEP
from ..speed.speed_margins import speed_needs
from ..torque.design_margins import design_margins
from ..torque.torque_margins import holding_margins, torque_margins
from .certificate import Certificate, digest_of
from .safety_case import SafetyCase

STEP = 0.05  # [s] slices on which extrema of the motion are taken
OWN_BODIES = (
    " If they are apart in truth, mend the description's bodies or the payload's volume; a contact "
    "that is meant is allowed by name and reason (allowed_contacts in the robot file)."
)
DESIGN_STEP = 0.4  # part of it that the slices for the change of torque are [-]


def certify(
    case: SafetyCase, trajectory: Trajectory, step: float = STEP, told: float = 0.0
) -> Certificate | Refusal:
    """Prove that a motion is safe, or say which constraint is not kept first.

    Args:
        case: What it is certified against.
        trajectory: The desired motion.
        step: Length of the first slices of time [s]; they are cut where a proof needs it.
        told: Part of a torque limit below which its margin need not be told closely; 1: nobody
            asks for margins, only for the proof [-].

    Raises:
        InputError: The motion has another number of joints, or no duration.
    """
    _check(case, trajectory, step)
    proofs: tuple[Callable[[], tuple[Margin, ...] | Refusal], ...] = (
        partial(_motion_margins, case, trajectory, step),
        lambda: start_refusal(case, MotionState.of(trajectory, 0.0)) or (),
        partial(_speed_margins, case, trajectory),
        # The scene is prepared only for motions that come so far.
        lambda: clearances(case.scene, trajectory, case.tube.position, case.clearance, 2 * step),
        partial(design_margins, case, trajectory, DESIGN_STEP * step),
        partial(torque_margins, case, trajectory, step, told),
        partial(holding_margins, case, trajectory),
    )
    margins: list[Margin] = []
    for proof in proofs:
        found = proof()
        if isinstance(found, Refusal):
            return found
        margins += found
    order = list(CONSTRAINTS)
    return Certificate(
        margins=tuple(sorted(margins, key=lambda margin: order.index(margin.constraint))),
        assumptions=case.assumptions(),
        digests={**case.digests, "trajectory": digest_of(trajectory.to_dict())},
        duration=trajectory.duration,
        limits=case.limits_name,
        step=step,
        version=VERSION,
    )


def start_refusal(case: SafetyCase, start: MotionState, pose: bool = True) -> Refusal | None:
    """Return why a motion cannot start from a state; None if it can.

    Args:
        case: What it is certified against.
        start: Position, velocity and acceleration.
        pose: Whether the bodies' clearance is checked too.
    """
    at_start = Motion(np.zeros(1), start.q[None], start.dq[None], start.ddq[None])
    needs = tuple(motion_needs(case, MotionRanges.at_instants(at_start)))
    found = Needs(Slices(np.zeros(1), np.zeros(1)), needs)
    if found.first is not None:
        return found.refusal(found.first).at_start()
    if not pose:
        return None
    near = pose_clearance(case.scene, start.q, case.tube.position, case.clearance)
    if not isinstance(near, Refusal):
        return None
    refusal, hint = near.at_start(), "" if near.constraint == "obstacles" else OWN_BODIES
    return replace(refusal, sentence=refusal.sentence + hint)


def _motion_margins(
    case: SafetyCase, trajectory: Trajectory, step: float
) -> tuple[Margin, ...] | Refusal:
    """Return the margins of the joints' motion; if the first state is at fault, that is said."""
    bound = LimitBound(partial(motion_needs, case), trajectory, depth=0)
    found = bound.margins(Slices.between(even_edges(trajectory, step)))
    if isinstance(found, Refusal):
        return start_refusal(case, MotionState.of(trajectory, 0.0), pose=False) or found
    return found


def _speed_margins(case: SafetyCase, trajectory: Trajectory) -> tuple[Margin, ...] | Refusal:
    """Return the margins of speeds and energy."""
    if not case.speeds.any:
        return ()
    bound = LimitBound(partial(speed_needs, case), trajectory)
    return bound.margins(Slices.between(even_edges(trajectory, SPEED_STEP)))


def _check(case: SafetyCase, trajectory: Trajectory, step: float) -> None:
    """Raise unless a motion is one of this arm."""
    duration = trajectory.duration
    if not (np.isfinite(duration) and duration > 0.0):
        raise InputError(f"A motion needs a duration above 0 s; found {duration!r}.")
    if not (np.isfinite(step) and step > 0.0):
        raise InputError(f"Slices of time need a length above 0 s; found {step!r}.")
    joints = trajectory.at(np.zeros(1)).q.shape[1]
    if joints != case.model.n:
        raise InputError(f"The motion is of {joints} joints; the arm has {case.model.n}.")
