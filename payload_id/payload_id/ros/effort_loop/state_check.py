"""Whether a joint state can be the moving arm's, by the one before it; it knows no ROS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...core.arm.one_arm import beyond_reach, fastest
from ...core.arrays import Array
from ...core.safety.tube.tube_watch import position_error
from ...core.samples.stamps import seconds_since
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel

HELD_UP = 0.05  # [s] by which joint states may have been held up on their way


class StampedState(NamedTuple):
    """A joint state.

    Attributes:
        stamp: [ns].
        q: Positions, shape (n,) [rad or m].
        dq: Velocities, shape (n,) [rad/s or m/s].
        now: When it came [s].
    """

    stamp: int
    q: Array
    dq: Array
    now: float


@dataclass(frozen=True)
class StateCheck:
    """Bounds on what one arm can do from one joint state to the next.

    Attributes:
        speed: That no joint has, shape (n,) [rad/s or m/s].
        continuous: Joints whose position may be reported up to whole turns.
    """

    speed: Array
    continuous: Sequence[bool]

    @classmethod
    def of(cls, robot: RobotFile) -> StateCheck:
        """Return that of a robot's joints."""
        speed = fastest((x.velocity for x in robot.limit_sets.values()), robot.n)
        return cls(speed, RobotModel.from_robot_file(robot).continuous)

    def follows(self, before: StampedState, seen: StampedState) -> bool:
        """Tell whether a joint state goes on from the one before: its stamp, and where it is."""
        passed = seen.now - before.now
        by_stamp = float(seconds_since(seen.stamp, before.stamp))
        if not 0.0 < by_stamp <= passed + HELD_UP:
            return False
        step = position_error(before.q, seen.q, self.continuous)
        return bool((beyond_reach(step, max(passed, by_stamp), self.speed) <= 0.0).all())
