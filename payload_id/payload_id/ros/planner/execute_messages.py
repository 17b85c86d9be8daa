"""What whoever has the arm moved is told, and must have been told before."""

from __future__ import annotations

import math

import numpy as np
from payload_id_msgs.action import Execute, Identify
from payload_id_msgs.msg import PayloadEstimate, PlanDescription

from ...core.arrays import Array
from ...core.safety.certificate.certificate import Certificate
from ...core.safety.margins.margin import CLEARANCES
from ..execution.start_check import NotReadyError
from .bridge_client import Following
from .horizon import Horizon
from .identifying.stages import Stages


def identify_feedback(
    stages: Stages,
    horizon: Horizon | None,
    following: Following | None,
    estimate: PayloadEstimate | None,
    half_width: Array,
    tightest: tuple[str, float],
) -> Identify.Feedback:
    """Return how far an identification is.

    Args:
        stages: How far it is.
        horizon: That moves the arm; None: a single motion, or none.
        following: The motion in progress; None: the arm is not moved.
        estimate: The newest; None: there is none.
        half_width: Of the intervals in force, shape (10,).
        tightest: Limit of the motion's certificate, and the part that is left of it.
    """
    told = Identify.Feedback(state=stages.state, half_width=half_width)
    told.progress, told.seconds_left = stages.progress()
    told.status, told.phi = PayloadEstimate.WAITING, np.full(10, np.nan)
    if estimate is not None:
        told.status, told.phi = estimate.status, estimate.phi
    if horizon is not None:
        seconds, told.phase = horizon.planning_seconds, horizon.phase
        told.piece = len(horizon.begun)
        told.planning_seconds = seconds[-1] if seconds else 0.0
        told.largest_planning_seconds = max(seconds, default=0.0)
        tightest = tightest_limit(horizon.begun[-1].certificate if horizon.begun else None)
    told.worst, told.worst_margin = tightest
    if following is not None:
        told.phase, told.tube_use = following.told.phase, following.told.tube_use
        if not told.worst_margin <= 1.0 - told.tube_use:
            told.worst, told.worst_margin = "tracking error", 1.0 - told.tube_use
    return told


def tightest_limit(certificate: Certificate | None) -> tuple[str, float]:
    """Return the limit of a certificate of which least is left, and that part; NaN: none."""
    margins = [] if certificate is None else certificate.margins
    relative = [margin for margin in margins if margin.constraint not in CLEARANCES]
    if not relative:
        return "", math.nan
    least = min(relative, key=lambda margin: margin.left)
    return f"{least.constraint} of {' and '.join(least.where)}", least.left


def check_confirmed(asked: Execute.Goal, description: PlanDescription) -> None:
    """Raise unless who asks has read the description of the plan.

    Raises:
        NotReadyError: The plan is not named, or the token is not that of its description.
    """
    if not asked.plan_id:
        raise NotReadyError("Name the plan that is to be executed: plan_id, as ~/plan gave it.")
    if asked.token != description.token:
        raise NotReadyError(
            f"The token is not that of plan {asked.plan_id}: read its description, as the action "
            "~/plan gave it, and give the token that comes with it."
        )
