r"""The rows that motions would give of a force-torque sensor between flange and payload.

With V velocity and A acceleration minus gravity of the payload, spatial vectors in its frame, e_a
their axes and K the bilinear form of `kinetics`,

    wrench_a = e_a' (I A + V x* I V) = [K(e_a, A) - K(V x e_a, V)] phi,

so that a window has six rows: A = int of that, B = int [1, t - t0, -wrench] dt * half widths of
bias, drift and gain, d = (errors of the wrench, and of the motion times the expected payload) dt.
What else stands in a real row's bound (delays, tilt of gravity) is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from ...arm.arm_model import ArmModel
from ...arm.kinetics import bilinear_form, seen_from
from ...arrays import Array
from ...body.inertial import skew
from ...motion.trajectory import Motion
from ...rows.nuisance import Nuisance, NuisanceBlock
from ...rows.wrench.blocks import WrenchSums, of_sensor
from ...rows.wrench.newton_euler import FEATURES_TO_REGRESSOR
from ...rows.wrench.uncertainty import WrenchUncertainty
from .candidate_rows import POINTS, WINDOW, CandidateRows, instants_of
from .dynamics import kinematics, spatial_cross

RATE = 100.0  # [Hz] of samples whose noise averages out in a window
LEAST_BOUND = 0.01  # [N, N m] of d per unit of time: what is left out of it
AXES = np.eye(6)  # e_a, linear part first


@dataclass(frozen=True)
class WrenchPredictor:
    """Predicts rows for one arm, its sensor's uncertainty and an expected payload.

    Attributes:
        model: The arm.
        uncertainty: Of sensor and motion.
        payload: Expected phi in the payload frame, shape (10,).
        window: Length of a row's window [s].
    """

    model: ArmModel
    uncertainty: WrenchUncertainty
    payload: Array
    window: float = WINDOW

    @property
    def p(self) -> int:
        """Number of nuisance parameters."""
        return self._nuisance.p

    def instants(self, horizon: float, points: int) -> Array:
        """Return the Gauss-Legendre points of all full windows within [0, horizon] [s]."""
        return instants_of(self.window, horizon, points)

    def rows(
        self,
        motion: Callable[[Array], Motion],
        horizon: float,
        nuisance: bool = True,
        points: int = 2,
    ) -> CandidateRows:
        """Return the rows of all full windows within [0, horizon]; arguments as `Predictor`'s."""
        time = self.instants(horizon, points)
        weights = self.window * np.array(POINTS[points][1])
        sampled = motion(time)
        C, N, n = sampled.q.shape
        state = kinematics(
            self.model, *(x.reshape(C * N, n) for x in (sampled.q, sampled.dq, sampled.ddq))
        )
        rotation, origin = state.rotation[:, n:], state.origin[:, n:]
        V, A = (
            seen_from(x[:, n:, None], rotation, origin)[:, 0]
            for x in (state.velocity, state.acceleration)
        )
        Y = bilinear_form(AXES, A) - bilinear_form(spatial_cross(V, AXES), V)  # (C N, 6, 10)
        count = N // points

        def integral(value: Array) -> Array:
            """Sum over the points of each window, shape (C, 6 windows, ...)."""
            parts = value.reshape(C, count, points, 6, *value.shape[2:])
            whole = np.einsum("cwp...,p->cw...", parts, weights)
            return np.asarray(whole.reshape(C, 6 * count, *value.shape[2:]))

        d = np.tile(self.window * self._error, (C, count))
        if not nuisance:
            return CandidateRows(integral(Y), np.zeros((C, 6 * count, 0)), d)
        reading = integral(Y @ self.payload).reshape(C * count, 6)
        moment = np.tile(time.reshape(count, points) @ weights, C)[:, None]
        seen = WrenchSums(np.full((C * count, 1), self.window), moment, reading)
        columns = np.concatenate([block.effect(seen).columns for block in self._sensor], axis=2)
        B = self._nuisance.scaled(columns).reshape(C, 6 * count, -1)
        return CandidateRows(integral(Y), B, d)

    def slope(self, motion: Motion, by: CandidateRows) -> Array:
        """Return the derivatives of a number f by q, dq, ddq at each instant, shape (N, 3, n).

        With G = df/dY (by A, and by the gain's column times the expected payload), f = G : Y is
        linear in A and quadratic in V. Arguments as `Predictor`'s.
        """
        N, n = motion.q.shape
        G = self.window * by.A[0].reshape(N, 6, 10)
        if by.B.shape[-1]:
            box = self._nuisance
            every = np.zeros((N, 6, len(box.centre)))
            half_width = box.half_width[box.uncertain]
            every[..., box.uncertain] = self.window * by.B[0].reshape(N, 6, -1) * half_width
            gain = np.diagonal(every[..., -6:], axis1=1, axis2=2)
            G = G - gain[..., None] * self.payload
        linear, quadratic = _FORMS
        found = np.empty((N, 3, n))
        for k in range(N):
            V, V_q, V_dq, A_q, A_dq = self._motion_slopes(motion.q[k], motion.dq[k], motion.ddq[k])
            by_A = np.einsum("akp,ap->k", linear, G[k])
            T = np.einsum("aklp,ap->kl", quadratic, G[k])
            by_V = -(T + T.T) @ V
            found[k] = by_V @ V_q + by_A @ A_q, by_V @ V_dq + by_A @ A_dq, by_A @ V_dq
        return found

    def _motion_slopes(self, q: Array, dq: Array, ddq: Array) -> tuple[Array, ...]:
        """Return V and the derivatives of V and A by the state, in the payload's frame.

        Returns:
            V: Shape (6,).
            V_q, V_dq, A_q, A_dq: Shape (6, n); that of A by ddq is V_dq.
        """
        model, order = self.model, np.asarray(self.model.order)
        arm, data = self._arm
        pin.computeForwardKinematicsDerivatives(
            arm, data, model.pinocchio_q(q), dq[order], ddq[order]
        )
        joint = int(self._place[model.payload_joint]) + 1
        own = pin.getJointAccelerationDerivatives(arm, data, joint, pin.LOCAL)
        frame = pin.SE3(model.payload_rotation, model.payload_translation)
        X = frame.toActionMatrixInverse()
        V_q, A_q, A_dq, V_dq = (X @ part.reshape(6, -1)[:, self._place] for part in own)
        R = data.oMi[joint].rotation @ model.payload_rotation
        A_q[:3] -= skew(R.T @ model.gravity) @ V_dq[3:]  # of -R' g
        return X @ data.v[joint].vector, V_q, V_dq, A_q, A_dq

    @cached_property
    def _sensor(self) -> tuple[NuisanceBlock[WrenchSums], ...]:
        """Bias, drift and gain; what else is unknown is left out."""
        return of_sensor(self.uncertainty)

    @cached_property
    def _nuisance(self) -> Nuisance:
        """Their boxes."""
        return Nuisance.of(self._sensor)

    @cached_property
    def _error(self) -> Array:
        """D per unit of time, shape (6,) [N, N m]."""
        unsure = self.uncertainty
        averaged = unsure.sigma_factor / np.sqrt(self.window * RATE)
        parts = [
            unsure.axes(f"{name}_error") + averaged * unsure.axes(f"{name}_sigma")
            for name in ("linear_acceleration", "angular_acceleration")
        ]
        motion = np.concatenate([*parts, np.zeros(6)])
        of_motion = np.abs(FEATURES_TO_REGRESSOR) @ motion @ np.abs(self.payload)
        own = unsure.six("error") + averaged * unsure.six("sigma")
        return np.asarray(own + of_motion + LEAST_BOUND)

    @cached_property
    def _arm(self) -> tuple[pin.Model, pin.Data]:
        """The arm, and room for what is computed of it."""
        return self.model.pinocchio, self.model.pinocchio.createData()

    @cached_property
    def _place(self) -> NDArray[np.intp]:
        """Place among Pinocchio's joints of those of q, shape (n,)."""
        return np.argsort(np.asarray(self.model.order))


def _forms() -> tuple[Array, Array]:
    """Return K(e_a, e_k), shape (6, 6, 10), and K(e_k x e_a, e_l), shape (6, 6, 6, 10)."""
    linear = bilinear_form(AXES[:, None], AXES[None, :])
    turned = spatial_cross(AXES[None, :], AXES[:, None])  # [a, k] = e_k x e_a
    return linear, bilinear_form(turned[:, :, None], AXES)


_FORMS = _forms()
