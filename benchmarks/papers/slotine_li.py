"""Adaptive control that learns the payload while it moves [Slotine1987].

    u = Y(q, dq, dq_a, ddq_a) theta + K_D r,   dphi/dt = Gamma Y_p' r

r, dq_a and ddq_a as in `armour`, Y_p the columns of Y for the payload. With the error of phi in the
metric Gamma^-1, V = 1/2 r' M r + 1/2 |phi - phi*|^2 does not grow; r goes to zero, phi need not go
to the truth. phi is kept within its box, which does not make V grow either: Gamma is diagonal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from payload_id.core.arrays import Array
from payload_id.core.control.controller import LONGEST_PERIOD, Command, Measurement, errors, limited
from payload_id.core.motion.joint_trajectory import DesiredState
from payload_id.core.safety.torque.arm_dynamics import ArmDynamics


@dataclass(frozen=True, eq=False)
class AdaptiveState:
    """What the next step needs.

    Attributes:
        time: Stamp of the last measurement [s].
        phi: The payload's inertial parameters as learnt so far, shape (10,).
    """

    time: float
    phi: Array


@dataclass(frozen=True, eq=False)
class SlotineLi:
    """The adaptive controller.

    Attributes:
        dynamics: The arm; the payload's box is where phi stays, its centre where phi starts.
        gain: K_r in r = de + K_r e, shape (n,) [1/s].
        damping: K_D, shape (n,) [N m s/rad or N s/m].
        adaptation: Diagonal of Gamma, shape (10,).
        torque_limit: Largest torque of the actuators, shape (n,) [N m or N].
    """

    dynamics: ArmDynamics
    gain: Array
    damping: Array
    adaptation: Array
    torque_limit: Array

    def start(self, measurement: Measurement) -> AdaptiveState:
        """Return the state before the first step."""
        return AdaptiveState(measurement.time, self.dynamics.box.interval("payload")[0])

    def command(
        self, state: AdaptiveState, measurement: Measurement, reference: DesiredState
    ) -> tuple[Command, AdaptiveState]:
        """Return u with what has been learnt so far, and learn from this step."""
        model, K, box = self.dynamics.model, self.gain, self.dynamics.box
        e, de = errors(measurement, reference, np.asarray(model.continuous))
        r, dq_a, ddq_a = de + K * e, reference.dq + K * e, reference.ddq + K * de
        q, dq = measurement.q, measurement.dq
        Y = self.dynamics.regressor(q, dq, dq_a, ddq_a)
        u, _ = self.dynamics.torque(q, dq, dq_a, ddq_a, Y)
        u += Y[:, -10:] @ (state.phi - box.interval("payload")[0]) + self.damping * r
        torque, reasons = limited(u, self.torque_limit, model.joints)
        step = float(np.clip(measurement.time - state.time, 0.0, LONGEST_PERIOD))
        # With its torque cut the arm does not show what phi needs: nothing is learnt.
        rate = np.zeros(10) if reasons else self.adaptation * (Y[:, -10:].T @ r)
        phi = np.clip(state.phi + step * rate, box.payload_lower, box.payload_upper)
        return Command(torque, reasons), AdaptiveState(measurement.time, phi)
