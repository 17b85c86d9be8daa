"""Tolerances of a goal, as joint_trajectory_controller resolves and checks them.

The controller has none of its own, so that 0 and -1 in a goal both mean: none is checked.
Source: ros-controls/ros2_controllers, joint_trajectory_controller, tolerances.hpp.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ....core.arrays import Array
from ....core.errors import InputError


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
    def of_goal(
        cls,
        joints: Sequence[str],
        path: Iterable[tuple[str, float, float]] = (),
        goal: Iterable[tuple[str, float, float]] = (),
        time: float = 0.0,
    ) -> Tolerances:
        """Return what a goal says.

        Args:
            joints: The controller's n joints.
            path: Joint, position and velocity of what the goal has of the path [rad or m, per s].
            goal: ... of the end.
            time: ... of the time [s].

        Raises:
            InputError: A joint is unknown or a number negative: none of them counts.
        """
        ends = (_array(joints, path, "path"), _array(joints, goal, "goal"))
        return cls(*ends, _resolved(time, "goal_time_tolerance"))


def within(error: Array, tolerance: Array) -> bool:
    """Return whether errors keep a tolerance, shape (2, n) each."""
    return not bool(((tolerance > 0.0) & (np.abs(error) > tolerance)).any())


def _array(joints: Sequence[str], stated: Iterable[tuple[str, float, float]], of: str) -> Array:
    """Return tolerances that a goal states, shape (2, n)."""
    result = np.zeros((2, len(joints)))
    for name, *values in stated:
        if name not in joints:
            raise InputError(
                f"joint '{name}' specified in goal.{of}_tolerance does not exist. Using default "
                "tolerances."
            )
        found = [_resolved(value, f"{of}_tolerance of {name}") for value in values]
        result[:, list(joints).index(name)] = found
    return result


def _resolved(stated: float, where: str) -> float:
    """Return one tolerance."""
    if stated < 0.0 and stated != -1.0:
        raise InputError(f"Illegal tolerance {stated} in {where}. Using default tolerances.")
    return max(stated, 0.0)
