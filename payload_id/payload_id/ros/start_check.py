"""Whether a motion may begin: rest, limits, place, payload; each refusal is one sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from payload_id_msgs.msg import PayloadEstimate

from ..core.errors import InputError
from ..core.inertial import Array
from ..core.safety.tube import TrackingTube
from ..core.safety.tube_watch import position_error
from ..files.robot_sections import JointLimits
from .motion_execution import AT_REST
from .plan_messages import ESTIMATED, estimate_intervals, is_usable
from .planning_request import Goal


class NotReadyError(InputError):
    """The arm is not where, or not as, a motion could begin."""


def check_rest(joints: Sequence[str], speed: Array, topic: str) -> None:
    """Raise unless the arm stands still.

    Raises:
        NotReadyError: It moves.
    """
    if (speed > AT_REST).any():
        j = int(np.argmax(speed))
        raise NotReadyError(
            f"The arm is moving: {joints[j]} at {speed[j]:.3g} rad/s (m/s) on {topic}, at most "
            f"{AT_REST:g} counts as rest. Wait until it stands still."
        )


def check_limits(joints: Sequence[str], q: Array, limits: JointLimits, topic: str) -> None:
    """Raise unless a pose lies within the position limits.

    Raises:
        NotReadyError: It does not.
    """
    outside = (q < limits.position_lower) | (q > limits.position_upper)
    if outside.any():
        j = int(np.argmax(outside))
        raise NotReadyError(
            f"The arm is outside the limits '{limits.name}': {joints[j]} is at {q[j]:.4g} on "
            f"{topic}, allowed are {limits.position_lower[j]:.4g} to "
            f"{limits.position_upper[j]:.4g}. Move it back by hand, or name other limits."
        )


def check_place(
    joints: Sequence[str],
    q: Array,
    start: Array,
    tube: TrackingTube,
    continuous: Sequence[bool],
    topic: str,
) -> None:
    """Raise unless the arm is where a plan begins.

    Raises:
        NotReadyError: It is elsewhere.
    """
    e = np.abs(position_error(start, q, continuous))
    if (e > tube.position).any():
        j = int(np.argmax(e - tube.position))
        raise NotReadyError(
            f"The arm is not where the plan begins: {joints[j]} is at {q[j]:.4g} on {topic}, the "
            f"plan begins at {start[j]:.4g}. Plan again."
        )


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


def start_of(
    q: Array, holding: Array | None, tube: TrackingTube, continuous: Sequence[bool]
) -> Array:
    """Return the pose from which to plan: the one that the controller holds, if it is known.

    A controller that gives way under the load would otherwise sink a little with every motion.

    Args:
        q: Measured pose, shape (n,) [rad or m].
        holding: End of the last motion; None if there was none.
        tube: How far the arm may be from what its controller holds.
        continuous: Joints whose position may be reported up to whole turns.
    """
    if holding is None:
        return q
    near = np.abs(position_error(holding, q, continuous)) <= tube.position
    return holding if near.all() else q
