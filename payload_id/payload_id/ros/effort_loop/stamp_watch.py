"""Whether stamps of joint states leap, with which a motion must not leap; it knows no ROS."""

from __future__ import annotations

LATE = 0.05  # [s] by which joint states may be late, one against the other
FASTER = 2.0  # times as fast as this machine's clock, that simulated time may pass
REMEMBERED = 1.0  # [s] for which it is known how early a joint state has come


class StampWatch:
    """Compares stamps with this machine's clock.

    What may be is no leap: stamps jitter, simulated time passes at another pace, and after a pause
    joint states come that were late, in one piece or several. Otherwise time goes on by this
    machine's clock; a single false stamp leaps back with the next one.
    """

    def __init__(self, stamp_ns: int, now: float) -> None:
        """Begin with a stamp [ns] and the time of this machine at which it came [s]."""
        self._newest = self._earliest = stamp_ns, now

    def leap(self, stamp_ns: int, now: float) -> int:
        """Take in the next stamp, and return by how much it has leapt.

        Args:
            stamp_ns: Of a joint state [ns].
            now: When it came, by this machine's clock [s].

        Returns:
            The leap [ns]; 0: none.
        """
        (before, heard), (early, then) = self._newest, self._earliest
        step, ahead = 1e-9 * (stamp_ns - before), 1e-9 * (stamp_ns - early)
        self._newest = stamp_ns, now
        allowed = (now - then) + (FASTER - 1.0) * (now - heard) + LATE
        if not (-LATE <= step and ahead <= allowed):
            self._earliest = self._newest
            return stamp_ns - before - round(1e9 * (now - heard))
        if ahead >= now - then or now - then > REMEMBERED:
            self._earliest = self._newest
        return 0
