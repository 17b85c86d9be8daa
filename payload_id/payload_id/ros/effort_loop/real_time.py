"""What a process can do to act in time: be scheduled in real time, and sleep until a moment."""

from __future__ import annotations

import os
import time

PRIORITY = 60  # of the process among those in real time, where that is allowed


def sleep_until(moment: float) -> None:
    """Sleep until a moment of the monotonic clock [s], if that is to come."""
    pause = moment - time.monotonic()
    if pause > 0.0:
        time.sleep(pause)


def scheduled_in_real_time() -> bool:
    """Have this process scheduled in real time, if that is allowed; return whether it is."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    except (OSError, AttributeError):
        return False
    return True
