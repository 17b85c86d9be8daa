"""The slider of a teach pendant that turns the controller's speed down; it knows no ROS.

A controller that scales its speed (joint_trajectory_controller, or a robot's own) runs through its
trajectory more slowly. The arm is then late, on the path of its motion, which is no fault as long
as the slider says so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

FULL = 99.5  # [%] from which the slider counts as full
LINGER = 0.5  # [s] after it came back to full within which the arm may still seem late
PATIENCE = 0.15  # [s] within which the slider's report must explain a late arm
REACH = 0.4  # [s] that an arm may be later than when it was last seen
UNEXPLAINED = 0.3  # [s] that it may be later than the reports explain, ramps and delays being short
FORGOTTEN = 30.0  # [s] in which what was not explained is forgotten


@dataclass
class SpeedSlider:
    """What the slider says.

    Attributes:
        topic: Where it is reported; empty: nowhere, so that a late arm is a fault at once.
        percent: Newest report [%].
        late_since: When the arm was first late without a reason [s]; None: it is not.
        unexplained: How much later the arm has become than the reports explain [s].
    """

    topic: str = ""
    percent: float = 100.0
    late_since: float | None = None
    unexplained: float = 0.0
    _asked: float = math.inf
    _full_since: float = -math.inf

    def hear(self, percent: float, now: float) -> None:
        """Take in a report [%] at a time [s]; what is not a number counts as no report."""
        if math.isnan(percent):
            return
        if percent >= FULL and not self.is_full:
            self._full_since = now
        self.percent = percent

    def begin(self) -> None:
        """Forget how late the arm has been: another motion begins."""
        self.late_since, self.unexplained, self._asked = None, 0.0, math.inf

    @property
    def is_full(self) -> bool:
        """Whether nothing is turned down, by the newest report."""
        return self.percent >= FULL

    def explains(self, now: float) -> bool:
        """Whether the arm may be late at a time [s]."""
        return not self.is_full or now - self._full_since < LINGER

    def expected(self, now: float) -> float:
        """Return by how much the arm should have become later since this was last asked [s]."""
        passed = min(max(now - self._asked, 0.0), REACH)
        self._asked = now
        self.unexplained *= math.exp(-passed / FORGOTTEN)
        return (1.0 - min(max(self.percent, 0.0), 100.0) / 100.0) * passed

    def is_too_late(self, lag: float, expected: float) -> bool:
        """Whether something else brakes the arm, which became later by `lag` [s]."""
        self.unexplained = max(self.unexplained + lag - expected, -UNEXPLAINED)
        return self.unexplained > UNEXPLAINED

    def waits(self, now: float) -> bool:
        """Whether a late arm may be explained yet; call it whenever the arm is late without it."""
        if not self.topic:
            return False
        if self.late_since is None:
            self.late_since = now
        return now - self.late_since < PATIENCE
