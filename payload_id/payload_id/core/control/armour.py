"""Robust passivity-based control after ARMOUR [Michaux2023], [ZZV] Sec. V-A.

    e = q_d - q,  r = de + K_r e,  dq_a = dq_d + K_r e,  ddq_a = ddq_d + K_r de
    u = RNEA(theta_0; q, dq, dq_a, ddq_a) + v

The arm is M ddq + C dq + g = u for some theta in the box, and w is what theta needs more than
theta_0 along (dq_a, ddq_a). With V = 1/2 r' M r the passivity of the arm gives

    M dr = w - v - C r,   dV/dt = r' (w - v),

so that v must point along r. It is the smallest input for which h = V_c - V, which is positive
well inside the tube, obeys dh/dt >= -alpha h for every theta; no |v_j| exceeds the bound of |w_j|
plus a reserve for the sampling. `robust_design` says what follows, docs/proofs.md proves it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..motion.joint_trajectory import DesiredState
from ..safety.torque.arm_dynamics import ArmDynamics
from ..safety.tube.tracking_tube import TrackingTube
from .controller import Command, Measurement, errors, limited

# A robust input is never weaker than w_j r_j GENTLE / (largest |r_j|), which damps inside the tube,
GENTLE = 4.0  # [-]
# but not so strong that one period of the control would reverse r.
FASTEST = 0.3  # part of r that the gentle input may take away in one period [-]


@dataclass(frozen=True, eq=False)
class ArmourState:
    """What the last step found.

    Attributes:
        time: Its stamp [s].
        energy: Largest V over the box [J].
        nominal: RNEA(theta_0; ...), shape (n,) [N m or N]; NaN before the first step.
        disturbance: Largest |w_j| over the box, shape (n,) [N m or N].
        robust: v, shape (n,) [N m or N].
    """

    time: float
    energy: float
    nominal: Array
    disturbance: Array
    robust: Array


@dataclass(frozen=True, eq=False)
class Armour:
    """The robust controller.

    Attributes:
        dynamics: The arm, theta_0 (centre of the box) and the box.
        tube: Of a robust design: its gains, level and clock.
        torque_limit: Largest torque of the actuators, shape (n,) [N m or N].
    """

    dynamics: ArmDynamics
    tube: TrackingTube
    torque_limit: Array

    def start(self, measurement: Measurement) -> ArmourState:
        """Return the state before the first step."""
        zero = np.zeros(self.dynamics.model.n)
        return ArmourState(measurement.time, 0.0, np.full_like(zero, np.nan), zero, zero)

    def command(
        self, state: ArmourState, measurement: Measurement, reference: DesiredState
    ) -> tuple[Command, ArmourState]:
        """Return u and what this step found."""
        model, K = self.dynamics.model, self.tube.gain
        e, de = errors(measurement, reference, np.asarray(model.continuous))
        r = de + K * e
        q, dq = measurement.q, measurement.dq
        u, w = self.dynamics.torque(q, dq, reference.dq + K * e, reference.ddq + K * de)
        V = self.dynamics.largest_energy(q, r)
        v = self._input(r, w, V)
        torque, reasons = limited(u + v, self.torque_limit, model.joints)
        found = ArmourState(measurement.time, V, u, w, v)
        return Command(torque, reasons + self._broken(state, found, r)), found

    def _input(self, r: Array, w: Array, V: float) -> Array:
        """Return v, eq. (3) of docs/proofs.md."""
        reserve = self.tube.design
        # However far the largest V may be above V_c, no more is asked than what sampling takes.
        delta, sigma = reserve.change, float(reserve.rise(w))
        barrier = max(reserve.rate * (reserve.full_level - V), -sigma)
        needed = float(np.abs(r) @ (w + delta) - barrier)
        bound, reach = w + reserve(w), self.tube.reference_velocity
        # The least slope of v_j / bound_j over r_j / reach_j.
        fastest = FASTEST * reserve.inertia * reach / reserve.period
        least = np.minimum(GENTLE, fastest / np.maximum(bound, 1e-12))
        return robust_input(r, bound, needed, least, reach)

    def _broken(self, before: ArmourState, found: ArmourState, r: Array) -> tuple[str, ...]:
        """Return which assumptions of the tube do not hold, one sentence each."""
        reserve, reach = self.tube.design, self.tube.reference_velocity
        joints = self.dynamics.model.joints
        said: list[str] = []
        if np.isnan(before.nominal).all() and found.energy > reserve.level:
            said.append(
                f"Start: V may be {found.energy:.4g} J, the design allows {reserve.level:.4g} J."
            )
        if not (np.abs(r) <= reach).all():
            j = int(np.argmax(np.nan_to_num(np.abs(r) / reach, nan=np.inf)))
            said.append(
                f"The tube is left: {joints[j]} has |r| = {abs(r[j]):.4g}, allowed is "
                f"{reach[j]:.4g}."
            )
        said += _beyond("Disturbance", found.disturbance, reserve.disturbance, joints)
        change = np.abs(found.nominal - before.nominal)
        change += np.abs(found.disturbance - before.disturbance)
        said += _beyond("Change of torque in a period", change, reserve.change, joints)
        pause = found.time - before.time
        if pause > 1.5 * reserve.period:
            said.append(f"Late: {pause:.4g} s since the last step, not {reserve.period:g} s.")
        return tuple(said)


def _beyond(what: str, value: Array, stated: Array, joints: tuple[str, ...]) -> list[str]:
    """Return a sentence if a value is above the stated one; a value not yet known is not."""
    over = np.flatnonzero(value > stated)
    if not len(over):
        return []
    j = int(over[np.argmax(value[over] - stated[over])])
    return [f"{what}: {joints[j]} has {value[j]:.4g} N m, stated are {stated[j]:.4g} N m."]


def robust_input(r: Array, bound: Array, needed: float, least: Array, reach: Array) -> Array:
    """Return v with r' v >= needed and |v_j| <= bound_j, as small as can be.

        v_j = bound_j clip(k_j r_j / reach_j),   k_j = max(k, least_j),

    with the smallest k that serves: sum_j bound_j |r_j| min(1, k_j |r_j| / reach_j) grows with k,
    piecewise linearly, so that its knees give k exactly and sooner than a root finder would. Where
    no k serves, v_j = bound_j sign(r_j).

    Args:
        r: Shape (n,).
        bound: Largest |v_j|, shape (n,).
        needed: What r' v must reach [W].
        least: Smallest k_j, shape (n,).
        reach: Largest |r_j|, shape (n,).
    """
    part = r / reach
    gentle = bound * np.clip(least * part, -1.0, 1.0)
    if r @ gentle >= needed:
        return np.asarray(gentle)
    size = np.abs(part)
    # Where the slope changes: one joint comes to its bound, or k exceeds its least.
    knees = np.unique(np.concatenate([1.0 / np.maximum(size, 1e-9), least]))
    weight = bound * np.abs(r)

    def work(k: float) -> float:
        return float(weight @ np.minimum(1.0, np.maximum(k, least) * size))

    low, low_work = 0.0, work(0.0)
    for knee in knees:
        high_work = work(knee)
        if high_work >= needed:
            k = low + (knee - low) * (needed - low_work) / (high_work - low_work)
            return np.asarray(bound * np.clip(np.maximum(k, least) * part, -1.0, 1.0))
        low, low_work = knee, high_work
    return np.asarray(bound * np.sign(r))
