"""States within the tube of a motion at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...motion.trajectory import Trajectory
from .safety_case import SafetyCase


@dataclass(frozen=True, eq=False)
class SampledStates:
    """States within the tube of a motion, shape (N, n), and what they are drawn for.

    Attributes:
        time: Shape (N,) [s].
        q: Positions.
        dq: Velocities.
        dq_a: The controller's reference velocities.
        ddq_a: Its reference accelerations.
    """

    time: Array
    q: Array
    dq: Array
    dq_a: Array
    ddq_a: Array

    def state(self, i: int) -> tuple[Array, Array, Array, Array]:
        """Return q, dq, dq_a and ddq_a of one of them, shape (n,) each."""
        return self.q[i], self.dq[i], self.dq_a[i], self.ddq_a[i]


def sample_states(
    case: SafetyCase, trajectory: Trajectory, samples: int, rng: np.random.Generator
) -> SampledStates:
    """Return random states within the tube."""
    return states_at(case, trajectory, rng.uniform(0.0, trajectory.duration, samples), rng)


def states_at(
    case: SafetyCase, trajectory: Trajectory, time: Array, rng: np.random.Generator
) -> SampledStates:
    """Return random states within the tube at given times, shape (N,) [s]."""
    tube, samples = case.tube, len(time)
    motion = trajectory.at(time)
    q = motion.q + errors_within(tube.position, samples, rng)
    dq = motion.dq + errors_within(tube.velocity, samples, rng)
    ddq_a = motion.ddq + errors_within(tube.reference_acceleration, samples, rng)
    if tube.kind == "robust":
        return SampledStates(
            time, q, dq, motion.dq + errors_within(tube.reference_velocity, samples, rng), ddq_a
        )
    return SampledStates(time, q, dq, dq, ddq_a)


def errors_within(bound: Array, samples: int, rng: np.random.Generator) -> Array:
    """Return errors within a bound (n,), half of them at its corners, shape (N, n)."""
    inside = rng.uniform(-1.0, 1.0, (samples, len(bound)))
    corner = rng.random((samples, 1)) < 0.5
    return np.where(corner, np.where(inside < 0, -1.0, 1.0), inside) * bound
