"""How long somebody was not heard, by a listener that may itself have stood still."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field

STEP = 0.5  # [s] that one look usually adds at most: in what is more this process did not run
WAKING = 1.0  # [s] after such a time in which what has come meanwhile is read
RECENT = 50  # messages by which it is known how long one takes from its sender to its reader


@dataclass
class RunningTime:
    """The time, but for what this process stood still of late.

    By it, what was last said before a sleep is not old just after it: what has come since is still
    to be read. Who has nothing to lose by waiting for that goes by the real time.

    Attributes:
        step: Between two looks, beyond which this process stood still [s].
    """

    step: float = STEP
    _looked: float = field(default_factory=lambda: time.monotonic())
    _sleeps: list[tuple[float, float]] = field(default_factory=list)  # length, and its end [s]

    def real(self) -> float:
        """Return the time from any beginning, by which what is said is to be dated [s]."""
        return time.monotonic()

    def now(self) -> float:
        """Return it less the sleeps of late [s]; to be called more often than every `step`."""
        now = self.real()
        if (slept := now - self._looked - self.step) > 0.0:
            self._sleeps.append((slept, now))
        self._looked = now
        self._sleeps = [sleep for sleep in self._sleeps if now - sleep[1] < WAKING]
        return now - sum(length for length, _ in self._sleeps)


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


@dataclass
class Lateness:
    """By how much messages are read later than usual, as after this process stood still.

    Their senders' clocks need not agree with that of their reader: a message is held against those
    just before it.
    """

    _delays: deque[float] = field(default_factory=lambda: deque(maxlen=RECENT))

    def of(self, sent_ns: int) -> float:
        """Return that of a message that is read now [s].

        Args:
            sent_ns: When it was sent, by its sender's clock [ns]; 0: not known.
        """
        if not sent_ns:
            return 0.0
        self._delays.append(1e-9 * (time.time_ns() - sent_ns))
        return self._delays[-1] - min(self._delays)
