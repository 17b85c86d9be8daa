"""Adaptive robust feedback linearisation, after Abdelwahab et al. (CASE 2024): adap-2 of [ZZV].

    u = RNEA(theta_0; q, dq, a) + I_r a,  a = ddq_d + 2 w de + w^2 e + rho z / max(|z|, layer),
    z = B'P [e; de],  drho/dt = kappa |z| outside the layer,

theta_0 the arm without a payload, P of the Lyapunov equation of the linear error with Q = 1: the
bound rho of what the model lacks is learnt, not the payload. Gains are chosen here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import solve_continuous_lyapunov

from payload_id.core.arrays import Array
from payload_id.core.control.controller import (
    LONGEST_PERIOD,
    Command,
    Measurement,
    errors,
    limited,
)
from payload_id.core.motion.joint_trajectory import DesiredState
from payload_id.core.safety.torque.arm_dynamics import ArmDynamics


@dataclass(frozen=True)
class BoundState:
    """What the next step needs.

    Attributes:
        time: Stamp of the last measurement [s].
        rho: Learnt bound of the lacking acceleration [rad/s2].
    """

    time: float
    rho: float


@dataclass(frozen=True, eq=False)
class AdaptiveRobust:
    """The controller.

    Attributes:
        dynamics: The arm as the controller knows it: the centre of the box.
        rotor: Reflected inertias, shape (n,) [kg m2].
        bandwidth: w: both poles of the error are at -w [rad/s].
        learning: kappa.
        layer: |z| below which the robust part is linear and nothing is learnt.
        torque_limit: Shape (n,) [N m].
    """

    dynamics: ArmDynamics
    rotor: Array
    bandwidth: float
    learning: float
    layer: float
    torque_limit: Array

    @cached_property
    def _weights(self) -> Array:
        """B'P for one joint: weights of e and de in z, shape (2,)."""
        w = self.bandwidth
        F = np.array([[0.0, 1.0], [-(w**2), -2.0 * w]])
        return np.asarray(solve_continuous_lyapunov(F.T, -np.eye(2))[1])

    def start(self, measurement: Measurement) -> BoundState:
        """Return the state before the first step."""
        return BoundState(measurement.time, 0.0)

    def command(
        self, state: BoundState, measurement: Measurement, reference: DesiredState
    ) -> tuple[Command, BoundState]:
        """Return u with the bound learnt so far, and learn from this step."""
        model, w = self.dynamics.model, self.bandwidth
        e, de = errors(measurement, reference, np.asarray(model.continuous))
        z = self._weights[0] * e + self._weights[1] * de
        size = float(np.linalg.norm(z))
        a = reference.ddq + 2 * w * de + w**2 * e + state.rho * z / max(size, self.layer)
        q, dq = measurement.q, measurement.dq
        known, _ = self.dynamics.torque(q, dq, dq, a)
        torque, reasons = limited(known + self.rotor * a, self.torque_limit, model.joints)
        step = float(np.clip(measurement.time - state.time, 0.0, LONGEST_PERIOD))
        rate = 0.0 if reasons or size < self.layer else self.learning * size
        return Command(torque, reasons), BoundState(measurement.time, state.rho + step * rate)
