r"""Derivatives of sums over the regressor by state, by Pinocchio's derivatives of inverse dynamics.

Torques are linear in the bodies' parameters: sum_l W_lj(q, dq, ddq) G_l is the torque of joint j of
an arm whose bodies have the parameters G_l. Its derivative by the state is therefore a row of that
arm's derivatives, whether or not G could be those of real bodies. Pinocchio divides by masses; so
all bodies get the same mass on top, and what that adds is taken off again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from ...arm.arm_model import ArmModel
from ...arrays import Array
from ...body.inertial import TO_PINOCCHIO, change_of_frame
from ...motion.trajectory import Motion

POINT = np.eye(10)[0]  # parameters of a point of mass 1 at the origin


@dataclass(frozen=True)
class TorqueSlope:
    """Differentiates weighed sums over rows of the regressor.

    Attributes:
        model: The arm, n joints.
    """

    model: ArmModel

    def __call__(
        self, motion: Motion, at: NDArray[np.intp], joint: NDArray[np.intp], bodies: Array
    ) -> Array:
        """Return the derivatives of sum_l W_lj G_l by q, dq and ddq, shape (K, 3, n).

        Args:
            motion: q, dq, ddq at N instants.
            at: Which instant each sum is about, shape (K,).
            joint: j of each sum, shape (K,).
            bodies: G of the links and, last, the payload, shape (K, n + 1, 10).
        """
        links = bodies[:, :-1].copy()
        links[:, self.model.payload_joint] += bodies[:, -1] @ self._to_carrier.T
        more = 2.0 * float(np.abs(links).max(initial=1e-300))
        links[..., 0] += more
        order = self._order
        states = {
            k: (self.model.pinocchio_q(motion.q[k]), motion.dq[k][order], motion.ddq[k][order])
            for k in np.unique(at).tolist()
        }
        points = {k: more * self._slopes(state, self._points) for k, state in states.items()}
        found = np.empty((len(at), 3, self.model.n))
        links = links[..., TO_PINOCCHIO]
        for i, (k, j) in enumerate(zip(at.tolist(), joint.tolist(), strict=True)):
            row = self._place[j]
            found[i] = self._slopes(states[k], links[i], j)[:, row] - points[k][:, row]
        return found[..., self._place]

    @cached_property
    def _to_carrier(self) -> Array:
        """Brings the payload's parameters to the frame of the link that carries it."""
        return change_of_frame(self.model.payload_rotation, self.model.payload_translation)

    @cached_property
    def _points(self) -> Array:
        """Parameters of links that are points of mass 1, shape (n, 10)."""
        return np.tile(POINT, (self.model.n, 1))

    @cached_property
    def _arm(self) -> tuple[pin.Model, pin.Data]:
        """A copy of the arm whose inertias may be changed, without rotors."""
        arm = self.model.pinocchio.copy()
        arm.armature = np.zeros(self.model.n)
        return arm, arm.createData()

    @cached_property
    def _carried(self) -> list[list[int]]:
        """Links that each joint carries."""
        supports = self.model.supports()[:-1]
        return [np.flatnonzero(supports[:, j]).tolist() for j in range(self.model.n)]

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        """Place in q of Pinocchio's joints, shape (n,)."""
        return np.asarray(self.model.order)

    @cached_property
    def _place(self) -> NDArray[np.intp]:
        """Place among Pinocchio's joints of those of q, shape (n,)."""
        return np.argsort(self._order)

    def _slopes(
        self, state: tuple[Array, Array, Array], links: Array, joint: int | None = None
    ) -> Array:
        """Return the derivatives of torques by q, dq, ddq, Pinocchio's order, shape (3, n, n).

        Args:
            state: Pinocchio's configuration, velocity and acceleration.
            links: Parameters of all links, Pinocchio's order of parameters, shape (n, 10).
            joint: The only one whose torque is wanted; None for all.
        """
        arm, data = self._arm
        for body in range(self.model.n) if joint is None else self._carried[joint]:
            made = pin.Inertia.FromDynamicParameters(links[body])
            arm.inertias[int(self._place[body]) + 1] = made
        return np.array(pin.computeRNEADerivatives(arm, data, *state))
