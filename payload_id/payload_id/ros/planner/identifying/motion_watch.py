"""What is looked at while an exciting motion runs: whether it is to end, and what to hold out.

The newest part of the data tests the estimate of what came before: of one motion the last
`HELD_OUT`, of a receding horizon its last piece. Once a target is reached, the motion goes on for
`HELD_OUT_LEAST`, so that there is something to test it with.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from payload_id_msgs.action import Identify

from ....core.arrays import Array
from .estimator_link import EstimatorLink
from .outcome import found_sentence

Result = Identify.Result
HELD_OUT = 0.3  # part of one motion at whose end the data are held out
HELD_OUT_LEAST = 1.0  # [s] that are held out once a target is reached
CLOSING = 6.0  # [s] that solving, validating and saving usually take


@dataclass
class MotionWatch:
    """Looks every tenth of a second.

    Attributes:
        link: The estimator.
        target: Half-widths that are wanted, shape (10,); None: none.
        bare: Whether nothing is in the hand, for a tare: nothing is held out then.
        end: Called to end the motion, with a code (NONE: the target is reached) and a sentence.
        hold_out: Called to have the estimator hold out what comes from now on.
        held_since: When that was last done, by `time.monotonic`; None: not yet.
    """

    link: EstimatorLink
    target: Array | None
    bare: bool
    end: Callable[[int, str], object]
    hold_out: Callable[[], object]
    held_since: float | None = None
    _pieces: int = field(default=0)

    def look(self, left: float, part: float, pieces: int | None, most_pieces: int) -> None:
        """Look.

        Args:
            left: Of the goal's time limit [s].
            part: Of the motion that is over [-]; NaN: it does not move yet.
            pieces: Of a receding horizon so far; None: it is one motion.
            most_pieces: It ends after so many; 0: no bound.
        """
        if trouble := self.link.trouble:
            self.end(Result.ESTIMATOR_LOST, f"{trouble}.")
        elif left < CLOSING:
            self.end(Result.OUT_OF_TIME, "time_limit is over.")
        elif not self.bare:
            self._look(part > 1.0 - HELD_OUT, pieces, most_pieces)

    def _look(self, late: bool, pieces: int | None, most_pieces: int) -> None:
        """Hold out what comes from now on, or end the motion because enough is known."""
        reached, first = self._is_reached(), self.held_since is None
        if pieces is None:
            due = first and (reached or late)
        else:
            due = pieces > max(self._pieces, 1) or (first and reached)
            due = due or (first and late and pieces == most_pieces == 1)
            self._pieces = pieces
        if due:
            self.held_since = time.monotonic()
            self.hold_out()
        elif reached and self.held_since is not None:
            if time.monotonic() - self.held_since > HELD_OUT_LEAST:
                self.end(Result.NONE, "")

    def _is_reached(self) -> bool:
        """Whether every half-width is as small as asked for."""
        estimate = self.link.estimate
        if self.target is None or estimate is None or not found_sentence(estimate):
            return False
        half = (np.array(estimate.upper) - np.array(estimate.lower)) / 2
        return bool((half <= self.target).all())
