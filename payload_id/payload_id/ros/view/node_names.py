"""Names of the nodes that the view talks to; nothing here needs ROS."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NodeNames:
    """Full or relative names of the nodes.

    Attributes:
        sampler: Empty: the one whose samples the estimator takes, as its condition tells.
    """

    sampler: str = ""
    estimator: str = "payload_estimator"
    planner: str = "payload_planner"
    bridge: str = "payload_bridge"
