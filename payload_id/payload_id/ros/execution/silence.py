"""How long somebody was not heard, by a listener that may itself have stood still."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

STEP = 0.5  # [s] that one look usually adds at most: in what is more this process did not run


@dataclass
class RunningTime:
    """The time for which this process has run: of what it stood still hardly anything counts.

    By it, what was last said before a sleep is not old after it: what has come since is still to
    be read.

    Attributes:
        step: What passes at most between two looks [s].
    """

    step: float = STEP
    _looked: float = field(default_factory=lambda: time.monotonic())
    _slept: float = 0.0

    def now(self) -> float:
        """Return it, from any beginning [s]; to be called more often than every `step`."""
        now = time.monotonic()
        self._slept += max(0.0, now - self._looked - self.step)
        self._looked = now
        return now - self._slept


@dataclass
class Silence:
    """Time without a word, of which only what was listened to counts.

    A process that was stopped for a while, as by a debugger or a laptop's lid, finds all that was
    said meanwhile in its queues: it is no silence of those who spoke.

    Attributes:
        seconds: Its length at the last look [s].
        step: What one look adds at most [s].
    """

    seconds: float = 0.0
    step: float = STEP
    _looked: float = field(default_factory=lambda: time.monotonic())

    def end(self) -> None:
        """Note that something was heard."""
        self.seconds, self._looked = 0.0, time.monotonic()

    def look(self) -> float:
        """Return its length [s]; to be called more often than every `step`."""
        now = time.monotonic()
        self.seconds += min(now - self._looked, self.step)
        self._looked = now
        return self.seconds
