"""What every motion offers: position, velocity and acceleration at any time, and their extrema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..arrays import Array
from ..errors import InputError

INSTANT = 1e-9  # [s] length of a slice that stands for one instant


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


@dataclass(frozen=True)
class MotionRanges:
    """What position, velocity and acceleration stay within on each of K slices of time.

    Attributes:
        edges: Slice k is [edges[k], edges[k + 1]], shape (K + 1,) [s].
        q_lower: Least position at any time of the slice, shape (K, n) [rad or m].
        q_upper: Largest position.
        dq_lower: Least velocity, shape (K, n) [rad/s or m/s].
        dq_upper: Largest velocity.
        ddq_lower: Least acceleration, shape (K, n) [rad/s2 or m/s2].
        ddq_upper: Largest acceleration.
    """

    edges: Array
    q_lower: Array
    q_upper: Array
    dq_lower: Array
    dq_upper: Array
    ddq_lower: Array
    ddq_upper: Array

    def __len__(self) -> int:
        """Return the number of slices."""
        return len(self.q_lower)

    @classmethod
    def at_instants(cls, motion: Motion) -> MotionRanges:
        """Return the ranges of single instants, each a slice of `INSTANT` that holds one point."""
        q, dq, ddq = motion.q, motion.dq, motion.ddq
        return cls(INSTANT * np.arange(len(q) + 1), q, q, dq, dq, ddq, ddq)

    @property
    def speed(self) -> Array:
        """Largest |velocity| on each slice, shape (K, n) [rad/s or m/s]."""
        return np.maximum(-self.dq_lower, self.dq_upper)

    @property
    def acceleration(self) -> Array:
        """Largest |acceleration| on each slice, shape (K, n) [rad/s2 or m/s2]."""
        return np.maximum(-self.ddq_lower, self.ddq_upper)

    @property
    def middle(self) -> Motion:
        """Middle of each range, which is not a point of the motion, at the middle of its slice."""
        return Motion(
            time=(self.edges[1:] + self.edges[:-1]) / 2,
            q=(self.q_lower + self.q_upper) / 2,
            dq=(self.dq_lower + self.dq_upper) / 2,
            ddq=(self.ddq_lower + self.ddq_upper) / 2,
        )


class Trajectory(Protocol):
    """A smooth motion of n joints over [0, duration]."""

    @property
    def duration(self) -> float:
        """Length of the motion [s]."""
        ...

    def at(self, time: Array) -> Motion:
        """Return the motion at times in [0, duration], shape (N,) [s]."""
        ...

    def ranges(self, edges: Array) -> MotionRanges:
        """Return rigorous extrema in continuous time on the slices between edges, (K + 1,) [s].

        Raises:
            InputError: The edges do not increase or leave [0, duration].
        """
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists; `families.trajectory_from_dict` reads them."""
        ...


def sampled(trajectory: Trajectory, rate: float) -> Motion:
    """Return a motion at a rate [Hz], both ends included."""
    count = int(round(trajectory.duration * rate)) + 1
    return trajectory.at(np.linspace(0.0, trajectory.duration, count))


def even_edges(trajectory: Trajectory, step: float) -> Array:
    """Return the edges of equal slices of at most `step` [s] that cover a motion."""
    count = max(1, int(np.ceil(trajectory.duration / step - 1e-9)))
    return np.linspace(0.0, trajectory.duration, count + 1)


def checked_edges(edges: Array, duration: float) -> Array:
    """Return edges of slices as an array.

    Raises:
        InputError: They do not increase or leave [0, duration].
    """
    edges = np.asarray(edges, dtype=float)
    inside = edges.ndim == 1 and len(edges) > 1 and edges[0] >= 0.0 and edges[-1] <= duration
    if not (inside and (np.diff(edges) > 0).all()):
        raise InputError(
            f"Edges of slices must increase within [0, {duration:g}] s, at least two of them; "
            f"found {edges!r}."
        )
    return edges
