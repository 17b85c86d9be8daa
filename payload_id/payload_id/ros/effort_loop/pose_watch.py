"""Whether positions of joint states are those of the arm that moves; it knows no ROS."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.arm.one_arm import beyond_reach, fastest
from ...core.arrays import Array
from ...core.safety.tube.tube_watch import position_error
from ...core.samples.stamps import seconds_since
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel

AGREED = 0.25  # [s] for which strange positions go on from one another before they count
Seen = tuple[int, Array, float]  # stamp [ns], positions, and when they came [s]


class PoseWatch:
    """Compares positions with the newest ones that counted.

    Strange ones that go on from one another count once none of the others has come for a while: the
    arm is faster than was thought, or its encoder has jumped.

    Attributes:
        strange: Joint states that were no arm's motion, since `forget`.
    """

    def __init__(self, speed: Array, continuous: Sequence[bool]) -> None:
        """Begin without positions.

        Args:
            speed: That no joint has, shape (n,) [rad/s or m/s].
            continuous: Joints whose position may be reported up to whole turns.
        """
        self._speed, self._continuous = speed, continuous
        self._newest: Seen | None = None
        self._other: tuple[Seen, float] | None = None  # the last of them, and since when [s]
        self.strange = 0

    @classmethod
    def of(cls, robot: RobotFile) -> PoseWatch:
        """Return the watch of a robot's joints."""
        speeds = fastest((x.velocity for x in robot.limit_sets.values()), robot.n)
        return cls(speeds, RobotModel.from_robot_file(robot).continuous)

    def forget(self) -> None:
        """Count anew what is strange."""
        self.strange = 0

    def admits(self, stamp_ns: int, q: Array, now: float) -> bool:
        """Tell whether the arm can be at q, shape (n,), now [s] or by a stamp [ns]."""
        seen = stamp_ns, q, now
        if self._newest is None or self._follows(self._newest, seen):
            return True
        goes_on = self._other is not None and self._follows(self._other[0], seen)
        since = self._other[1] if self._other is not None and goes_on else now
        self._other = seen, since
        self.strange += 1
        return now - since > AGREED

    def take(self, stamp_ns: int, q: Array, now: float) -> None:
        """Note the newest positions."""
        self._newest, self._other = (stamp_ns, q, now), None

    def _follows(self, before: Seen, seen: Seen) -> bool:
        """Tell whether one arm can have gone from one place to another."""
        seconds = max(seen[2] - before[2], float(seconds_since(seen[0], before[0])))
        step = position_error(before[1], seen[1], self._continuous)
        return bool((beyond_reach(step, seconds, self._speed) <= 0.0).all())
