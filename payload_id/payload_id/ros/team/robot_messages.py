"""What a robot's messages hold, as plain numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from geometry_msgs.msg import PoseStamped, TwistStamped, WrenchStamped
from sensor_msgs.msg import Imu, JointState

from ...core.arrays import Array
from ...files.teams.team_file import TeamRobot
from ...files.teams.team_keys import JointKeys

TYPES: Mapping[str, Any] = {
    "joint_states": JointState,
    "pose": PoseStamped,
    "twist": TwistStamped,
    "wrench": WrenchStamped,
    "imu": Imu,
}
WIDTH = {"joint_states": 12, "pose": 7, "twist": 6, "wrench": 6, "imu": 6}


@dataclass(frozen=True)
class RobotMessages:
    """Messages of one robot that arrived together.

    Attributes:
        robot: Its name.
        stamps: By kind of message, stamps in the order of arrival, shape (k,) [ns].
        rows: By kind, their numbers, shape (k, width).
        guided: Whether a human guided the payload, so that forces do not count.
        dropped: Messages that hold nothing to use, by kind and cause.
    """

    robot: str
    stamps: Mapping[str, Array] = field(default_factory=dict)
    rows: Mapping[str, Array] = field(default_factory=dict)
    guided: bool = False
    dropped: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of messages."""
        return sum(map(len, self.stamps.values())) + sum(self.dropped.values())


class WrongMessageError(Exception):
    """A message that holds no row; the text is the cause in counts."""


def reader_of(kind: str, robot: TeamRobot) -> Callable[[Any], Sequence[float]]:
    """Return what makes a row of a message.

    It raises `WrongMessageError` for one that holds none.
    """
    if kind == "joint_states":
        return _JointReader(robot.joints)
    return {"pose": _pose, "twist": _twist, "wrench": _wrench, "imu": _imu}[kind]


class _JointReader:
    """Reads joints by name: before the springs, behind them, gimbal, the springs' torques."""

    def __init__(self, joints: JointKeys) -> None:
        self._positions = tuple(joints.names)
        self._efforts = tuple(joints.after if joints.effort_of == "after" else joints.before)
        self._sign = joints.effort_sign

    def __call__(self, message: Any) -> Sequence[float]:
        names, position, effort = tuple(message.name), message.position, message.effort
        at, effort_at = _places(names, self._positions), _places(names, self._efforts)
        if at is None or effort_at is None:
            raise WrongMessageError("without some of the joints")
        if len(position) != len(names):
            raise WrongMessageError("with other numbers of names and positions")
        tau = [np.nan] * 3  # where they are not told, maybe without those of the gimbal
        if max(effort_at) < len(effort):
            tau = [self._sign * effort[k] for k in effort_at]
        return [*(position[k] for k in at), *tau]


@lru_cache(maxsize=64)
def _places(names: tuple[str, ...], wanted: tuple[str, ...]) -> tuple[int, ...] | None:
    """Return where names that are wanted are among others; None: one is missing."""
    place = {name: k for k, name in enumerate(names)}
    return tuple(place[name] for name in wanted) if place.keys() >= set(wanted) else None


def _pose(message: Any) -> Sequence[float]:
    p, q = message.pose.position, message.pose.orientation
    return p.x, p.y, p.z, q.x, q.y, q.z, q.w


def _twist(message: Any) -> Sequence[float]:
    w, v = message.twist.angular, message.twist.linear
    return w.x, w.y, w.z, v.x, v.y, v.z


def _wrench(message: Any) -> Sequence[float]:
    f, m = message.wrench.force, message.wrench.torque
    return f.x, f.y, f.z, m.x, m.y, m.z


def _imu(message: Any) -> Sequence[float]:
    w, a = message.angular_velocity, message.linear_acceleration
    if message.angular_velocity_covariance[0] < 0 or message.linear_acceleration_covariance[0] < 0:
        raise WrongMessageError("of an IMU that says it measures no velocity or acceleration")
    return w.x, w.y, w.z, a.x, a.y, a.z
