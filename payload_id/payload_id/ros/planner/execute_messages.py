"""What whoever has the arm moved is told, and must have been told before."""

from __future__ import annotations

from payload_id_msgs.action import Execute, Identify
from payload_id_msgs.msg import PlanDescription, StopReason

from ...core.arrays import Array
from ..execution.start_check import NotReadyError
from ..execution.stop_reason import Reason
from .bridge_link import FollowedMotion
from .horizon_execution import HorizonExecution


def execute_feedback(followed: FollowedMotion, now: float, paused: bool) -> Execute.Feedback:
    """Return how far a motion is, at a time on it [s]."""
    return Execute.Feedback(
        phase="paused" if paused else followed.phase.value,
        time=now,
        remaining=followed.remaining,
        tube_use=followed.tube_use,
    )


def message_of_reason(reason: Reason, said: str) -> StopReason:
    """Return a reason as a message."""
    return StopReason(code=getattr(StopReason, reason.name), sentence=said)


def identify_feedback(horizon: HorizonExecution, half_width: Array) -> Identify.Feedback:
    """Return how far a receding horizon is."""
    seconds, execution = horizon.planning_seconds, horizon.execution
    return Identify.Feedback(
        phase=horizon.phase,
        piece=len(horizon.condition_numbers),
        planning_seconds=seconds[-1] if seconds else 0.0,
        largest_planning_seconds=max(seconds, default=0.0),
        half_width=half_width,
        tube_use=0.0 if execution is None else execution.tube_use,
    )


def check_confirmed(asked: Execute.Goal, description: PlanDescription) -> None:
    """Raise unless who asks has read the description of the plan.

    Raises:
        NotReadyError: The plan is not named, or the token is not that of its description.
    """
    if not asked.plan_id:
        raise NotReadyError("Name the plan that is to be executed: plan_id, as ~/plan gave it.")
    if asked.token != description.token:
        raise NotReadyError(
            f"The token is not that of plan {asked.plan_id}: read its description (~/describe) and "
            "give the token that comes with it."
        )
