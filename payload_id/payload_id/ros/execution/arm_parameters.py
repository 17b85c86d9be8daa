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
    effort_period: float = parameter(
        0.001,
        "Time between two torques.",
        "s",
        0.0005,
        0.1,
    )
    effort_delay: float = parameter(
        0.003,
        "Longest time from a joint state's stamp until its torque acts; a robust design must be of "
        "a period of at least effort_period and this.",
        "s",
        0.0,
        0.1,
    )

    @property
    def torque_period(self) -> float | None:
        """Time within which torques follow the state [s]; None: no torques are sent."""
        return self.effort_period + self.effort_delay if self.back_end == EFFORT else None
