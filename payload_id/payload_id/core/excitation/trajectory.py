"""What every motion offers: position, velocity and acceleration at any time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..inertial import Array


@dataclass(frozen=True)
class Motion:
    """A trajectory at N instants.

    Attributes:
        time: Shape (N,) [s].
        q: Positions, shape (N, n) [rad or m].
        dq: Velocities, shape (N, n) [rad/s or m/s].
        ddq: Accelerations, shape (N, n) [rad/s2 or m/s2].
    """

    time: Array
    q: Array
    dq: Array
    ddq: Array


class Trajectory(Protocol):
    """A smooth motion of n joints over [0, duration]."""

    @property
    def duration(self) -> float:
        """Length of the motion [s]."""
        ...

    def at(self, time: Array) -> Motion:
        """Return the motion at times in [0, duration], shape (N,) [s]."""
        ...


def sampled(trajectory: Trajectory, rate: float) -> Motion:
    """Return a motion at a rate [Hz], both ends included."""
    count = int(round(trajectory.duration * rate)) + 1
    return trajectory.at(np.linspace(0.0, trajectory.duration, count))
