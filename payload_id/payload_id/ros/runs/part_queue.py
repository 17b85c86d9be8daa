"""What waits between one thread that hands over and one that takes in: bounded, the oldest lost."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sized
from typing import Generic, TypeVar

Part = TypeVar("Part", bound=Sized)


class PartQueue(Generic[Part]):
    """Parts of what was measured; who hands over never waits for long.

    Where there is no room, the oldest parts are lost, and counted with the part behind them.

    Attributes:
        written: Number of parts handed over so far.
        size: Length of all parts that wait.
    """

    def __init__(self, capacity: int) -> None:
        """Make room for parts of so much length in all."""
        self._capacity, self._lock = capacity, threading.Lock()
        self._parts: deque[tuple[Part, int]] = deque()  # each with what was lost before it
        self.written = self.size = 0

    def put(self, part: Part, lost: int = 0) -> None:
        """Hand over a part, and how much was lost before it on the way here."""
        with self._lock:
            self._parts.append((part, lost))
            self.written += 1
            self.size += len(part)
            while self.size > self._capacity and len(self._parts) > 1:
                oldest, before = self._taken_out()
                following, own = self._parts[0]
                self._parts[0] = following, own + before + len(oldest)

    def take(self, until: int | None = None) -> tuple[list[Part], int]:
        """Return the parts that wait, and how much was lost before and between them.

        Args:
            until: Value of `written` beyond which they go on waiting; None: that of now.
        """
        with self._lock:
            until = self.written if until is None else until
            count = max(0, until - self.written + len(self._parts))
            taken = [self._taken_out() for _ in range(min(count, len(self._parts)))]
        return [part for part, _ in taken], sum(lost for _, lost in taken)

    def _taken_out(self) -> tuple[Part, int]:
        """Return the part that has waited for longest, and waits no more."""
        oldest = self._parts.popleft()
        self.size -= len(oldest[0])
        return oldest
