"""A robust design from outside: what sampled states and Pinocchio's regressor leave of it.

Two states within the tube, a period apart and no farther than the arm may come in it, tell how much
torques change; disturbance, reserve and level follow at each of them, inertias from the mass matrix
of bodies in the box.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ...body.inertial import is_physical
from ...motion.trajectory import Trajectory
from ..margins.margin import DESIGN
from ..tube.sampling_reserve import SamplingReserve
from .safety_case import SafetyCase
from .sampled_states import Regressors, SampledStates, errors_within, states_at

PAIR_PART = 4  # one in so many samples is such a pair
TRIES = 6  # to come from a corner of the box to a body that exists, each halfway to the middle
STANDSTILL = 1e-9  # [rad/s or m/s]
NOTHING = 1e-300  # of which no part is taken


def sample_design(
    case: SafetyCase, trajectory: Trajectory, samples: int, rng: np.random.Generator
) -> dict[str, float]:
    """Return what sampled states leave of a robust design, counted as `Margin.left`.

    Without a design that is nothing.
    """
    design = case.tube.reserve
    if design is None:
        return {}
    count, period = max(1, samples // PAIR_PART), min(design.period, trajectory.duration)
    before = states_at(case, trajectory, rng.uniform(0.0, trajectory.duration - period, count), rng)
    after = _later(case, trajectory, before, design, period, rng)
    terms, used = _Terms(case), dict.fromkeys(DESIGN, 0.0)

    def note(name: str, needed: Array | float, allowed: Array | float) -> None:
        part = np.asarray(needed) / np.maximum(allowed, NOTHING)
        used[name] = max(used[name], float(np.max(part)))

    for i in range(count):
        nominal, w = terms.torque(before, i)
        nominal_after, w_after = terms.torque(after, i)
        r = errors_within(case.tube.reference_velocity, 1, rng)[0]
        change = np.abs(nominal_after - nominal) + np.abs(w_after - w)
        note("disturbance", w, design.disturbance)
        note("torque change", np.maximum(change, terms.coriolis(before, i, r)), design.change)
        note("reserve", design(w), design.largest)
        note("level", design.full_level + design.rise(w) / design.rate, design.level)
        M = terms.mass_matrix(before.q[i], rng)
        start = errors_within(design.start, 1, rng)[0]
        note("inertia", design.inertia * np.diag(np.linalg.inv(M)), 1.0)
        note("inertia", np.diag(M), design.upper)
        note("initial energy", 0.5 * start @ M @ start, design.level)
    return {name: 1.0 - value for name, value in used.items()}


def _later(
    case: SafetyCase,
    trajectory: Trajectory,
    before: SampledStates,
    design: SamplingReserve,
    period: float,
    rng: np.random.Generator,
) -> SampledStates:
    """Return states within the tube a period later, as far from others as r may make them."""
    tube, rate = case.tube, design.fastest
    here, there = trajectory.at(before.time), trajectory.at(before.time + period)
    feedback = tube.gain * (rate + tube.reference_acceleration)
    fastest = np.abs(before.dq), np.abs(before.ddq_a) + rate, np.abs(before.ddq_a), feedback
    q, dq, dq_a, ddq_a = (
        period * speed * errors_within(np.ones(case.model.n), len(here.q), rng) for speed in fastest
    )

    def inside(value: Array, desired: Array, width: Array) -> Array:
        return np.asarray(np.clip(value, desired - width, desired + width))

    return SampledStates(
        before.time + period,
        inside(before.q + q, there.q, tube.position),
        inside(before.dq + dq, there.dq, tube.velocity),
        inside(before.dq_a + dq_a, there.dq, tube.reference_velocity),
        inside(before.ddq_a + there.ddq - here.ddq + ddq_a, there.ddq, tube.reference_acceleration),
    )


class _Terms:
    """What the controller computes at a state, and the arm's mass matrix."""

    def __init__(self, case: SafetyCase) -> None:
        self.box, self.n = case.box, case.model.n
        self.middle, self.half = case.box.bodies
        self.regressors = Regressors(case)

    def torque(self, states: SampledStates, i: int) -> tuple[Array, Array]:
        """Return RNEA(theta_0; ...) and the largest |w_j| without an error of gravity, (n,)."""
        box, dq, ddq = self.box, states.dq[i], states.ddq_a[i]
        Y = self.regressors.at(states.q[i], dq, states.dq_a[i], ddq)
        speed, stiction = np.abs(dq), max(box.stiction_velocity, STANDSTILL)
        sign = np.clip(dq / stiction, -1.0, 1.0)
        rotor, viscous, coulomb = (
            box.interval(name) for name in ("rotor_inertia", "viscous", "coulomb")
        )
        nominal = np.tensordot(Y, self.middle, axes=2) + rotor[0] * ddq
        w = np.tensordot(np.abs(Y), self.half, axes=2) + rotor[1] * np.abs(ddq)
        stuck = coulomb[0] * (1.0 + np.abs(sign))
        w += viscous[1] * speed + coulomb[1] + np.where(speed > stiction, 0.0, stuck)
        return nominal + viscous[0] * dq + coulomb[0] * sign, w

    def coriolis(self, states: SampledStates, i: int, r: Array) -> Array:
        """Return the largest |C(q, dq) r|_j over the box, shape (n,)."""
        zero = np.zeros(self.n)
        q, dq = states.q[i], states.dq[i]
        Y = self.regressors.at(q, dq, r, zero) - self.regressors.at(q, zero, zero, zero)
        return np.asarray(
            np.abs(np.tensordot(Y, self.middle, axes=2))
            + np.tensordot(np.abs(Y), self.half, axes=2)
        )

    def mass_matrix(self, q: Array, rng: np.random.Generator) -> Array:
        """Return M(q; theta) of bodies and rotors in the box, shape (n, n)."""
        zero, theta = np.zeros(self.n), self._bodies(rng)
        still = self.regressors.at(q, zero, zero, zero)
        columns = [self.regressors.at(q, zero, zero, unit) - still for unit in np.eye(self.n)]
        M = np.stack([np.tensordot(Y, theta, axes=2) for Y in columns], axis=1)
        middle, half = self.box.interval("rotor_inertia")
        return np.asarray(M + np.diag(middle + errors_within(half, 1, rng)[0]))

    def _bodies(self, rng: np.random.Generator) -> Array:
        """Return parameters of bodies that exist, near corners of the box, shape (n + 1, 10)."""
        found = self.middle.copy()
        away = self.half * np.where(rng.random(self.half.shape) < 0.5, -1.0, 1.0)
        for body in range(len(found)):
            for k in range(TRIES):
                corner = self.middle[body] + 0.5**k * away[body]
                if is_physical(corner):
                    found[body] = corner
                    break
        return found
