"""For how long an arm has been seen to stand still; it knows no ROS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...core.arrays import Array
from ...core.safety.tube.tube_watch import position_error
from ...core.samples.stamps import seconds_since
from .clock_watch import FASTEST, LEAP, RECENT

AT_REST = 0.02  # [rad/s or m/s] below which a joint counts as standing still
SETTLED = 0.25  # [s] of joint states in which it must; longer than what a next start looks at


@dataclass
class RestWatch:
    """Judges by velocities, and by positions, which tell it where velocities are not measured.

    Attributes:
        continuous: Joints whose position may be reported up to whole turns.
        newest: Stamp of the newest joint states [ns].
        leaps: How often stamps have leapt: back, or ahead of the time that has passed.
    """

    continuous: Sequence[bool]
    newest: int = 0
    leaps: int = 0
    _unseen: float = 0.0  # time without joint states [s]
    _pause: float = 0.0  # the longest one of late between two calls [s], ...
    _pause_age: float = 0.0  # ... and the time since that [s]
    _place: Array | None = None  # where the arm stands; None: it moves
    _since: int = 0  # stamp of the joint states that first showed it there [ns]

    def see(self, stamps: Array, q: Array, dq: Array, passed: float) -> None:
        """Take in joint states: all that have come, and after a pause of this process that is much.

        Args:
            stamps: Shape (N,) [ns].
            q: Positions, shape (N, n) [rad or m].
            dq: Velocities, shape (N, n); NaN where not measured [rad/s or m/s].
            passed: Since the last call, by a clock that nobody sets [s].
        """
        longest = passed >= self._pause or self._pause_age > RECENT
        self._pause, self._pause_age = (
            (passed, 0.0) if longest else (self._pause, self._pause_age + passed)
        )
        self._unseen += passed
        if not len(stamps):
            return
        steps = np.diff(stamps, prepend=self.newest or stamps[0])
        ahead = 1e9 * (LEAP + FASTEST * max(self._unseen, self._pause))
        if steps.min() < -1e9 * LEAP or steps.max() > ahead:
            self.leaps += 1
            self._place = None
        self.newest, self._unseen = int(stamps[-1]), 0.0
        late = stamps >= self.newest - round(1e9 * SETTLED)
        slow = bool((np.abs(np.nan_to_num(dq[late])) < AT_REST).all())
        if slow and self._place is not None:
            moved = np.abs(position_error(self._place, q[late], self.continuous))
            if (moved <= AT_REST * SETTLED).all():
                return
        self._since, self._place = self.newest, q[-1] if slow else None

    def restart(self) -> None:
        """Forget for how long it has stood."""
        self._place = None

    @property
    def place(self) -> Array | None:
        """Where the arm stands, shape (n,) [rad or m]; None: it moves, or was not seen."""
        return self._place

    @property
    def moves(self) -> bool:
        """Whether the newest joint states, if there were any, show it in motion."""
        return self.newest > 0 and self._place is None

    @property
    def seconds(self) -> float:
        """For how long the arm has been seen to stand still [s]."""
        return 0.0 if self._place is None else float(seconds_since(self.newest, self._since))
