"""A robust design from outside: what sampled states and Pinocchio's regressor leave of it.

Two states within the tube, a period apart and no farther than the arm may come in it, tell how
much torques change; the disturbance follows at each of them, inertias and momenta from the mass
matrix of bodies in the box.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ...body.inertial import TO_PINOCCHIO, is_physical
from ...motion.trajectory import Trajectory
from ..margins.margin import DESIGN, part_used
from ..torque.arm_dynamics import ArmDynamics
from ..tube.sampling_reserve import SamplingReserve
from .safety_case import SafetyCase
from .sampled_states import SampledStates, errors_within, states_at

PAIR_PART = 4  # one in so many samples is such a pair
TRIES = 6  # to come from a corner of the box to a body that exists, each halfway to the middle


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
    dynamics, used = ArmDynamics(case.model, case.box), dict.fromkeys(DESIGN, 0.0)

    def note(name: str, needed: Array | float, allowed: Array | float) -> None:
        used[name] = max(
            used[name], float(part_used(np.asarray(needed), np.asarray(allowed)).max())
        )

    for i in range(count):
        nominal, w = dynamics.torque(*before.state(i))
        nominal_after, w_after = dynamics.torque(*after.state(i))
        r = errors_within(case.tube.reference_velocity, 1, rng)[0]
        change = np.abs(nominal_after - nominal) + np.abs(w_after - w)
        change += _coriolis(dynamics, before.q[i], before.dq[i], r)
        note("disturbance", w, design.disturbance)
        note("torque change", change, design.change)
        note("momentum", design.period * 2.0 * (w + change) + design.mismatch, design.momentum)
        M = _mass_matrix(dynamics, before.q[i], rng)
        r *= np.sqrt(2.0 * design.level / (r @ M @ r))
        note("momentum error", dynamics.momentum(before.q[i], r) - M @ r, design.mismatch)
        inward = errors_within(design.momentum, 1, rng)[0]
        note("level", 0.5 * inward @ np.linalg.solve(M, inward), design.level)
        note("inertia", design.inertia * np.diag(np.linalg.inv(M)), 1.0)
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


def _coriolis(dynamics: ArmDynamics, q: Array, dq: Array, r: Array) -> Array:
    """Return the largest |C(q, dq) r|_j over the box, shape (n,)."""
    zero = np.zeros_like(q)
    Y = dynamics.regressor(q, dq, r, zero) - dynamics.regressor(q, zero, zero, zero)
    return np.asarray(np.abs(Y @ dynamics.centre) + np.abs(Y) @ dynamics.half_width)


def _mass_matrix(dynamics: ArmDynamics, q: Array, rng: np.random.Generator) -> Array:
    """Return M(q; theta) of bodies that exist and rotors in the box, shape (n, n)."""
    zero, theta = np.zeros_like(q), dynamics.centre.copy()
    away = dynamics.half_width * np.where(rng.random(len(theta)) < 0.5, -1.0, 1.0)
    back = np.argsort(TO_PINOCCHIO)
    for body in range(0, len(theta), 10):
        columns = slice(body, body + 10)
        own = slice(None) if body == 10 * len(q) else back  # the payload is about its own frame
        for k in range(TRIES):
            corner = dynamics.centre[columns] + 0.5**k * away[columns]
            if is_physical(corner[own]):
                theta[columns] = corner
                break
    still = dynamics.regressor(q, zero, zero, zero)
    M = [(dynamics.regressor(q, zero, zero, unit) - still) @ theta for unit in np.eye(len(q))]
    rotor, spread = dynamics.rotor
    return np.stack(M, axis=1) + np.diag(rotor + errors_within(spread, 1, rng)[0])
