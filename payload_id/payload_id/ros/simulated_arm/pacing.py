"""Keeping a loop in step with the wall clock."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from ..common.timeouts import LOG

LATE = 0.1  # [s] behind the wall clock that is worth a warning
CATCH_UP = 0.8  # least time between two rounds over the period [-]


class Pace:
    """Due times of the rounds of a loop: start + count * period.

    They do not drift: a late round is followed by somewhat faster ones until the loop has caught
    up. They are not faster than `CATCH_UP` says, since whoever commands a simulated robot counts on
    its time to pass as his own does. A loop that stays behind says so now and then.
    """

    def __init__(self, period: float, warn: Callable[[str], object]) -> None:
        """Start the clock.

        Args:
            period: Time between two rounds [s].
            warn: Called with a sentence when the loop is late.
        """
        self._period, self._warn = period, warn
        self._start = time.monotonic()
        self._last, self._quiet_until = self._start - period, self._start

    def go_on(self, count: int) -> None:
        """Count from now on, after a pause: round `count` is due at once."""
        self._start = time.monotonic() - count * self._period

    def wait_for(self, count: int, stopping: threading.Event) -> None:
        """Wait until round `count` is due, or until `stopping` is set."""
        now, due = time.monotonic(), self._start + count * self._period
        pause = max(due, self._last + CATCH_UP * self._period) - now
        if pause > 0:
            stopping.wait(pause)
        self._last = time.monotonic()
        if now - due > LATE and now >= self._quiet_until:
            self._quiet_until = now + LOG
            self._warn(
                f"The simulation is {now - due:.2f} s behind the wall clock. Lower "
                "real_time_factor or rate, or leave it more of the processor."
            )
