"""Robust passivity-based control after ARMOUR [Michaux2023], [ZZV] Sec. V-A.

    e = q_d - q,  r = de + K_r e,  dq_a = dq_d + K_r e,  ddq_a = ddq_d + K_r de
    u = RNEA(theta_0; q, dq, dq_a, ddq_a) + v

The arm is M ddq + C dq + g = u for some theta in the box, and w is what theta needs more than
theta_0 along (dq_a, ddq_a). The momentum p = M r obeys

    dp/dt = w - v + C' r,

so that v_j must outweigh w_j and (C' r)_j wherever |p_j| is about to leave pi_j, and nothing else:
p of one joint does not depend on the input of another. [Michaux2023] has the energy 1/2 r' M r in
place of p, and torques without delay. `sampling_reserve` says what delay, period and errors of
measurement take, docs/proofs.md proves it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..motion.joint_trajectory import DesiredState
from ..safety.torque.arm_dynamics import ArmDynamics
from ..safety.tube.tracking_tube import TrackingTube
from .controller import Command, Measurement, errors, limited


@dataclass(frozen=True, eq=False)
class ArmourState:
    """What the last step found.

    Attributes:
        time: Its stamp [s].
        nominal: RNEA(theta_0; ...), shape (n,) [N m or N]; NaN before the first step.
        disturbance: Largest |w_j| over the box, shape (n,) [N m or N].
        robust: v, shape (n,) [N m or N].
    """

    time: float
    nominal: Array
    disturbance: Array
    robust: Array


@dataclass(frozen=True, eq=False)
class Armour:
    """The robust controller.

    Attributes:
        dynamics: The arm, theta_0 (centre of the box) and the box.
        tube: Of a robust design: its gains, momenta and clock.
        torque_limit: Largest torque of the actuators, shape (n,) [N m or N].
    """

    dynamics: ArmDynamics
    tube: TrackingTube
    torque_limit: Array

    def start(self, measurement: Measurement) -> ArmourState:
        """Return the state before the first step."""
        zero = np.zeros(self.dynamics.model.n)
        return ArmourState(measurement.time, np.full_like(zero, np.nan), zero, zero)

    def command(
        self, state: ArmourState, measurement: Measurement, reference: DesiredState
    ) -> tuple[Command, ArmourState]:
        """Return u and what this step found."""
        model, K = self.dynamics.model, self.tube.gain
        e, de = errors(measurement, reference, np.asarray(model.continuous))
        r = de + K * e
        q, dq = measurement.q, measurement.dq
        u, w = self.dynamics.torque(q, dq, reference.dq + K * e, reference.ddq + K * de)
        v = self._input(q, r, w)
        torque, reasons = limited(u + v, self.torque_limit, model.joints)
        found = ArmourState(measurement.time, u, w, v)
        return Command(torque, reasons + self._broken(state, found, q, r)), found

    def _input(self, q: Array, r: Array, w: Array) -> Array:
        """Return v."""
        design, p = self.tube.design, self.dynamics.momentum(q, r)
        bound = np.minimum(w, design.disturbance) + design.change
        return np.asarray(bound * np.clip(p / design.layer, -1.0, 1.0))

    def _broken(
        self, before: ArmourState, found: ArmourState, q: Array, r: Array
    ) -> tuple[str, ...]:
        """Return which assumptions of the tube do not hold, one sentence each."""
        design, reach = self.tube.design, self.tube.reference_velocity
        joints = self.dynamics.model.joints
        said: list[str] = []
        if np.isnan(before.nominal).all():
            p = np.abs(self.dynamics.momentum(q, r))
            said += _beyond("Start", p, design.momentum + design.mismatch, joints, "N m s")
        if not (np.abs(r) <= reach).all():
            j = int(np.argmax(np.nan_to_num(np.abs(r) / reach, nan=np.inf)))
            said.append(
                f"The tube is left: {joints[j]} has |r| = {abs(r[j]):.4g}, allowed is "
                f"{reach[j]:.4g}."
            )
        said += _beyond("Disturbance", found.disturbance, design.disturbance, joints)
        change = np.abs(found.nominal - before.nominal)
        change += np.abs(found.disturbance - before.disturbance)
        said += _beyond("Change of torque in a period", change, design.change, joints)
        pause = found.time - before.time
        if pause > design.period + 1e-9:  # stamps are whole nanoseconds
            said.append(f"Late: {pause:.4g} s since the last step, more than {design.period:g} s.")
        return tuple(said)


def _beyond(
    what: str, value: Array, stated: Array, joints: tuple[str, ...], unit: str = "N m"
) -> list[str]:
    """Return a sentence if a value is above the stated one; a value not yet known is not."""
    over = np.flatnonzero(value > stated)
    if not len(over):
        return []
    j = int(over[np.argmax(value[over] - stated[over])])
    return [f"{what}: {joints[j]} has {value[j]:.4g} {unit}, stated are {stated[j]:.4g} {unit}."]
