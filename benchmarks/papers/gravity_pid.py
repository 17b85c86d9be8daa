"""PID control of the joints with compensation of gravity [Spong2020].

    u = g(q; theta_0) + K_p e + K_i integral of e + K_d de,   e = q_d - q.

It bounds no tracking error: there is no tube to certify with.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from payload_id.core.arrays import Array
from payload_id.core.control.controller import LONGEST_PERIOD, Command, Measurement, errors, limited
from payload_id.core.motion.joint_trajectory import DesiredState
from payload_id.core.safety.torque.arm_dynamics import ArmDynamics


@dataclass(frozen=True, eq=False)
class PidState:
    """What the next step needs.

    Attributes:
        time: Stamp of the last measurement [s].
        integral: Integral of e, shape (n,) [rad s or m s].
    """

    time: float
    integral: Array


@dataclass(frozen=True, eq=False)
class GravityPid:
    """The controller.

    Attributes:
        dynamics: The arm with its payload as the controller knows it: the centre of the box.
        proportional: K_p, shape (n,) [N m/rad or N/m].
        integral: K_i, shape (n,) [N m/(rad s) or N/(m s)].
        derivative: K_d, shape (n,) [N m s/rad or N s/m].
        torque_limit: Largest torque of the actuators, shape (n,) [N m or N].
    """

    dynamics: ArmDynamics
    proportional: Array
    integral: Array
    derivative: Array
    torque_limit: Array

    def start(self, measurement: Measurement) -> PidState:
        """Return the state before the first step."""
        return PidState(measurement.time, np.zeros(self.dynamics.model.n))

    def command(
        self, state: PidState, measurement: Measurement, reference: DesiredState
    ) -> tuple[Command, PidState]:
        """Return u; the integral of a joint stands still while its torque is cut."""
        model = self.dynamics.model
        e, de = errors(measurement, reference, np.asarray(model.continuous))
        step = float(np.clip(measurement.time - state.time, 0.0, LONGEST_PERIOD))
        integral = state.integral + step * e
        zero = np.zeros(model.n)
        gravity, _ = self.dynamics.torque(measurement.q, zero, zero, zero)
        known = gravity + self.proportional * e + self.derivative * de
        u = known + self.integral * integral
        torque, reasons = limited(u, self.torque_limit, model.joints)
        free = np.abs(u) <= self.torque_limit
        return Command(torque, reasons), PidState(
            measurement.time, np.where(free, integral, state.integral)
        )
