"""States within the tube of a motion at random, and Pinocchio's regressor at each of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...body.inertial import TO_PINOCCHIO, change_of_frame
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


class Regressors:
    """Pinocchio's torque regressor with a reference velocity, bodies about their joints' frames."""

    def __init__(self, case: SafetyCase) -> None:
        self.model = case.model
        self.pinocchio = case.model.pinocchio
        self.data = self.pinocchio.createData()
        self.order = list(case.model.order)
        payload = change_of_frame(case.model.payload_rotation, case.model.payload_translation)
        self.payload = payload[TO_PINOCCHIO]
        self.gravity_error = case.box.gravity_error

    def at(self, q: Array, dq: Array, dq_a: Array, ddq_a: Array) -> Array:
        """Return Y of M ddq_a + C(q, dq) dq_a + g, shape (n, n + 1, 10).

        C(q, a) b with the Christoffel symbols is symmetric in a and b, so that it follows from
        squares: 2 C(q, a) b = C(q, a + b) (a + b) - C(q, a) a - C(q, b) b.
        """
        zero = np.zeros_like(dq)
        rest = self._raw(q, zero, ddq_a)
        if (dq == dq_a).all():
            return self._arranged(self._raw(q, dq, ddq_a))
        still = self._raw(q, zero, zero)
        both, one, other = (self._raw(q, v, zero) - still for v in (dq + dq_a, dq, dq_a))
        return self._arranged(rest + (both - one - other) / 2)

    def _raw(self, q: Array, dq: Array, ddq: Array) -> Array:
        """Return Pinocchio's regressor, joints in its own order, shape (n, 10 n)."""
        configuration = self.model.pinocchio_q(q)
        v, a = dq[self.order], ddq[self.order]
        return np.array(
            pin.computeJointTorqueRegressor(self.pinocchio, self.data, configuration, v, a)
        )

    def _arranged(self, raw: Array) -> Array:
        """Return the regressor with joints and parameters as in this package, payload last."""
        n = len(self.order)
        found = np.zeros((n, n + 1, 10))
        blocks = raw.reshape(n, n, 10)
        for k, body in enumerate(self.order):
            found[self.order, body] = blocks[:, k][:, np.argsort(TO_PINOCCHIO)]
        carrier = self.model.order.index(self.model.payload_joint)
        found[self.order, n] = blocks[:, carrier] @ self.payload
        return found
