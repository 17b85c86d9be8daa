"""Robust passivity-based control after ARMOUR [Michaux2023], [ZZV] Sec. V-A.

    e = q_d - q,  r = de + K_r e,  dq_a = dq_d + K_r e,  ddq_a = ddq_d + K_r de
    u = RNEA(theta_0; q, dq, dq_a, ddq_a) + v

The arm is M ddq + C dq + g = u for some theta in the box, and w is what theta needs more than
theta_0 along (dq_a, ddq_a). With V = 1/2 r' M r the passivity of the arm gives

    M dr = w - v - C r,   dV/dt = r' (w - v),

so that v must point along r. It is the smallest input for which h = V_M - V, which is positive
inside the tube, obeys dh/dt >= -alpha h for every theta; no |v_j| exceeds the bound of |w_j| plus
a reserve for the sampling. docs/safety.md has the proof.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..inertial import Array
from .controller import Command, Measurement, Reference, errors, limited
from .dynamics import ArmDynamics

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
        disturbance: Largest |w_j| over the box, shape (n,) [N m or N].
        robust: v, shape (n,) [N m or N].
    """

    time: float
    energy: float
    disturbance: Array
    robust: Array


@dataclass(frozen=True, eq=False)
class Armour:
    """The robust controller.

    Attributes:
        dynamics: The arm, theta_0 (centre of the box) and the box.
        gain: K_r, shape (n,) [1/s].
        level: V_M that the tube rests on [J].
        inertia: Lower bounds d of the inertia at each joint, see `safety.inertia_bound`, (n,).
        torque_limit: Largest torque of the actuators, shape (n,) [N m or N].
        rate: alpha [1/s].
        margin: V_M minus the level at which the input acts fully, for the sampling [J].
        reserve: Torque beyond the disturbance for the sampling, shape (n,) [N m or N].
        period: Time between two steps [s].
    """

    dynamics: ArmDynamics
    gain: Array
    level: float
    inertia: Array
    torque_limit: Array
    rate: float = 100.0
    margin: float = 0.0
    reserve: Array | float = 0.0
    period: float = 1e-3

    def start(self, measurement: Measurement) -> ArmourState:
        """Return the state before the first step."""
        zero = np.zeros(self.dynamics.model.n)
        return ArmourState(measurement.time, 0.0, zero, zero)

    def command(
        self, state: ArmourState, measurement: Measurement, reference: Reference
    ) -> tuple[Command, ArmourState]:
        """Return u and what this step found."""
        model, K = self.dynamics.model, self.gain
        e, de = errors(measurement, reference, np.asarray(model.continuous))
        r = de + K * e
        q, dq = measurement.q, measurement.dq
        u, w = self.dynamics.torque(q, dq, reference.dq + K * e, reference.ddq + K * de)
        V = self.dynamics.largest_energy(q, r)
        needed = np.abs(r) @ w - self.rate * (self.level - self.margin - V)
        bound = w + self.reserve
        v = robust_input(r, bound, needed, self._gentle(bound), self._reach())
        torque, reasons = limited(u + v, self.torque_limit, model.joints)
        if not V <= self.level:
            reasons += (f"The tube is left: V = {V:.3g} J is above V_M = {self.level:.3g} J.",)
        return Command(torque, reasons), ArmourState(measurement.time, V, w, v)

    def _reach(self) -> Array:
        """Return the largest |r_j| in the tube, shape (n,)."""
        return np.asarray(np.sqrt(2.0 * self.level / self.inertia))

    def _gentle(self, bound: Array) -> Array:
        """Return the least slope of v_j / bound_j over r_j / reach_j, shape (n,)."""
        fastest = FASTEST * self.inertia * self._reach() / self.period
        return np.minimum(GENTLE, fastest / np.maximum(bound, 1e-12))


def robust_input(r: Array, bound: Array, needed: float, least: Array, reach: Array) -> Array:
    """Return v with r' v >= needed and |v_j| <= bound_j, as small as can be.

        v_j = bound_j clip(k_j r_j / reach_j),   k_j = max(k, least_j),

    with the smallest k that serves: sum_j bound_j |r_j| min(1, k_j |r_j| / reach_j) grows with k,
    piecewise linearly. Where no k serves, v_j = bound_j sign(r_j).

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
