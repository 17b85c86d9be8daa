"""What findings are made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...bounds import Bounds
from ..blocks import Blocks
from ..received import Arrival
from ..samples import RobotSamples
from ..source import TeamSource
from ..windows import Windows


@dataclass(frozen=True)
class Evidence:
    """What findings are made from.

    Attributes:
        source: Frames and clocks as motions tell them, with bounds.
        robots: Samples that are kept of each robot, None for none.
        blocks: Means of pose and twist.
        windows: Of forces.
        found: Bounds on phi.
        arrival: Who is silent, or on another clock.
        step: Of the grid on which samples are taken [s].
    """

    source: TeamSource
    robots: Sequence[RobotSamples | None]
    blocks: Blocks
    windows: Windows
    found: Bounds
    arrival: Arrival
    step: float

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the robots, the reference first."""
        return self.source.robots
