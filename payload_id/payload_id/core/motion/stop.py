r"""A stop: from any state to rest, wherever that may be.

Each joint's velocity is the cubic that begins with dq0 and ddq0 and ends with neither; with
s = t / T its position is

    q(s) = q0 + T dq0 (s - s^3 + s^4 / 2) + T^2 ddq0 (s^2 / 2 - 2 s^3 / 3 + s^4 / 4).

The end is not chosen: all joints stop in the same, shortest duration T for which limits hold.
A longer stop goes farther, so that no root finder serves and durations are tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import InputError
from .limits import MotionLimits
from .motion_state import MotionState
from .polynomial import PolynomialMotion
from .trajectory import even_edges

FAMILY = "stop"
SHORTEST, LONGEST = 0.1, 5.0  # [s]
FINER = 1.05  # ratio of the durations tried
SLICES = 32
VELOCITY = np.array([0.0, 1.0, 0.0, -1.0, 0.5])
ACCELERATION = np.array([0.0, 0.0, 1 / 2, -2 / 3, 1 / 4])


@dataclass(frozen=True)
class StopPiece(PolynomialMotion):
    """A motion from a state to rest.

    Attributes:
        start: MotionState at time 0.
        duration: T [s].
    """

    start: MotionState
    duration: float

    def __post_init__(self) -> None:
        if not (self.duration > 0 and np.isfinite(self.duration)):
            raise InputError(f"A stop needs a duration above 0 s; found {self.duration!r}.")

    @classmethod
    def within(cls, start: MotionState, limits: MotionLimits) -> StopPiece:
        """Return the shortest stop that keeps position, velocity and acceleration limits.

        Raises:
            InputError: There is none: the state already breaks a limit, or will.
        """
        duration, stop = SHORTEST, cls(start, SHORTEST)
        while duration <= LONGEST:
            stop = cls(start, duration)
            if (stop.usage(limits) <= 1.0).all():
                return stop
            duration *= FINER
        shortest = cls(start, SHORTEST)
        usage = np.minimum(shortest.usage(limits), stop.usage(limits))
        kind, joint = np.unravel_index(np.argmax(usage), usage.shape)
        name = ("position", "velocity", "acceleration")[kind]
        raise InputError(
            f"No stop of {SHORTEST:g} to {LONGEST:g} s keeps the limits from this state (q = "
            f"{start.q.round(3)}, dq = {start.dq.round(3)}): the {name} of joint number "
            f"{joint + 1} breaks them soonest. Plan slower, or farther from the position limits."
        )

    def usage(self, limits: MotionLimits) -> Array:
        """Return parts of position, velocity and acceleration limits taken, shape (3, n)."""
        found = self.ranges(even_edges(self, self.duration / SLICES))
        over = found.q_upper.max(axis=0) > limits.position_upper
        under = found.q_lower.min(axis=0) < limits.position_lower
        speed, acceleration = found.speed.max(axis=0), found.acceleration.max(axis=0)
        return np.stack(
            [2.0 * (over | under), speed / limits.velocity, acceleration / limits.acceleration]
        )

    @cached_property
    def coefficients(self) -> Array:
        """Coefficients of powers of t / T, shape (n, 5) [rad or m]."""
        T = self.duration
        found = T * np.outer(self.start.dq, VELOCITY)
        found += T**2 * np.outer(self.start.ddq, ACCELERATION)
        found[:, 0] = self.start.q
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists."""
        start = self.start.to_dict()
        return {"family": FAMILY, "start": start, "duration": float(self.duration)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> StopPiece:
        """Return the motion that `to_dict` wrote."""
        return cls(MotionState.from_dict(data["start"]), float(data["duration"]))
