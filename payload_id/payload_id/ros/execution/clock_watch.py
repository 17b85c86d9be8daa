"""Whether the stamps of joint states go with the clock by which the arm's controller acts.

A motion begins at an instant that is written in stamps. Where those are behind the controller's
clock, the motion has begun before it was sent, and the arm would jump onto it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

PATIENCE = 20  # messages with one stamp until the clock counts as frozen


@dataclass(frozen=True)
class ClockWatch:
    """What the newest stamps said.

    Attributes:
        tolerance: By how much stamps and clock may differ [s].
        newest: Newest stamp [ns]; None before the first.
        ahead: Of the clock, by the newest message [s]; negative: behind.
        frozen: Number of messages since the stamp last changed.
    """

    tolerance: float
    newest: int | None = None
    ahead: float = 0.0
    frozen: int = 0

    def after(self, stamp_ns: int, robot_ns: int, now_ns: int) -> ClockWatch:
        """Return the watch after one more message.

        Args:
            stamp_ns: Its stamp [ns].
            robot_ns: The time of stamps when it was read: later than its own if it waited [ns].
            now_ns: The controller's clock then [ns].
        """
        frozen = self.frozen + 1 if self.newest == stamp_ns else 0
        return replace(self, newest=stamp_ns, ahead=1e-9 * (robot_ns - now_ns), frozen=frozen)

    @property
    def fault(self) -> str:
        """What is wrong with the stamps; empty if nothing is."""
        if self.newest is None:
            return ""
        if self.frozen >= PATIENCE:
            return f"The last {self.frozen + 1} joint states have one and the same stamp"
        if abs(self.ahead) > self.tolerance:
            where = "ahead of" if self.ahead > 0 else "behind"
            return (
                f"The stamps of the joint states are {abs(self.ahead):.3f} s {where} the clock; at "
                f"most {self.tolerance:g} s are allowed"
            )
        return ""
