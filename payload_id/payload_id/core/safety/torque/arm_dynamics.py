"""The arm's dynamics along a reference velocity, linear in what is uncertain.

    M(q) ddq_a + C(q, dq) dq_a + g(q) = Y(q, dq, dq_a, ddq_a) theta,   Mdot - 2 C skew-symmetric.

C is the matrix of Christoffel symbols, for which C(q, x) y = C(q, y) x; with h(x) = C(q, x) x,

    C(q, dq) dq_a = h((dq + dq_a) / 2) - h((dq - dq_a) / 2),

so that two of Pinocchio's torque regressors give Y.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ...arm.arm_model import ArmModel
from ...arrays import Array
from ...body.inertial import TO_PINOCCHIO, change_of_frame
from ...errors import InputError
from .parameter_box import ParameterBox

SMALLEST_SPEED = 1e-9  # [rad/s or m/s] below it a joint stands still


class ArmDynamics:
    """Regressors of one arm, and torques and energies over a box of its parameters.

    The columns belong to the bodies in Pinocchio's order and parameter order, then to the payload
    about its own frame: K = 10 n + 10. Everything that goes in or out is in the model's order.

    Attributes:
        model: The arm.
        box: What is uncertain; theta_0 is its middle.
    """

    def __init__(self, model: ArmModel, box: ParameterBox) -> None:
        if box.n != model.n:
            raise InputError(f"The box is of {box.n} joints; the arm has {model.n}.")
        self.model, self.box = model, box
        self._order = np.asarray(model.order)
        self._gravity = model.pinocchio
        self._still = model.pinocchio.copy()
        self._still.gravity = pin.Motion.Zero()
        self._data = self._gravity.createData()
        self._still_data = self._still.createData()
        joints = [model.pinocchio.joints[k] for k in range(1, model.n + 1)]
        first = np.array([joint.idx_q for joint in joints])
        turns = np.array([joint.nq == 2 for joint in joints])
        self._plain, self._plain_from = first[~turns], self._order[~turns]
        self._turning, self._turning_from = first[turns], self._order[turns]
        last = 10 * model.order.index(model.payload_joint)
        self._last = slice(last, last + 10)
        move = change_of_frame(model.payload_rotation, model.payload_translation)
        self._to_last = move[TO_PINOCCHIO]
        self.centre, self.half_width = (
            np.concatenate([links[self._order][:, TO_PINOCCHIO].ravel(), payload])
            for links, payload in zip(box.interval("links"), box.interval("payload"), strict=True)
        )
        self.rotor = box.interval("rotor_inertia")
        self._coulomb, self._viscous = box.interval("coulomb"), box.interval("viscous")
        self._directions = [model.pinocchio.copy() for _ in range(3)]
        for axis, tilted in enumerate(self._directions):
            tilted.gravity.linear = np.eye(3)[axis]

    def configuration(self, q: Array) -> Array:
        """Return Pinocchio's configuration vector of a pose, shape (nq,)."""
        configuration = np.empty(self._gravity.nq)
        configuration[self._plain] = q[self._plain_from]
        turning = q[self._turning_from]
        configuration[self._turning] = np.cos(turning)
        configuration[self._turning + 1] = np.sin(turning)
        return configuration

    def regressor(self, q: Array, dq: Array, dq_a: Array, ddq_a: Array) -> Array:
        """Return Y(q, dq, dq_a, ddq_a), shape (n, K); see the module's head."""
        at, order = self.configuration(q), self._order
        middle, half = 0.5 * (dq + dq_a)[order], 0.5 * (dq - dq_a)[order]
        bodies = np.array(
            pin.computeJointTorqueRegressor(self._gravity, self._data, at, middle, ddq_a[order])
        )
        bodies -= pin.computeJointTorqueRegressor(
            self._still, self._still_data, at, half, np.zeros(len(order))
        )
        Y = np.empty((len(order), len(self.centre)))
        Y[order, :-10] = bodies
        Y[:, -10:] = Y[:, self._last] @ self._to_last
        return Y

    def energy_regressor(self, q: Array, r: Array) -> Array:
        """Return y with 1/2 r' M(q) r = y theta for the bodies and the payload, shape (K,)."""
        at = self.configuration(q)
        bodies = pin.computeKineticEnergyRegressor(
            self._gravity, self._data, at, np.ascontiguousarray(r[self._order])
        )
        bodies = np.ravel(bodies)
        return np.concatenate([bodies, bodies[self._last] @ self._to_last])

    def largest_energy(self, q: Array, r: Array) -> float:
        """Return the largest 1/2 r' M(q; theta) r over the box, rotors included [J]."""
        y = self.energy_regressor(q, r)
        bodies = y @ self.centre + np.abs(y) @ self.half_width
        return float(bodies + 0.5 * self.box.rotor_inertia_upper @ r**2)

    def momentum(self, q: Array, r: Array) -> Array:
        """Return M(q; theta_0) r, rotors included, shape (n,)."""
        at, zero = self.configuration(q), np.zeros(len(q))
        bodies = np.array(
            pin.computeJointTorqueRegressor(self._still, self._still_data, at, zero, r[self._order])
        )
        payload = bodies[:, self._last] @ self._to_last @ self.centre[-10:]
        p = np.empty(len(q))
        p[self._order] = bodies @ self.centre[:-10] + payload
        return np.asarray(p + self.rotor[0] * r)

    def torque(
        self, q: Array, dq: Array, dq_a: Array, ddq_a: Array, regressor: Array | None = None
    ) -> tuple[Array, Array]:
        """Return RNEA(theta_0; q, dq, dq_a, ddq_a) and the largest |w_j| over the box.

        w = RNEA(theta; ...) - RNEA(theta_0; ...), friction and rotors included; each of shape (n,).
        The regressor of the same state may be given where it is known already.
        """
        speed, stiction = np.abs(dq), self.box.stiction_velocity
        Y = self.regressor(q, dq, dq_a, ddq_a) if regressor is None else regressor
        rotor, coulomb, viscous = self.rotor, self._coulomb, self._viscous
        sign = np.clip(dq / max(stiction, SMALLEST_SPEED), -1.0, 1.0)
        nominal = Y @ self.centre + rotor[0] * ddq_a + viscous[0] * dq + coulomb[0] * sign
        # At rest friction may be anything up to its largest value, against what is compensated.
        stuck = coulomb[0] + coulomb[1] + coulomb[0] * np.abs(sign)
        w = np.abs(Y) @ self.half_width + rotor[1] * np.abs(ddq_a) + viscous[1] * speed
        w += np.where(speed > max(stiction, SMALLEST_SPEED), coulomb[1], stuck)
        if self.box.gravity_error > 0.0:
            w += self.box.gravity_error * self._effect_of_gravity(q)
        return nominal, w

    def _effect_of_gravity(self, q: Array) -> Array:
        """Return a bound of the torques of 1 m/s2 of gravity along each axis, added up, (n,)."""
        at, zero, total = self.configuration(q), np.zeros(len(q)), np.zeros(len(q))
        for tilted in self._directions:
            Y = np.empty((len(q), len(self.centre)))
            Y[self._order, :-10] = pin.computeJointTorqueRegressor(
                tilted, self._still_data, at, zero, zero
            )
            Y[:, -10:] = Y[:, self._last] @ self._to_last
            total += np.abs(Y @ self.centre) + np.abs(Y) @ self.half_width
        return total
