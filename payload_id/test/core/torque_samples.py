"""Torques at sampled states of a slice, tube and parameter box, by Pinocchio; random and worst."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from payload_id.core.arm_model import ArmModel
from payload_id.core.excitation.trajectory import Trajectory
from payload_id.core.inertial import TO_PINOCCHIO, Array, change_of_frame
from payload_id.core.safety.parameter_box import ParameterBox
from payload_id.core.safety.tube import TrackingTube


@dataclass(frozen=True, eq=False)
class Sampled:
    """Torques of one state, friction and rotors included; shape (n,) each [N m or N].

    Attributes:
        full: For some theta of the box.
        nominal: For the middle of the box.
    """

    full: Array
    nominal: Array


class TorqueSampler:
    """Evaluates M ddq_a + C(q, dq) dq_a + g with Christoffel's C: Pinocchio's regressor, polarised.

    Attributes:
        model: The arm.
        box: What is known of it.
        tube: What is known of its state.
        trajectory: Desired motion.
        edges: Of the slices, shape (K + 1,) [s].
    """

    def __init__(
        self,
        model: ArmModel,
        box: ParameterBox,
        tube: TrackingTube,
        trajectory: Trajectory,
        edges: Array,
    ) -> None:
        self.model, self.box, self.tube = model, box, tube
        self.trajectory, self.edges = trajectory, edges
        self._pin, self._still = model.pinocchio, model.pinocchio.copy()
        self._still.gravity = pin.Motion.Zero()
        self._data = self._pin.createData()
        self._move = change_of_frame(model.payload_rotation, model.payload_translation)
        self._order = list(model.order)
        middle, half = box.bodies
        self.middle, self.half = middle.ravel(), half.ravel()

    def regressor(self, q: Array, dq: Array, dq_a: Array, ddq_a: Array) -> Array:
        """Return W with torque = W theta, bodies in the model's order, then the payload."""
        n, order = self.model.n, self._order
        at, zero = self.model.pinocchio_q(q), np.zeros(n)
        sum_, difference = ((dq + dq_a) / 2)[order], ((dq - dq_a) / 2)[order]
        columns = np.array(
            pin.computeJointTorqueRegressor(self._pin, self._data, at, sum_, ddq_a[order])
        )
        if difference.any():
            columns -= pin.computeJointTorqueRegressor(
                self._still, self._data, at, difference, zero
            )
        W = np.zeros((n, n + 1, 10))
        bodies = columns.reshape(n, n, 10)[:, :, TO_PINOCCHIO]
        for body, index in enumerate(order):
            W[order, index] = bodies[:, body]
        W[:, n] = W[:, self.model.payload_joint] @ self._move
        return W.reshape(n, -1)

    def state(self, time: float, errors: Array) -> tuple[Array, Array, Array, Array]:
        """Return q, dq, dq_a, ddq_a at a time, errors (4, n) as fractions of the tube."""
        at, tube = self.trajectory.at(np.array([time])), self.tube
        return (
            at.q[0] + errors[0] * tube.position,
            at.dq[0] + errors[1] * tube.velocity,
            at.dq[0] + errors[2] * tube.reference_velocity,
            at.ddq[0] + errors[3] * tube.reference_acceleration,
        )

    def torque(self, time: float, errors: Array, u: Array, joint_u: Array) -> Sampled:
        """Return the torques for theta = middle + half u; joint_u of rotor, viscous, Coulomb."""
        q, dq, dq_a, ddq_a = self.state(time, errors)
        W = self.regressor(q, dq, dq_a, ddq_a)
        return self._with_joints(W @ self.middle, W @ (self.half * u), dq, ddq_a, joint_u)

    def _with_joints(
        self, nominal: Array, rest: Array, dq: Array, ddq_a: Array, joint_u: Array
    ) -> Sampled:
        names = ("rotor_inertia", "viscous", "coulomb")
        scale = max(self.box.stiction_velocity, 1e-12)
        factors = (ddq_a, dq, np.clip(dq / scale, -1.0, 1.0))
        for name, factor, v in zip(names, factors, joint_u, strict=True):
            middle, half = self.box.interval(name)
            nominal = nominal + middle * factor
            if name == "coulomb":
                rest = rest + (middle + half * v) * np.sign(dq) - middle * factor
            else:
                rest = rest + half * v * factor
        return Sampled(nominal + rest, nominal)

    def random(self, rng: np.random.Generator) -> tuple[int, Sampled]:
        """Return a slice and the torques of one of its states: inside, at faces or corners."""
        k = int(rng.integers(len(self.edges) - 1))
        a, b = self.edges[k : k + 2]
        time = rng.choice([a, b, rng.uniform(a, b)])
        corner = rng.uniform() < 0.5
        errors, joint_u, u = (
            rng.choice([-1.0, 1.0], shape) if corner else rng.uniform(-1.0, 1.0, shape)
            for shape in ((4, self.model.n), (3, self.model.n), self.middle.shape)
        )
        if rng.uniform() < 0.5:  # the corner of the box that is worst for one joint in this state
            W = self.regressor(*self.state(time, errors))
            u = np.sign(W[rng.integers(self.model.n)]) * rng.choice([-1.0, 1.0])
        return k, self.torque(time, errors, u, joint_u)

    def extremes(self, k: int, joint: int, times: int = 3, steps: int = 2) -> tuple[float, float]:
        """Return the least and the largest torque found by climbing from corner to corner.

        At each of some times, the tube's corner follows from the slopes of the torque at the
        corner before, and the box's corner is the worst for the state.
        """
        found = [
            self._climb(time, joint, sign, steps)
            for time in np.linspace(*self.edges[k : k + 2], times)
            for sign in (-1.0, 1.0)
        ]
        return min(found), max(found)

    def _climb(self, time: float, joint: int, sign: float, steps: int) -> float:
        n = self.model.n
        errors, best = np.zeros((4, n)), -np.inf
        for _ in range(steps + 1):
            W = self.regressor(*self.state(time, errors))
            theta = self.middle + self.half * np.sign(W[joint]) * sign
            joint_u = self._joint_corner(time, errors, joint, sign)
            u = np.sign(W[joint]) * sign
            best = max(best, sign * self.torque(time, errors, u, joint_u).full[joint])
            slope = self._slopes(time, errors, joint, theta, joint_u)
            errors = np.where(slope * sign >= 0, 1.0, -1.0)
        return sign * best

    def _joint_corner(self, time: float, errors: Array, joint: int, sign: float) -> Array:
        _, dq, _, ddq_a = self.state(time, errors)
        return np.sign(np.stack([ddq_a, dq, dq])) * sign

    def _slopes(
        self, time: float, errors: Array, joint: int, theta: Array, joint_u: Array
    ) -> Array:
        """Return derivatives of one joint's torque with respect to the errors, shape (4, n)."""
        n, step = self.model.n, 1e-3
        tube = (
            self.tube.position,
            self.tube.velocity,
            self.tube.reference_velocity,
            self.tube.reference_acceleration,
        )
        slope = np.zeros((4, n))
        state = self.state(time, errors)
        base = self.regressor(*state)[joint] @ theta
        for kind, width in enumerate(tube):
            for j in np.flatnonzero(width):
                moved = [np.array(part) for part in state]
                moved[kind][j] += step * width[j]
                slope[kind, j] = (self.regressor(*moved)[joint] @ theta - base) / step
        rotor, half = self.box.interval("rotor_inertia")
        inertia = rotor[joint] + half[joint] * joint_u[0, joint]
        slope[3, joint] += inertia * self.tube.reference_acceleration[joint]
        return slope
