"""What is looked at while an exciting motion runs: whether it is to end, and what to hold out.

The newest part of the data tests the estimate of what came before: of one motion the last
`HELD_OUT`, of a receding horizon its last piece. Once enough is known, the motion goes on for
`HELD_OUT_LEAST`, so that there is something to test it with.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from payload_id_msgs.action import Identify
from payload_id_msgs.msg import PayloadEstimate

from .estimator_link import EstimatorLink

Result = Identify.Result
HELD_OUT = 0.3  # part of one motion at whose end the data are held out
HELD_OUT_LEAST = 1.0  # [s] that are held out once enough is known
CLOSING = 6.0  # [s] that solving, validating and saving usually take


@dataclass
class MotionWatch:
    """Looks every tenth of a second.

    Attributes:
        link: The estimator.
        until_good: Whether the motion ends once the estimate is GOOD.
        bare: Whether nothing is in the hand, for a tare: nothing is held out then.
        end: Called to end the motion, with a code (NONE: enough is known) and a sentence.
        hold_out: Called to have the estimator hold out what comes from now on.
        held_since: When that was last done, by `time.monotonic`; None: not yet.
    """

    link: EstimatorLink
    until_good: bool
    bare: bool
    end: Callable[[int, str], object]
    hold_out: Callable[[], object]
    held_since: float | None = None
    _pieces: int = 1

    def look(self, left: float, part: float, pieces: int, last: int) -> None:
        """Look.

        Args:
            left: Of the goal's time limit [s].
            part: Of the motion that is over [-]; NaN: it does not move yet.
            pieces: That have begun; one motion is one.
            last: It ends after so many; 0: no bound.
        """
        if trouble := self.link.trouble:
            self.end(Result.ESTIMATOR_LOST, f"{trouble}.")
        elif left < CLOSING:
            self.end(Result.OUT_OF_TIME, "time_limit is over.")
        elif not self.bare:
            self._look(part > 1.0 - HELD_OUT, pieces, last)

    def _look(self, late: bool, pieces: int, last: int) -> None:
        """Hold out what comes from now on, or end the motion because enough is known."""
        reached = self._is_reached()
        if self._is_due(reached, late, pieces, last):
            self.held_since = time.monotonic()
            self.hold_out()
        elif reached and self.held_since is not None:
            if time.monotonic() - self.held_since > HELD_OUT_LEAST:
                self.end(Result.NONE, "")

    def _is_due(self, reached: bool, late: bool, pieces: int, last: int) -> bool:
        """Whether what comes from now on is to be held out."""
        another, self._pieces = pieces > self._pieces, max(pieces, 1)
        due = reached or (late and pieces == last == 1)
        return another or (self.held_since is None and due)

    def _is_reached(self) -> bool:
        """Whether enough is known to end the motion."""
        estimate = self.link.estimate
        return self.until_good and estimate is not None and estimate.status == PayloadEstimate.GOOD
