"""Position, velocity and acceleration of all joints at one instant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import InputError
from .trajectory import Trajectory

AT_REST = 1e-9  # [rad/s, rad/s2] or [m/s, m/s2] that are rounding of rest


@dataclass(frozen=True)
class MotionState:
    """What a motion continues from.

    Attributes:
        q: Positions, shape (n,) [rad or m].
        dq: Velocities, shape (n,) [rad/s or m/s].
        ddq: Accelerations, shape (n,) [rad/s2 or m/s2].
    """

    q: Array
    dq: Array
    ddq: Array

    def __post_init__(self) -> None:
        for name in ("q", "dq", "ddq"):
            value = np.array(getattr(self, name), dtype=float)
            if value.ndim != 1 or value.shape != np.shape(self.q) or not np.isfinite(value).all():
                raise InputError(
                    "A state needs finite q, dq and ddq with one number for each joint; found "
                    f"{name} = {getattr(self, name)!r}."
                )
            object.__setattr__(self, name, value)

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.q)

    @classmethod
    def at_rest(cls, q: Array) -> MotionState:
        """Return a pose without motion."""
        return cls(q, np.zeros(len(q)), np.zeros(len(q)))

    @classmethod
    def of(cls, trajectory: Trajectory, time: float) -> MotionState:
        """Return the state of a motion at a time [s]."""
        motion = trajectory.at(np.array([time]))
        return cls(motion.q[0], motion.dq[0], motion.ddq[0])

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists."""
        return {"q": self.q.tolist(), "dq": self.dq.tolist(), "ddq": self.ddq.tolist()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> MotionState:
        """Return the state that `to_dict` wrote."""
        return cls(np.array(data["q"]), np.array(data["dq"]), np.array(data["ddq"]))
