"""Whether what the estimator says of the payload agrees with what a motion was certified for."""

from __future__ import annotations

from payload_id_msgs.msg import PayloadEstimate

from ..execution.start_check import NotReadyError
from .plan_messages import ESTIMATED, estimate_intervals, is_usable
from .planning.request import Goal


def check_payload(estimate: PayloadEstimate | None, goal: Goal) -> None:
    """Raise unless what the estimator says now agrees with the intervals of a goal.

    Raises:
        NotReadyError: The data are inconsistent, or it may be another payload.
    """
    if estimate is not None and estimate.status == PayloadEstimate.INCONSISTENT:
        raise NotReadyError(f"The estimator finds the data inconsistent: {estimate.message}")
    planned = goal.intervals == ESTIMATED
    if not is_usable(estimate):
        if planned:
            raise NotReadyError(
                "The estimator has forgotten the payload that this plan was made for. Plan again."
            )
        return
    lower, upper = estimate_intervals(estimate)
    slack = 1e-9 * (1.0 + goal.payload_upper - goal.payload_lower)
    wider = (lower < goal.payload_lower - slack) | (upper > goal.payload_upper + slack)
    if is_disjoint(estimate, goal) or (planned and wider.any()):
        raise NotReadyError(
            "The estimator's intervals are not within those of this plan: it was made for another "
            "payload. Plan again."
        )


def is_disjoint(estimate: PayloadEstimate | None, goal: Goal) -> bool:
    """Tell whether an interval of an estimate does not meet that of a goal."""
    lower, upper = estimate_intervals(estimate)
    return bool(((lower > goal.payload_upper) | (upper < goal.payload_lower)).any())
