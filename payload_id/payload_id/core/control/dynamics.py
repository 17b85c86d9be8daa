"""The arm's dynamics along a reference velocity, linear in what is uncertain.

    M(q) ddq_a + C(q, dq) dq_a + g(q) = Y(q, dq, dq_a, ddq_a) theta,   Mdot - 2 C skew-symmetric.

C is the matrix of Christoffel symbols, for which C(q, x) y = C(q, y) x; with h(x) = C(q, x) x,

    C(q, dq) dq_a = h((dq + dq_a) / 2) - h((dq - dq_a) / 2),

so that two of Pinocchio's torque regressors give Y.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from ..arm_model import ArmModel
from ..errors import InputError
from ..inertial import TO_PINOCCHIO, Array, change_of_frame


@dataclass(frozen=True, eq=False)
class DynamicsBox:
    """Intervals of everything that the torque depends on: centre and half-width of each.

    Attributes:
        links: phi of each body about its joint's frame, shapes (n, 10) and (n, 10).
        payload: phi about the payload frame, shapes (10,) and (10,).
        rotor_inertia: Reflected rotor inertia, shapes (n,) and (n,) [kg m2 or kg].
        coulomb: Coulomb friction, shapes (n,) and (n,) [N m or N].
        viscous: Viscous friction, shapes (n,) and (n,) [N m s/rad or N s/m].
        offset: Constant torque that the arm needs beyond these, shapes (n,) and (n,) [N m or N].
        stiction_velocity: Below this speed the sign of Coulomb friction is unknown [rad/s or m/s].
    """

    links: tuple[Array, Array]
    payload: tuple[Array, Array]
    rotor_inertia: tuple[Array, Array]
    coulomb: tuple[Array, Array]
    viscous: tuple[Array, Array]
    offset: tuple[Array, Array]
    stiction_velocity: float = 0.01

    def __post_init__(self) -> None:
        n = len(self.links[0])
        shapes = {"links": (n, 10), "payload": (10,)}
        for name in ("links", "payload", "rotor_inertia", "coulomb", "viscous", "offset"):
            shape = shapes.get(name, (n,))
            pair = tuple(
                np.array(np.broadcast_to(x, shape), dtype=float) for x in getattr(self, name)
            )
            if not np.isfinite(pair).all() or (pair[1] < 0).any():
                raise InputError(
                    f"The interval of '{name}' needs finite centres and finite half-widths, none "
                    f"negative; found {pair[0].tolist()} +- {pair[1].tolist()}."
                )
            object.__setattr__(self, name, pair)

    @classmethod
    def around(
        cls,
        model: ArmModel,
        payload: tuple[Array | float, Array | float] = (0.0, 0.0),
        link_relative: float = 0.0,
        rotor_inertia: tuple[Array | float, Array | float] = (0.0, 0.0),
        coulomb: tuple[Array | float, Array | float] = (0.0, 0.0),
        viscous: tuple[Array | float, Array | float] = (0.0, 0.0),
        offset: tuple[Array | float, Array | float] = (0.0, 0.0),
        stiction_velocity: float = 0.01,
    ) -> DynamicsBox:
        """Return the box of links within a fraction of the description, and what else is given."""
        links = (model.link_phi, link_relative * np.abs(model.link_phi))
        return cls(
            links,
            _pair(payload, 10),
            _pair(rotor_inertia, model.n),
            _pair(coulomb, model.n),
            _pair(viscous, model.n),
            _pair(offset, model.n),
            stiction_velocity,
        )


def _pair(pair: tuple[Array | float, Array | float], length: int) -> tuple[Array, Array]:
    """Return centre and half-width with one number for each entry."""
    centre, half = (np.broadcast_to(np.asarray(x, dtype=float), (length,)) for x in pair)
    return centre, half


class ArmDynamics:
    """Regressors of one arm, and torques and energies over a box of its parameters.

    The columns belong to the bodies in Pinocchio's order and parameter order, then to the payload
    about its own frame: K = 10 n + 10. Everything that goes in or out is in the model's order.

    Attributes:
        model: The arm.
        box: What is uncertain.
    """

    def __init__(self, model: ArmModel, box: DynamicsBox) -> None:
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
            for links, payload in zip(box.links, box.payload, strict=True)
        )

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
        rotor = self.box.rotor_inertia[0] + self.box.rotor_inertia[1]
        return float(y @ self.centre + np.abs(y) @ self.half_width + 0.5 * rotor @ r**2)

    def torque(
        self, q: Array, dq: Array, dq_a: Array, ddq_a: Array, regressor: Array | None = None
    ) -> tuple[Array, Array]:
        """Return RNEA(theta_0; q, dq, dq_a, ddq_a) and the largest |w_j| over the box.

        w = RNEA(theta; ...) - RNEA(theta_0; ...), friction and rotors included; each of shape (n,).
        The regressor of the same state may be given where it is known already.
        """
        box, speed = self.box, np.abs(dq)
        Y = self.regressor(q, dq, dq_a, ddq_a) if regressor is None else regressor
        rotor, coulomb, viscous, offset = box.rotor_inertia, box.coulomb, box.viscous, box.offset
        slope = np.clip(dq / max(box.stiction_velocity, 1e-9), -1.0, 1.0)
        nominal = Y @ self.centre + rotor[0] * ddq_a + viscous[0] * dq + offset[0]
        nominal += coulomb[0] * slope
        # At rest friction may be anything up to its largest value, against what is compensated.
        stuck = coulomb[0] + coulomb[1] + np.abs(coulomb[0] * slope)
        w = np.abs(Y) @ self.half_width + rotor[1] * np.abs(ddq_a) + viscous[1] * speed + offset[1]
        w += np.where(speed > box.stiction_velocity, coulomb[1], stuck)
        return nominal, w
