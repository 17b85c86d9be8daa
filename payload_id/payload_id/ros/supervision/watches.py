"""Several watches as one: the first that finds something speaks."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from ...core.safety.tube.tracking_tube import TrackingTube
from .watch import Found, Watch

PERIOD = 0.5  # [s] between two looks at what is not watched, which asks the graph


class Watches(Watch):
    """All watches of an arm."""

    def __init__(
        self, watches: Sequence[Watch] = (), clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Take them over.

        Args:
            watches: In the order in which they speak.
            clock: Monotonic time [s].
        """
        self._watches, self._clock = tuple(watches), clock
        self._looked = -PERIOD
        self._unwatched: tuple[str, ...] = ()

    def attend(self) -> None:
        """Have each take in what has come."""
        for watch in self._watches:
            watch.attend()

    def begin(self, start_ns: int, tube: TrackingTube) -> None:
        """Begin to watch a motion."""
        for watch in self._watches:
            watch.begin(start_ns, tube)

    def doubt(self) -> str:
        """Say why no motion may begin now."""
        return next((said for watch in self._watches if (said := watch.doubt())), "")

    def fault(self) -> Found | None:
        """Return why the motion must end; where the arm must be held, that comes first."""
        found = [said for watch in self._watches if (said := watch.fault())]
        return next((x for x in found if x[0].is_fault), next(iter(found), None))

    def close(self) -> None:
        """Have each let go what it made later."""
        for watch in self._watches:
            watch.close()

    def unwatched(self) -> Sequence[str]:
        """Say what is not watched, as it was at the last look."""
        if self._clock() - self._looked >= PERIOD:
            self._looked = self._clock()
            self._unwatched = tuple(x for watch in self._watches for x in watch.unwatched())
        return self._unwatched
