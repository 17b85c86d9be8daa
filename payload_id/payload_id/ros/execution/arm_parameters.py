"""Parameters of the nodes that follow where the arm is."""

from __future__ import annotations

from dataclasses import dataclass

from ..common.parameters import NodeParameters, declared, parameter
from ..common.shared_parameters import RELIABILITY

ACTION, EFFORT, TEAM = "follow_joint_trajectory", "effort", "team_topics"


@dataclass(frozen=True)
class ArmParameters(NodeParameters):
    """Parameters of the nodes that follow where the arm is."""

    reliability: str = declared(RELIABILITY)
    clock_tolerance: float = parameter(
        0.2,
        "By how much stamps of joint states may differ from this node's clock, which must be that "
        "of the arm's controller.",
        "s",
        0.001,
        60.0,
    )
    estimator: str = parameter(
        "payload_estimator",
        "Node of the estimates whose intervals motions are certified for; relative names lie in "
        "this node's namespace. Its topic is <estimator>/payload; the planner's ~/identify calls "
        "<estimator>/begin and what ends a run.",
    )
    back_end: str = parameter(
        "",
        "How motion reaches the arm's controller: by goals of its action, which it answers and "
        "judges (also if this is empty). effort: by torques of the robust controller, for drivers "
        "that execute them. team_topics: an Omnid, by set-points on its team's topics. Planner and "
        "bridge must have the same: for effort, motions are certified with a robust design.",
        choices=("", ACTION, EFFORT, TEAM),
    )

    @property
    def by_torques(self) -> bool:
        """Whether torques are sent."""
        return self.back_end == EFFORT
