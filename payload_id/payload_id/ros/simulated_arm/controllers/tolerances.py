"""Tolerances of a goal, as joint_trajectory_controller resolves and checks them.

In a goal 0 means: as the controller's parameters say; -1: none. Without a tolerance nothing is
checked. Source: ros-controls/ros2_controllers, joint_trajectory_controller, tolerances.hpp.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....core.arrays import Array
from ....core.errors import InputError

ERASED = -1.0
SAME = float(np.finfo(np.float32).eps)  # to which a number is -1


@dataclass(frozen=True, eq=False)
class Tolerances:
    """Largest errors, 0: any.

    Attributes:
        path: Of position and velocity on the way, shape (2, n) [rad or m, and per s].
        goal: ... at the end, shape (2, n).
        time: That the arm may take to come within `goal` [s]; 0: for ever.
    """

    path: Array
    goal: Array
    time: float = 0.0

    @classmethod
    def none(cls, n: int) -> Tolerances:
        """Return those that n joints always keep."""
        return cls(np.zeros((2, n)), np.zeros((2, n)))

    def of_goal(
        self,
        joints: Sequence[str],
        path: Iterable[tuple[str, float, float]],
        goal: Iterable[tuple[str, float, float]],
        time: float,
    ) -> Tolerances:
        """Return these with what a goal says of them.

        Args:
            joints: The controller's joints.
            path: Joint, position and velocity of what the goal has of the path [rad or m, per s].
            goal: ... of the end.
            time: ... of the time [s].

        Raises:
            InputError: A joint is unknown or a number negative; the controller then has its own.
        """
        return replace(
            self,
            path=_with(self.path, joints, path, "path_tolerance"),
            goal=_with(self.goal, joints, goal, "goal_tolerance"),
            time=_resolved(self.time, time, "goal_time_tolerance"),
        )


def within(error: Array, tolerance: Array) -> bool:
    """Return whether errors keep a tolerance, shape (2, n) each."""
    return not bool(((tolerance > 0.0) & (np.abs(error) > tolerance)).any())


def _with(
    own: Array, joints: Sequence[str], stated: Iterable[tuple[str, float, float]], where: str
) -> Array:
    """Return the controller's own tolerances with those that a goal states, shape (2, n)."""
    result = own.copy()
    for name, *values in stated:
        if name not in joints:
            raise InputError(
                f"joint '{name}' specified in goal.{where} does not exist. Using default "
                "tolerances."
            )
        j = list(joints).index(name)
        result[:, j] = [_resolved(own[k, j], values[k], f"{where} of {name}") for k in range(2)]
    return result


def _resolved(own: float, stated: float, where: str) -> float:
    """Return one tolerance."""
    if stated > 0.0:
        return stated
    if abs(stated - ERASED) < SAME:
        return 0.0
    if stated < 0.0:
        raise InputError(f"Illegal tolerance {stated} in {where}. Using default tolerances.")
    return own
