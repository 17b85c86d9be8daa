"""For how long joint states have shown an arm standing still, by their own stamps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...core.arrays import Array, BoolArray
from ...core.safety.tube.tube_watch import position_error
from ...core.samples.stamps import NANOSECONDS, seconds_since

AT_REST = 0.02  # [rad/s or m/s] below which a joint counts as standing still
SETTLED = 0.25  # [s] of joint states in which it must; longer than what a next start looks at


@dataclass(frozen=True)
class Standstill:
    """What joint states have shown; velocities tell it, and positions where none are measured.

    Attributes:
        place: Where the arm stands, shape (n,) [rad or m]; None: it moves, or was not seen.
        since_ns: Stamp of the joint states that first showed it there [ns].
        newest_ns: Stamp of the newest joint states [ns]; 0: there were none.
    """

    place: Array | None = None
    since_ns: int = 0
    newest_ns: int = 0

    @property
    def seconds(self) -> float:
        """For how long it has stood [s]."""
        return 0.0 if self.place is None else float(seconds_since(self.newest_ns, self.since_ns))

    @property
    def is_settled(self) -> bool:
        """Whether that is long enough to count as at rest."""
        return self.seconds >= SETTLED

    def after(self, stamp: Array, q: Array, dq: Array, continuous: Sequence[bool]) -> Standstill:
        """Return what further joint states show; where stamps go back or leap, from there.

        Args:
            stamp: Shape (N,) [ns].
            q: Positions, shape (N, n) [rad or m].
            dq: Velocities, shape (N, n); NaN where not measured [rad/s or m/s].
            continuous: Joints whose position may be reported up to whole turns, n of them.
        """
        if not len(stamp):
            return self
        newest = int(stamp[-1])
        steps = np.diff(stamp, prepend=self.newest_ns or stamp[0])
        broken = np.flatnonzero((steps < 0) | (steps > NANOSECONDS * SETTLED))
        if (
            not len(broken)
            and self.place is not None
            and _still(self.place, q, dq, continuous).all()
        ):
            return Standstill(self.place, self.since_ns, newest)
        moved = np.flatnonzero(~_still(q[-1], q, dq, continuous))
        first = max(int(moved[-1]) + 1 if len(moved) else 0, int(broken[-1]) if len(broken) else 0)
        if first >= len(stamp):
            return Standstill(newest_ns=newest)
        return Standstill(q[-1], int(stamp[first]), newest)


def _still(place: Array, q: Array, dq: Array, continuous: Sequence[bool]) -> BoolArray:
    """Tell which joint states, shape (N, n), show the arm standing at a place, shape (N,)."""
    slow = np.abs(np.nan_to_num(dq)) < AT_REST
    near = np.abs(position_error(place, q, continuous)) <= AT_REST * SETTLED
    still: BoolArray = (slow & near).all(axis=1)
    return still
