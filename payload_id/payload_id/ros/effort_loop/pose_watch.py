"""Whether joint states are those of the arm that moves; it knows no ROS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...core.arm.one_arm import FASTEST, beyond_reach, fastest
from ...core.arrays import Array
from ...core.safety.tube.tube_watch import position_error
from ...core.samples.stamps import seconds_since
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from .publisher_numbers import Publisher

AGREED = 0.25  # [s] for which strange positions go on from one another before they count, and
# for which it is known where the arm is
HELD_UP = 0.05  # [s] by which joint states may have been held up on their way


class Seen(NamedTuple):
    """A joint state.

    Attributes:
        stamp: [ns].
        q: Positions, shape (n,) [rad or m].
        now: When it came [s].
        publisher: Who sent it; None where the middleware does not tell.
    """

    stamp: int
    q: Array
    now: float
    publisher: Publisher | None = None


class PoseWatch:
    """Compares joint states with the newest one that counted.

    In a motion another publisher's do not count, however near they are, unless the arm's seem to
    be strange instead: then the two were confused. Where messages were lost before them, it is not
    sure whose they are, and only those count that are next to where the arm was. Of one publisher,
    or where that is not known, positions tell arms apart, whichever was nearer. Strange ones that
    go on from one another count once none of the others has come for a while: the arm is faster
    than was thought, or its encoder has jumped.

    Attributes:
        strange: Joint states that are not the arm's, since `forget`.
    """

    def __init__(self, speed: Array, continuous: Sequence[bool]) -> None:
        """Begin without positions.

        Args:
            speed: That no joint has, shape (n,) [rad/s or m/s].
            continuous: Joints whose position may be reported up to whole turns.
        """
        self._speed, self._continuous = speed, continuous
        self._newest: Seen | None = None
        self._other: Seen | None = None  # the last one of strange positions, ...
        self._since = 0.0  # ... and when the first of those came that it goes on from [s]
        self.strange = 0

    @classmethod
    def of(cls, robot: RobotFile) -> PoseWatch:
        """Return the watch of a robot's joints."""
        speeds = fastest((x.velocity for x in robot.limit_sets.values()), robot.n)
        return cls(speeds, RobotModel.from_robot_file(robot).continuous)

    def forget(self) -> None:
        """Count anew what is strange."""
        self.strange, self._other = 0, None

    def admits(self, seen: Seen) -> bool:
        """Tell whether a joint state is the arm's."""
        newest, other = self._newest, self._other
        if newest is None:
            return True
        if seen.publisher and not seen.publisher.is_sure:
            recent = seen.now - newest.now <= AGREED
            return recent and self._follows(newest, seen, self._speed / FASTEST)
        own = self._follows(newest, seen)
        is_known = newest.publisher is not None and newest.publisher.is_sure
        if is_known and seen.publisher and newest.publisher is not seen.publisher:
            confused = other is not None and other.publisher is newest.publisher
            self.strange += not (confused and own)
            return confused and own
        goes_on = other is not None and self._follows(other, seen)
        if own and not (goes_on and other and self._way(other, seen) < self._way(newest, seen)):
            return True
        self._since = self._since if goes_on else seen.now
        self._other = seen
        self.strange += 1
        return seen.now - max(self._since, newest.now) > AGREED

    def take(self, seen: Seen) -> None:
        """Note the newest joint state."""
        newest = self._newest
        if newest and seen.publisher and not seen.publisher.is_sure:
            seen = seen._replace(publisher=newest.publisher)
        if newest and (seen.publisher is not newest.publisher or not self._follows(newest, seen)):
            self._other = None  # these are the arm's
        self._newest = seen

    def _way(self, before: Seen, seen: Seen) -> float:
        """Return how far it is from one place to another [rad or m]."""
        return float(np.abs(position_error(before.q, seen.q, self._continuous)).max())

    def _follows(self, before: Seen, seen: Seen, speed: Array | None = None) -> bool:
        """Tell whether one arm can have gone from one place to another, or has at a speed, (n,)."""
        speed = self._speed if speed is None else speed
        came = seen.now - before.now
        by_stamp = float(seconds_since(seen.stamp, before.stamp))  # of another clock, perhaps
        seconds = max(came, min(by_stamp, came + HELD_UP))
        step = position_error(before.q, seen.q, self._continuous)
        return bool((beyond_reach(step, seconds, speed) <= 0.0).all())
