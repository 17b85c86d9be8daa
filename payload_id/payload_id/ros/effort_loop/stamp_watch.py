"""Whether stamps of joint states leap, with which a motion must not leap; it knows no ROS."""

from __future__ import annotations

LATE = 0.05  # [s] by which joint states may be late, one against the other
PACE = 0.02  # part by which a robot's clock may be slower or faster than this machine's
SIMULATED = 0.3, 1.0  # likewise, of simulated time until its pace is known: slower and faster
USUAL = 0.02  # [s] from one joint state to the next; what is late after a longer gap was held up
MEMORY = 0.3  # [s] of joint states that tell the pace of simulated time


class StampWatch:
    """Compares stamps with this machine's clock.

    How far stamps may be ahead of it follows what they are, no faster than clocks differ: so states
    that were held up and come all at once, in one piece or several, are no leap, and stamps that
    gain a little with every state are one. Stamps may be late, but not before those that came.
    """

    def __init__(self, stamp_ns: int, now: float, simulated: bool = False) -> None:
        """Begin with a stamp [ns] and the time of this machine at which it came [s]."""
        self._first = self._newest = self._latest = stamp_ns
        self._begin = self._heard = now
        self._before = self._ahead = 0.0  # of this machine's clock, since the first one [s]
        self._simulated, self._gain = simulated, 0.0  # [s/s], of simulated time

    def leap(self, stamp_ns: int, now: float) -> int:
        """Take in the next stamp, and return by how much it has leapt.

        Args:
            stamp_ns: Of a joint state [ns].
            now: When it came, by this machine's clock [s].

        Returns:
            The leap [ns]; 0: none.
        """
        before, passed = self._newest, now - self._heard
        ahead = 1e-9 * (stamp_ns - self._first) - (now - self._begin)
        earlier, self._before = self._before, ahead
        self._newest, self._heard = stamp_ns, now
        self._ahead += self._gain * passed
        if ahead > self._ahead + LATE or 1e-9 * (self._latest - stamp_ns) > LATE:
            # what the state before was off without being a leap is taken back, too
            off = min(before - self._latest, 0) + round(1e9 * max(earlier - self._ahead, 0.0))
            self._ahead, self._latest = ahead, stamp_ns
            return stamp_ns - before - round(1e9 * passed) + off
        if self._simulated and passed <= USUAL:
            self._gain += (ahead - earlier - self._gain * passed) / MEMORY
        slower, faster = SIMULATED if self._simulated else (PACE, PACE)
        usual = min(passed, USUAL)
        self._ahead += min(max(ahead - self._ahead, -slower * usual), faster * usual)
        self._latest = max(self._latest, stamp_ns)
        return 0
