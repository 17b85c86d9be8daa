"""Signals that end a command in order, whichever of them comes."""

from __future__ import annotations

import signal
from types import FrameType

_heard: list[int] = []


def raise_interrupts() -> None:
    """Have SIGINT, SIGTERM and SIGHUP raise KeyboardInterrupt in the main thread.

    The last one comes when a terminal is closed; `nohup` has it ignored, which stays so.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)


def interrupts() -> int:
    """Return how many there have been: a library may have taken the exception for its own."""
    return len(_heard)


def _interrupt(number: int, _: FrameType | None) -> None:
    """Note a signal, and raise."""
    _heard.append(number)
    raise KeyboardInterrupt
