"""Parameters of the nodes that follow where the arm is."""

from __future__ import annotations

from dataclasses import dataclass

from ..common.parameters import Parameter
from ..common.shared_parameters import JOINT_STATES_TOPIC, RELIABILITY

ARM_PARAMETERS = (
    JOINT_STATES_TOPIC,
    RELIABILITY,
    Parameter(
        "clock_tolerance",
        0.2,
        "By how much stamps of joint states may differ from this node's clock, which must be that "
        "of the arm's controller.",
        "s",
        0.001,
        60.0,
    ),
    Parameter(
        "estimator",
        "payload_estimator",
        "Node of the estimates whose intervals motions are certified for; relative names lie in "
        "this node's namespace. Its topic is <estimator>/payload; the planner's ~/identify calls "
        "<estimator>/begin and what ends a run.",
    ),
)


@dataclass(frozen=True)
class ArmParameters:
    """Values of `ARM_PARAMETERS`, which explains them."""

    joint_states_topic: str
    reliability: str
    clock_tolerance: float
    estimator: str
