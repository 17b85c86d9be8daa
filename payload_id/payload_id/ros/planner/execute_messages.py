"""What whoever has the arm moved is told, and must have been told before."""

from __future__ import annotations

from payload_id_msgs.action import Execute, Identify
from payload_id_msgs.msg import PlanDescription

from ...core.arrays import Array
from ..execution.motion_execution import MotionExecution
from ..execution.start_check import NotReadyError
from .horizon_execution import HorizonExecution


def execute_feedback(execution: MotionExecution, now: float, paused: bool) -> Execute.Feedback:
    """Return how far a motion is, at a time on it [s]."""
    return Execute.Feedback(
        phase="paused" if paused else execution.phase.value,
        time=now,
        remaining=max(0.0, execution.commanded.duration - now),
        tube_use=execution.watch.use,
    )


def identify_feedback(horizon: HorizonExecution, half_width: Array) -> Identify.Feedback:
    """Return how far a receding horizon is."""
    seconds, execution = horizon.planning_seconds, horizon.execution
    return Identify.Feedback(
        phase=horizon.phase,
        piece=len(horizon.condition_numbers),
        planning_seconds=seconds[-1] if seconds else 0.0,
        largest_planning_seconds=max(seconds, default=0.0),
        half_width=half_width,
        tube_use=0.0 if execution is None else execution.watch.use,
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
