"""A team's estimate as data arrive: samples of any robot in, an estimate out.

What the result depends on is the samples and the moments of the updates, never any clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..body.payload_prior import PayloadPrior
from .bounds import TeamBounds
from .estimate import TeamEstimate
from .samples import RobotSamples


@dataclass(frozen=True)
class TeamSettings:
    """How to identify.

    Attributes:
        estimator: Name of the point estimator, of `core.estimators`.
        intervals: Name of the interval method, of `core.bounds`; "none" for none.
        window: Length of the windows over which momentum is balanced [s].
        patience: Time a robot may lag behind the newest data before the others go on without
            it [s].
    """

    estimator: str = "lmi"
    intervals: str = "hull"
    window: float = 1.0
    patience: float = 0.5


class TeamEstimator:
    """Takes samples of every robot as they come and estimates frames, clocks and payload."""

    def __init__(
        self,
        names: Sequence[str] = (),
        bounds: TeamBounds | None = None,
        prior: PayloadPrior | None = None,
        settings: TeamSettings | None = None,
    ) -> None:
        """Prepare.

        Args:
            names: Of the robots that hold the payload from the beginning, the first one's grasp
                frame and clock being the reference. Others join with their first samples.
            bounds: What is assumed about them.
            prior: Box that holds the payload, about the first robot's grasp frame.
            settings: How to identify.
        """

    def add(self, samples: RobotSamples) -> None:
        """Take in samples of one robot, newer than all it gave before; cheap, no estimate.

        Robots may come in any order, in pieces of any length. A robot that has not been named
        joins: it is taken to hold the payload from its first sample on.

        Raises:
            RecordingError: The samples do not fit those before.
        """

    def leave(self, name: str, time: float) -> None:
        """Note that a robot has let go of the payload, at a time on its own clock [s].

        A robot that merely falls silent is taken to hold on, with forces that nobody knows.
        """

    def update(self) -> TeamEstimate:
        """Return the estimate from all data so far."""
        raise NotImplementedError
