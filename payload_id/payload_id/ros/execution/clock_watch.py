"""Whether the stamps of joint states go with the clock by which the arm's controller acts.

A motion begins at an instant that is written in stamps. Where those are behind the controller's
clock, the motion has begun before it was sent, and the arm would jump onto it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite

from .stop_reason import Reason

LEAP = 1.0  # [s] between two stamps: beyond it the clock was set, or nothing came for as long
FASTEST = 10.0  # times real time at which simulated time may go
RECENT = 1.0  # [s] for which a stall is remembered
PAUSE = 0.05  # [s] between two messages that holds them up; less is how often they come
ON_TIME = 0.1  # [s] by which messages are late that were not held up
PATIENCE = 20  # messages: with one stamp until the clock counts as frozen, and that a jump counts


@dataclass(frozen=True)
class ClockWatch:
    """What the newest stamps said.

    Attributes:
        tolerance: By how much stamps and clock may differ [s].
        newest: Newest stamp [ns]; None before the first.
        ahead: Of the clock, by the newest message [s]; negative: behind.
        frozen: Number of messages since the stamp last changed.
        back: Largest jump back within the last messages [s]; 0: there was none.
        since: Number of messages since that jump.
        forth: Largest jump ahead within the last messages [s]; 0: there was none.
        forth_since: Number of messages since that one.
        stall: Longest time between two messages of late [s]: what had come meanwhile is read then.
        stall_age: Time since that [s].
    """

    tolerance: float
    newest: int | None = None
    ahead: float = 0.0
    frozen: int = 0
    back: float = 0.0
    since: int = 0
    forth: float = 0.0
    forth_since: int = 0
    stall: float = 0.0
    stall_age: float = 0.0

    def after(self, stamp_ns: int, now_ns: int, passed: float = float("inf")) -> ClockWatch:
        """Return the watch after one more message.

        Args:
            stamp_ns: Its stamp [ns].
            now_ns: The controller's clock when it came [ns].
            passed: Since the message before, by a clock that nobody sets [s].
        """
        step = 0 if self.newest is None else stamp_ns - self.newest
        jump = max(0.0, -1e-9 * step)
        remembered = self.back if self.since < PATIENCE else 0.0
        longest = passed >= self.stall or self.stall_age > RECENT
        stall, age = (passed, 0.0) if longest else (self.stall, self.stall_age + passed)
        forth = 1e-9 * step if 1e-9 * step > LEAP + FASTEST * stall else 0.0
        kept = self.forth if self.forth_since < PATIENCE else 0.0
        return replace(
            self,
            newest=stamp_ns,
            ahead=1e-9 * (stamp_ns - now_ns),
            frozen=self.frozen + 1 if self.newest == stamp_ns else 0,
            back=max(jump, remembered),
            since=0 if jump >= remembered and jump > 0.0 else self.since + 1,
            forth=max(forth, kept),
            forth_since=0 if forth > 0.0 else self.forth_since + 1,
            stall=stall,
            stall_age=age,
        )

    @property
    def is_held_up(self) -> bool:
        """Whether the newest message is late since none came for a while: that is no clock."""
        late, recent = -self.ahead, self.stall_age <= RECENT and isfinite(self.stall)
        paused = recent and self.stall >= PAUSE
        return paused and self.tolerance < late <= self.stall + ON_TIME

    @property
    def reason(self) -> Reason:
        """What a fault is one of."""
        held_up = self.is_held_up and not self._jumped
        return Reason.JOINT_STATES_LOST if held_up else Reason.CLOCK_FAULT

    def is_as_late_as(self, slept: float) -> bool:
        """Tell whether stamps are wrong only by being as far behind as for who stood still [s]."""
        return -self.tolerance - slept <= self.ahead < 0.0 and not self._jumped

    @property
    def _jumped(self) -> bool:
        """Whether the stamps themselves are wrong, whenever they come."""
        return bool(self.forth) or self.back > self.tolerance or self.frozen >= PATIENCE

    @property
    def fault(self) -> str:
        """What is wrong with the stamps; empty if nothing is."""
        if self.newest is None:
            return ""
        if self.back > self.tolerance:
            return f"The stamps of the joint states have jumped back by {self.back:.3f} s"
        if self.forth:
            return f"The stamps of the joint states have jumped ahead by {self.forth:.3f} s"
        if self.frozen >= PATIENCE:
            return f"The last {self.frozen + 1} joint states have one and the same stamp"
        if self.is_held_up:
            return (
                f"Joint states come {-self.ahead:.3f} s late: for {self.stall:.2f} s there was "
                f"none just before; at most {self.tolerance:g} s are allowed"
            )
        if abs(self.ahead) > self.tolerance:
            where = "ahead of" if self.ahead > 0 else "behind"
            return (
                f"The stamps of the joint states are {abs(self.ahead):.3f} s {where} the clock; at "
                f"most {self.tolerance:g} s are allowed"
            )
        return ""
