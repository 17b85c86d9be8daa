"""Names of the nodes that a view talks to; nothing here needs ROS."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Names:
    """Full or relative names of the nodes."""

    sampler: str = "payload_sampler"
    estimator: str = "payload_estimator"
    planner: str = "payload_planner"
    bridge: str = "payload_bridge"
