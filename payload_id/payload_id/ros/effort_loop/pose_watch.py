"""Whether positions of joint states are those of the arm that moves; it knows no ROS."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.arm.one_arm import beyond_reach, fastest
from ...core.arrays import Array
from ...core.safety.tube.tube_watch import position_error
from ...core.samples.stamps import seconds_since
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel


class PoseWatch:
    """Compares positions with the newest ones that counted.

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
        self._newest: tuple[int, Array, float] | None = None
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
        if self._newest is None:
            return True
        stamp, before, heard = self._newest
        seconds = max(now - heard, float(seconds_since(stamp_ns, stamp)))
        step = position_error(before, q, self._continuous)
        if (beyond_reach(step, seconds, self._speed) <= 0.0).all():
            return True
        self.strange += 1
        return False

    def take(self, stamp_ns: int, q: Array, now: float) -> None:
        """Note the newest positions."""
        self._newest = stamp_ns, q, now
