"""Goals, plans and their figures between messages and the planner's plain values."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from payload_id_msgs.msg import ExcitationGoal, PayloadEstimate, PlanDescription
from visualization_msgs.msg import MarkerArray

from ...core.body.payload_prior import PayloadPrior
from ...core.errors import InputError
from ...planning.request import LONGEST, Goal, Planned
from ..common.colours import Colour
from ..common.conversions import time_message
from ..common.markers import in_frame, triangles
from .certified_intervals import intervals_from
from .parameters import PlannerParameters

LEAST_SCALE = 0.05  # of the speed: a slower motion takes too long to certify


def goal_from(
    message: ExcitationGoal,
    defaults: PlannerParameters,
    limits: str,
    estimate: PayloadEstimate | None,
    prior: PayloadPrior,
) -> Goal:
    """Return a goal with all blanks filled in.

    Args:
        message: The message.
        defaults: Parameters of the planner.
        limits: Set of joint limits where the goal names none.
        estimate: The estimator's newest one; None if there is none.
        prior: Box of the payload before any data.

    Raises:
        InputError: A number is impossible, or an interval is inverted.
        UnknownNameError: There is no such family or criterion.
    """
    lower, upper, source = intervals_from(message, estimate, prior)
    return Goal(
        family=message.family or defaults.family,
        criterion=message.criterion or defaults.criterion,
        duration=_number(message.duration, defaults.duration, "duration", "s", LONGEST),
        speed_scale=_number(message.speed_scale, 1.0, "speed_scale", "", 1.0),
        time_budget=_number(message.time_budget, defaults.time_budget, "time_budget", "s", 600.0),
        seed=abs(message.seed),
        limits=message.limits or limits,
        payload_lower=lower,
        payload_upper=upper,
        intervals=source,
    )


def description_message(plan: Planned, joints: Iterable[str], frame: str, stamp_ns: int,
                        notes: Iterable[str]) -> PlanDescription:  # fmt: skip
    """Return what a person reads before a plan is executed.

    Args:
        plan: The plan.
        joints: Names of the joints.
        frame: Base frame.
        stamp_ns: When it was planned [ns].
        notes: Further assumptions, one sentence each.
    """
    figures, goal, motion = plan.figures, plan.request.goal, plan.motion
    trajectory = motion.trajectory
    message = PlanDescription(plan_id=plan.request.plan_id, summary=summary_of(plan))
    message.header.stamp, message.header.frame_id = time_message(stamp_ns), frame
    message.family, message.criterion, message.limits = goal.family, goal.criterion, goal.limits
    message.duration, message.longest_stop = trajectory.duration, motion.longest_stop
    message.intervals = goal.intervals
    message.joint_names = list(joints)
    message.start_positions = plan.request.start
    message.goal_positions = trajectory.at(np.array([trajectory.duration])).q[0]
    for name in ("position", "velocity", "acceleration", "torque"):
        setattr(message, f"peak_{name}_percent", 100.0 * getattr(figures, name))
    message.tube_position, message.tube_velocity = motion.tube.position, motion.tube.velocity
    message.least_clearance = figures.clearance
    message.clearance_percent = clearance_percent(plan)
    message.closest_pair = " and ".join(figures.closest)
    message.half_width_now = figures.half_width_now
    message.half_width_expected = figures.half_width_expected
    message.certificate_path = plan.certificate_path
    message.certificate_digest = plan.certificate.digests["trajectory"]
    message.assumptions = [*plan.certificate.assumptions, *notes]
    message.planning_seconds = figures.seconds
    return message


def clearance_percent(plan: Planned) -> float:
    """Return the required clearance as per cent of the least one; 0 if none is required."""
    required = plan.clearance
    return 100.0 * required / plan.figures.clearance if required else 0.0


def summary_of(plan: Planned) -> str:
    """Return the figures as a few sentences."""
    figures, goal, motion = plan.figures, plan.request.goal, plan.motion
    closest = (
        f"At least {1000 * figures.clearance:.0f} mm between {' and '.join(figures.closest)}. "
        if figures.closest
        else ""
    )
    mass = figures.half_width_now[0], figures.half_width_expected[0]
    calibrated = ""
    if figures.half_width_calibrated is not None:
        half = figures.half_width_calibrated[0]
        calibrated = (
            f" By the arm's history: ± {half:.2g} kg with 95 %."
            if math.isfinite(half)
            else " The arm's history has too few runs for an interval with 95 %."
        )
    return (
        f"{motion.trajectory.duration:.1f} s ({goal.family}), at rest within "
        f"{motion.longest_stop:.1f} s after a stop. Of the limits '{goal.limits}' it uses at most: "
        f"speed {figures.velocity.max():.0%}, torque {figures.torque.max():.0%}. {closest}"
        f"Expected: mass ± {mass[0]:.3g} kg becomes ± {mass[1]:.2g} kg.{calibrated}"
    )


def swept_markers(plan: Planned, frame: str) -> MarkerArray:
    """Return what arm, tool and payload sweep, one marker for each body."""
    shown = [
        triangles(Colour.YELLOW if x.attached else Colour.BLUE, 0.3, x.triangles)
        for x in plan.swept
    ]
    return in_frame(shown, frame, 0, ns="swept")


def _number(given: float, default: float, name: str, unit: str, most: float) -> float:
    """Return a number of the goal, or the default for 0."""
    if given == 0.0:
        return default
    if not 0.0 < given <= most:
        raise InputError(
            f"The goal's '{name}' must be above 0 and at most "
            f"{most:g}{f' {unit}' if unit else ''}, or 0 for the default; found {given!r}."
        )
    return given
