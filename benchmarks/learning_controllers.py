"""Controllers of [ZZV]'s table II that this package does not have; gains are chosen.

Each learns a value from step to step, as long as no torque is cut at its limit: the arm does not
show then what the value needs. None bounds a tracking error: there is no tube to certify with.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_continuous_lyapunov

from payload_id.core.arrays import Array
from payload_id.core.control.controller import LONGEST_PERIOD, Command, Measurement, errors, limited
from payload_id.core.motion.joint_trajectory import DesiredState
from payload_id.core.safety.torque.arm_dynamics import ArmDynamics

# Of dynamics, value, measurement, reference, e, de and period: the torque and the next value.
Law = Callable[..., tuple[Array, Any]]


@dataclass(frozen=True)
class Learnt:
    """What the next step needs.

    Attributes:
        time: Stamp of the last measurement [s].
        value: What has been learnt so far.
    """

    time: float
    value: Any


@dataclass(frozen=True, eq=False)
class Learning:
    """A controller that learns.

    Attributes:
        dynamics: The arm as the controller knows it: the centre of the box.
        torque_limit: Largest torque of the actuators, shape (n,) [N m or N].
        law: What it does in a step.
        first: The value before the first step.
    """

    dynamics: ArmDynamics
    torque_limit: Array
    law: Law
    first: Any

    def start(self, measurement: Measurement) -> Learnt:
        """Return the state before the first step."""
        return Learnt(measurement.time, self.first)

    def command(
        self, state: Learnt, measurement: Measurement, reference: DesiredState
    ) -> tuple[Command, Learnt]:
        """Return the torque with what has been learnt so far, and learn from this step."""
        joints = self.dynamics.model.joints
        e, de = errors(measurement, reference, np.asarray(self.dynamics.model.continuous))
        period = float(np.clip(measurement.time - state.time, 0.0, LONGEST_PERIOD))
        u, value = self.law(self.dynamics, state.value, measurement, reference, e, de, period)
        torque, reasons = limited(u, self.torque_limit, joints)
        return Command(torque, reasons), Learnt(measurement.time, state.value if reasons else value)


def gravity_pid(proportional: Array, integral: Array, derivative: Array) -> Law:
    """Return PID control of the joints with compensation of gravity [Spong2020].

    u = g(q; theta_0) + K_p e + K_i integral of e + K_d de,   e = q_d - q.
    """

    def law(dynamics, value, at, reference, e, de, period):
        gravity, _ = dynamics.torque(at.q, 0.0 * e, 0.0 * e, 0.0 * e)
        value = value + period * e
        return gravity + proportional * e + derivative * de + integral * value, value

    return law


def slotine_li(gain: Array, damping: Array, adaptation: Array) -> Law:
    """Return adaptive control that learns the payload while it moves [Slotine1987].

    u = Y(q, dq, dq_a, ddq_a) theta + K_D r,   dphi/dt = Gamma Y_p' r

    r, dq_a and ddq_a as in `armour`, Y_p the columns of Y for the payload. With the error of phi in
    the metric Gamma^-1, V = 1/2 r' M r + 1/2 |phi - phi*|^2 does not grow; r goes to zero, phi need
    not go to the truth. phi is kept within its box, which does not make V grow either: Gamma is
    diagonal.
    """

    def law(dynamics, phi, at, reference, e, de, period):
        box, r = dynamics.box, de + gain * e
        ahead = reference.dq + gain * e, reference.ddq + gain * de
        Y = dynamics.regressor(at.q, at.dq, *ahead)
        u, _ = dynamics.torque(at.q, at.dq, *ahead, Y)
        u += Y[:, -10:] @ (phi - box.interval("payload")[0]) + damping * r
        phi = phi + period * adaptation * (Y[:, -10:].T @ r)
        return u, np.clip(phi, box.payload_lower, box.payload_upper)

    return law


def adaptive_robust(rotor: Array, bandwidth: float, learning: float, layer: float) -> Law:
    """Return adaptive robust feedback linearisation, after Abdelwahab et al. (CASE 2024).

    u = RNEA(theta_0; q, dq, a) + I_r a,  a = ddq_d + 2 w de + w^2 e + rho z / max(|z|, layer),
    z = B'P [e; de],  drho/dt = kappa |z| outside the layer,

    theta_0 the arm without a payload, P of the Lyapunov equation of the linear error with Q = 1:
    the bound rho of what the model lacks is learnt, not the payload. adap-2 of [ZZV].
    """
    w = bandwidth
    F = np.array([[0.0, 1.0], [-(w**2), -2.0 * w]])
    weights = solve_continuous_lyapunov(F.T, -np.eye(2))[1]  # B'P for one joint

    def law(dynamics, rho, at, reference, e, de, period):
        z = weights[0] * e + weights[1] * de
        size = float(np.linalg.norm(z))
        a = reference.ddq + 2 * w * de + w**2 * e + rho * z / max(size, layer)
        known, _ = dynamics.torque(at.q, at.dq, at.dq, a)
        return known + rotor * a, rho + period * learning * size * (size >= layer)

    return law
