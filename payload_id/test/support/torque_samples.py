"""Torques at sampled states of a slice, tube and parameter box, by Pinocchio; random and worst."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.arrays import Array
from payload_id.core.body.inertial import TO_PINOCCHIO, change_of_frame
from payload_id.core.motion.trajectory import Trajectory
from payload_id.core.safety.torque.parameter_box import ParameterBox
from payload_id.core.safety.tube.tracking_tube import TrackingTube


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
                # Within the stiction velocity anything up to the friction, in either direction.
                slow = np.abs(dq) <= self.box.stiction_velocity
                friction = np.where(slow, (middle + half) * v, (middle + half * v) * np.sign(dq))
                rest = rest + friction - middle * factor
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

    def extremes(self, k: int, times: int = 3) -> tuple[Array, Array]:
        """Return the least and the largest torque found on a slice, shape (n,) each.

        To first order about the desired motion the torque is a bilinear form of the errors and of
        theta, which is climbed from many starts, setting errors and theta in turns; the corners
        that come out best are evaluated, and corrected by the slopes found there.
        """
        found = [self._corners(time) for time in np.linspace(*self.edges[k : k + 2], times)]
        return np.min([low for low, _ in found], axis=0), np.max(
            [high for _, high in found], axis=0
        )

    def _corners(self, time: float) -> tuple[Array, Array]:
        n = self.model.n
        value, slope = self._expansion(time, np.zeros((4, n)))
        ends = np.empty((2, n))
        for joint in range(n):
            for row, sign in enumerate((-1.0, 1.0)):
                corners = self._climbed(time, value[joint], slope[..., joint, :], joint, sign)
                best = max((self._worst(time, x, joint, sign), i) for i, x in enumerate(corners))
                refined = self._refined(time, corners[best[1]], joint, sign)
                ends[row, joint] = sign * max(best[0], self._worst(time, refined, joint, sign))
        return ends[0], ends[1]

    def _expansion(self, time: float, errors: Array) -> tuple[Array, Array]:
        """Return W and its slopes along the tube's errors, (n, p) and (4, n, n, p)."""
        n, step = self.model.n, 1e-3
        base = self.regressor(*self.state(time, errors))
        slope = np.zeros((4, n, *base.shape))
        for kind, width in enumerate(self._widths):
            for j in np.flatnonzero(width):
                moved = errors.copy()
                moved[kind, j] += step
                slope[kind, j] = (self.regressor(*self.state(time, moved)) - base) / step
        return base, slope

    @property
    def _widths(self) -> tuple[Array, Array, Array, Array]:
        tube = self.tube
        return (
            tube.position,
            tube.velocity,
            tube.reference_velocity,
            tube.reference_acceleration,
        )

    def _climbed(
        self, time: float, value: Array, slope: Array, joint: int, sign: float
    ) -> list[Array]:
        """Return corners of the tube, shape (4, n), that are best in the bilinear form."""
        n, rng = self.model.n, np.random.default_rng(joint)
        flat = slope.reshape(4 * n, -1)
        a, b, C = sign * value * self.half, sign * (flat @ self.middle), sign * flat * self.half
        b = b + sign * self._joint_slopes(joint)
        starts = [np.sign(a), np.sign(a + np.sign(b) @ C), *rng.choice([-1.0, 1.0], (14, len(a)))]
        found: dict[bytes, tuple[float, Array]] = {}
        for u in starts:
            for _ in range(10):
                x = np.where(b + C @ u >= 0, 1.0, -1.0)
                u = np.sign(a + x @ C)
            errors = x.reshape(4, n)
            for own in (-1.0, 1.0):  # the sign of friction
                corner = errors.copy()
                corner[1, joint] = own
                x = corner.ravel()
                found[corner.tobytes()] = (float(b @ x + np.abs(a + x @ C).sum()), corner)
        return [corner for _, corner in sorted(found.values(), key=lambda pair: -pair[0])[:4]]

    def _joint_slopes(self, joint: int) -> Array:
        """Return derivatives of a joint's rotor and viscous torque, shape (4 n,)."""
        slope = np.zeros((4, self.model.n))
        slope[3, joint] = self.box.rotor_inertia_upper[joint]
        slope[1, joint] = self.box.viscous_upper[joint]
        return (slope * np.array(self._widths)).ravel()

    def _worst(self, time: float, errors: Array, joint: int, sign: float) -> float:
        """Return sign times the torque of a joint, for the worst theta at a state."""
        state = self.state(time, errors)
        W = self.regressor(*state)
        _, dq, _, ddq_a = state
        friction = np.where(np.abs(dq) > self.box.stiction_velocity, np.sign(dq), 1.0)
        joint_u = np.stack([np.sign(ddq_a), np.sign(dq), friction]) * sign
        rest = W @ (self.half * np.sign(W[joint]) * sign)
        found = self._with_joints(W @ self.middle, rest, dq, ddq_a, joint_u)
        return sign * float(found.full[joint])

    def _refined(self, time: float, errors: Array, joint: int, sign: float) -> Array:
        """Return the corner to which the slopes at a corner point."""
        W, slope = self._expansion(time, errors)
        theta = self.middle + self.half * np.sign(W[joint]) * sign
        flat = (slope[:, :, joint] @ theta).ravel() + self._joint_slopes(joint)
        refined = np.where(flat.reshape(errors.shape) * sign >= 0, 1.0, -1.0)
        refined[1, joint] = errors[1, joint]  # the sign of friction
        return refined
