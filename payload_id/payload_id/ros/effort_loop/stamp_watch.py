"""Whether stamps of joint states leap, with which a motion must not leap; it knows no ROS."""

from __future__ import annotations

LATE = 0.05  # [s] by which joint states may be late, one against the other
PACE = 0.02  # part by which a robot's clock may be slower or faster than this machine's
SIMULATED = 0.3, 1.0  # likewise, of simulated time until its pace is known: slower and faster
USUAL = 0.02  # [s] from one joint state to the next; what is late after a longer gap was held up
AGREES = 0.2  # [s] by which a second state that says the same leap may be newer than the first
SILENT = 0.04  # [s] for which no stamps go on before those that have leapt count
RECENT = 1.0  # [s] for which those are remembered while nothing moves
MEMORY = 0.3  # [s] of joint states that tell the pace of simulated time


class StampWatch:
    """Compares stamps with this machine's clock.

    How far stamps may be ahead of it follows what they are, no faster than clocks differ: so states
    that were held up and come all at once, in one piece or several, are no leap, and stamps that
    gain a little with every state are one. Stamps may be late, but not before those that came.

    A clock leaps for good: then no stamps come any more that go on as they did. While such come,
    those that leapt are of old states, or of another publisher's, however many they are.

    Attributes:
        simulated: Whether stamps are of simulated time.
        passed_over: How many were not used because others went on, since `forget`.
    """

    def __init__(self, stamp_ns: int, now: float, simulated: bool = False) -> None:
        """Begin with a stamp [ns] and the time of this machine at which it came [s]."""
        self._first = self._newest = self._latest = stamp_ns
        self._begin = self._heard = now
        self._before = self._ahead = 0.0  # of this machine's clock, since the first one [s]
        self.simulated, self._gain = simulated, 0.0  # [s/s], of simulated time
        self._suspected: int | None = None  # a stamp that has leapt if the next one agrees [ns]
        self._left: float | None = None  # how far stamps were ahead before the last leap [s]
        self.passed_over, self._passed_at = 0, now

    def admits(self, stamp_ns: int, now: float) -> bool:
        """Tell whether a state is to be used in a motion: `leap` takes its stamp in, then.

        One that is no newer than what came is an old one, or another's. One that has leapt counts
        if the next one has as well, and none has gone on meanwhile; or where it goes on from before
        the last leap, which was none, then.
        """
        suspected, self._suspected = self._suspected, None
        if 0.0 <= 1e-9 * (self._latest - stamp_ns) <= LATE:
            self._suspected = suspected
            return False
        if not self._leaps(stamp_ns, now) or self._returns(stamp_ns, now):
            return True
        self._suspected = stamp_ns
        agrees = suspected is not None and 0 < stamp_ns - suspected <= 1e9 * AGREES
        if agrees and now - self._heard > SILENT:
            return True
        self.passed_over, self._passed_at = self.passed_over + 1, now
        return False

    def admits_at_rest(self, stamp_ns: int, now: float) -> bool:
        """Tell whether a state is to be used before a motion: of two publishers, the newer one's.

        Which of them is the arm is not known yet; what repeats its states is behind it.
        """
        if now - self._passed_at > RECENT:
            self.forget()
        return stamp_ns > self._latest or self.admits(stamp_ns, now)

    def forget(self) -> None:
        """Count anew what is passed over."""
        self.passed_over = 0

    def _returns(self, stamp_ns: int, now: float) -> bool:
        """Tell whether a stamp goes on as stamps did before the last leap."""
        if self._left is None or stamp_ns <= self._latest:
            return False
        return abs(self._ahead_of(stamp_ns, now) - self._left) <= LATE

    def _leaps(self, stamp_ns: int, now: float) -> bool:
        """Tell whether a stamp that comes now has leapt."""
        ahead = self._ahead_of(stamp_ns, now)
        allowed = self._ahead + self._gain * (now - self._heard) + LATE
        return ahead > allowed or 1e-9 * (self._latest - stamp_ns) > LATE

    def _ahead_of(self, stamp_ns: int, now: float) -> float:
        """Return how far a stamp that comes now is ahead of this machine's clock [s]."""
        return 1e-9 * (stamp_ns - self._first) - (now - self._begin)

    def leap(self, stamp_ns: int, now: float) -> int:
        """Take in the next stamp, and return by how much it has leapt.

        Args:
            stamp_ns: Of a joint state [ns].
            now: When it came, by this machine's clock [s].

        Returns:
            The leap [ns]; 0: none.
        """
        before, passed = self._newest, now - self._heard
        ahead, leaps = self._ahead_of(stamp_ns, now), self._leaps(stamp_ns, now)
        earlier, self._before = self._before, ahead
        self._newest, self._heard = stamp_ns, now
        self._ahead += self._gain * passed
        if leaps:
            # what the state before was off without being a leap is taken back, too
            off = min(before - self._latest, 0) + round(1e9 * max(earlier - self._ahead, 0.0))
            self._left = None if self._returns(stamp_ns, now) else self._ahead
            self._ahead, self._latest = ahead, stamp_ns
            return stamp_ns - before - round(1e9 * passed) + off
        if self.simulated and passed <= USUAL:
            self._gain += (ahead - earlier - self._gain * passed) / MEMORY
        slower, faster = SIMULATED if self.simulated else (PACE, PACE)
        usual = min(passed, USUAL)
        self._ahead += min(max(ahead - self._ahead, -slower * usual), faster * usual)
        self._latest = max(self._latest, stamp_ns)
        return 0
