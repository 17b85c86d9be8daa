"""Which publisher sent a message, by the numbers that publishers count theirs with; no ROS here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

MOST = 2500.0  # [Hz] messages of one publisher that may have been lost, ...
LOST = 1000  # ... and so many more: a queue may have been full
LONGEST = 1.0  # [s] for which they may have been, and after which another one is rather heard
KEPT = 50  # publishers that are remembered
OTHERS = 200  # numbers of other messages that are remembered
NEAR = 2.0  # messages, by which one may come early or late that goes on
NEW = 0.1  # weight of the newest time between two messages


@dataclass(eq=False)
class Publisher:
    """One that counts its messages.

    Attributes:
        last: Number of its newest one.
        heard: When that came [s].
        period: Usual time from one to the next [s]; infinite if not known.
        is_sure: Whether it is the sender, and not one who may have lost messages before this one.
        left: Number of the one before messages were lost, if that is what has happened.
        left_at: When that was [s].
    """

    last: int
    heard: float
    period: float = np.inf
    is_sure: bool = True
    left: int = 0
    left_at: float = -np.inf

    def goes_on(self, number: int, now: float) -> bool:
        """Tell whether a message that comes now [s] goes on from where some seemed to be lost."""
        if not self.left < number < self.last or now - self.left_at > LONGEST:
            return False
        passed = (now - self.left_at) / self.period if self.period > 0.0 else np.inf
        return number == self.left + 1 or abs(number - self.left - passed) <= NEAR

    def late(self, now: float) -> float:
        """Return by how many periods a next message that comes now [s] is late; negative: early."""
        if not 0.0 < self.period < np.inf:
            return np.inf
        return (now - self.heard) / self.period - 1.0


class Publishers:
    """Tells publishers of a topic apart.

    All messages are seen, in the order in which they came, and a number that follows another one
    is of the same publisher. One that is some numbers ahead is as well, unless the one that follows
    comes later: then nothing was lost, and what was ahead is another publisher's.
    """

    def __init__(self) -> None:
        """Begin without any."""
        self._known: list[Publisher] = []
        self._others: dict[int, float] = {}  # when a message of something else came [s]

    def skip(self, number: int | None, now: float) -> None:
        """Take in the number of a message of something else, of whomever, that comes now [s]."""
        if number:
            self._others.pop(number, None)
            self._others[number] = now
        if len(self._others) > OTHERS:
            del self._others[next(iter(self._others))]

    def of(self, number: int | None, now: float) -> Publisher | None:
        """Return who sent the next message; None where its number is not known.

        Where numbers before it were not heard, it is nobody known until the next one follows it.

        Args:
            number: Which of its publisher's messages it is; None or 0: not known.
            now: When it came [s].
        """
        if not number:
            return None
        found = self._sender(number, now)
        follows = found.last == number or self._follows(found, number)
        if follows and found.last < number:
            passed = now - found.heard
            old = found.period if np.isfinite(found.period) else passed
            found.period = old + NEW * (passed - old)
        found.last, found.heard = number, now
        return found if follows else Publisher(number, now, is_sure=False)

    def _sender(self, number: int, now: float) -> Publisher:
        """Return who has sent a message of a number."""
        heard = [one for one in self._known if now - one.heard <= LONGEST]
        found = self._among(heard, number, now) or self._among(self._known, number, now)
        if found is None:
            found = Publisher(number, now)
            self._remember(found)
        return found

    def _remember(self, one: Publisher) -> None:
        """Remember a new publisher, and those that were heard last."""
        latest = sorted(self._known, key=lambda known: known.heard)[1 - KEPT :]
        self._known = [*latest, one]

    def _follows(self, one: Publisher, number: int) -> bool:
        """Tell whether no message of a publisher is missing between its last one and a number."""
        between = range(one.last + 1, number)
        return one.last < number and (not between or self._were_others(between, one.heard))

    def _were_others(self, between: range, since: float) -> bool:
        """Tell whether all these numbers are of other messages that came since then [s]."""
        if len(between) > OTHERS:
            return False
        return all(self._others.get(number, -np.inf) >= since for number in between)

    def _among(self, known: Sequence[Publisher], number: int, now: float) -> Publisher | None:
        """Return who of some publishers can have sent a message of a number; None: nobody."""
        following = [one for one in known if self._follows(one, number)]
        if following:  # of several whose next one is due now
            return min(following, key=lambda one: abs(one.late(now)))
        for one in known:
            if one.goes_on(number, now):
                self._remember(Publisher(one.last, one.heard))
                one.last, one.heard, one.left_at = number - 1, one.left_at, -np.inf
                return one
        found, least = None, np.inf
        for one in known:
            ahead = number - one.last
            passed = min(max(now - one.heard, 0.0), LONGEST)  # clocks may be set back
            if 0 < ahead <= LOST + MOST * passed and ahead < least:
                found, least = one, ahead
        if found is not None:
            found.left, found.left_at = found.last, now
        return found
