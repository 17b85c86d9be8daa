"""A certified motion from outside: sampled states, Pinocchio's regressor, coal's distances.

Nothing here is a proof, and nothing is shared with the proof but the description of the case: a
mistake in slices, Taylor remainders or support functions would show as a sampled state beyond a
certified margin.
"""

from __future__ import annotations

import coal
import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...motion.trajectory import Trajectory
from ..clearance.arm_geometry import BASE
from ..clearance.scene import GROUPS
from ..margins.held_still import HeldStill
from ..torque.arm_dynamics import ArmDynamics
from ..tube.tracking_tube import ROBUST
from .safety_case import SafetyCase
from .sampled_design import sample_design
from .sampled_speeds import sample_speeds
from .sampled_states import SampledStates, errors_within, sample_states

DISTANCE_PART = 4  # one in so many samples has its distances computed too


def sampled_margins(
    case: SafetyCase, trajectory: Trajectory, samples: int = 2000, seed: int = 0
) -> dict[str, float]:
    """Return what sampled states leave of each constraint at least, counted as `Margin.left`.

    Args:
        case: What the motion was certified against.
        trajectory: The desired motion.
        samples: Number of states; times and errors at random, half of the errors at corners of the
            tube, half of the parameters at corners of the box.
        seed: Of the random numbers.
    """
    rng = np.random.default_rng(seed)
    states = sample_states(case, trajectory, samples, rng)
    limits = case.limits
    low, high = limits.position_lower, limits.position_upper
    finite = np.isfinite(high - low)
    q = states.q[:, finite]
    position = np.minimum(high[finite] - q, q - low[finite]) / (high - low)[finite] * 2
    found = {
        "position": position,
        "velocity": 1.0 - np.abs(states.dq) / limits.velocity,
        "acceleration": 1.0 - np.abs(states.ddq_a) / limits.acceleration,
        "torque": 1.0 - np.abs(sample_torques(case, states, rng)) / limits.torque,
    }
    still = sample_states(case, HeldStill(trajectory), samples, rng)
    found["holding torque"] = 1.0 - np.abs(sample_torques(case, still, rng)) / limits.torque
    smallest = {name: float(value.min(initial=1.0)) for name, value in found.items()}
    if case.speeds.any:
        part = slice(None, None, DISTANCE_PART)
        fastest = sample_speeds(case, states.q[part], states.dq[part], rng)
        smallest |= {name: 1.0 - value / case.speeds.named(name) for name, value in fastest.items()}
    smallest |= sample_design(case, trajectory, samples, rng)
    return smallest | sample_clearances(case, states.q[::DISTANCE_PART])


def sample_torques(case: SafetyCase, states: SampledStates, rng: np.random.Generator) -> Array:
    """Return what actuators must give, for random parameters in the box, shape (N, n) [N m or N].

    Under the robust controller that is the nominal torque and, in the worse direction, the robust
    input against as much as the parameters can be wrong at the state.
    """
    box, n, dynamics = case.box, case.model.n, ArmDynamics(case.model, case.box)
    torque = np.empty_like(states.q)
    for i in range(len(torque)):
        state, dq, ddq = states.state(i), states.dq[i], states.ddq_a[i]
        if case.tube.kind == ROBUST:
            nominal, disturbance = dynamics.torque(*state)
            most = case.tube.feedback_torque(disturbance[None])[0]
            torque[i] = nominal + np.where(nominal < 0, -most, most)
            continue
        theta = dynamics.centre + errors_within(dynamics.half_width, 1, rng)[0]
        slow = np.abs(dq) <= box.stiction_velocity
        sign = np.where(slow, rng.uniform(-1.0, 1.0, n), np.sign(dq))
        torque[i] = dynamics.regressor(*state) @ theta
        for name, factor in (("rotor_inertia", ddq), ("viscous", dq), ("coulomb", sign)):
            middle, half = box.interval(name)
            torque[i] += factor * (middle + errors_within(half, 1, rng)[0])
    return torque


def sample_clearances(case: SafetyCase, q: Array) -> dict[str, float]:
    """Return the smallest distance beyond the required one of each group of pairs [m].

    Args:
        case: Arm and obstacles.
        q: Positions, shape (N, n) [rad or m].
    """
    scene, model = case.scene, case.model
    data = model.pinocchio.createData()
    carrier = {j: model.order.index(j) + 1 for j in range(model.n)}
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    shapes = [body.coal() for body in scene.table.bodies]
    smallest: dict[str, float] = {}
    for position in q:
        pin.forwardKinematics(model.pinocchio, data, model.pinocchio_q(position))
        poses = []
        for body, joint in zip(scene.table.bodies, scene.table.joint.tolist(), strict=True):
            if joint == BASE:
                poses.append(body.coal_pose())
                continue
            place = data.oMi[carrier[joint]]
            poses.append(body.moved(place.rotation, place.translation).coal_pose())
        for (a, b), group in zip(scene.pairs.pairs.tolist(), scene.group.tolist(), strict=True):
            result.clear()
            gap = coal.distance(shapes[a], poses[a], shapes[b], poses[b], request, result)
            name = GROUPS[group]
            smallest[name] = min(smallest.get(name, np.inf), float(gap) - case.clearance)
    return smallest
