"""A certified motion from outside: sampled states, Pinocchio's regressor, coal's distances.

Nothing here is a proof, and nothing is shared with the proof but the description of the case: a
mistake in slices, Taylor remainders or support functions would show as a sampled state beyond a
certified margin.
"""

from __future__ import annotations

from dataclasses import dataclass

import coal
import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...body.inertial import TO_PINOCCHIO, change_of_frame
from ...motion.trajectory import Trajectory
from ..clearance.arm_geometry import BASE
from .certify import SafetyCase
from .sampled_speeds import sample_speeds

DISTANCE_PART = 4  # one in so many samples has its distances computed too


@dataclass(frozen=True, eq=False)
class SampledStates:
    """States within the tube of a motion, shape (N, n), and what they are drawn for.

    Attributes:
        time: Shape (N,) [s].
        q: Positions.
        dq: Velocities.
        dq_a: The controller's reference velocities.
        ddq_a: Its reference accelerations.
    """

    time: Array
    q: Array
    dq: Array
    dq_a: Array
    ddq_a: Array


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
    smallest = {name: float(value.min(initial=1.0)) for name, value in found.items()}
    if case.speeds.any:
        part = slice(None, None, DISTANCE_PART)
        fastest = sample_speeds(case.speed_case, states.q[part], states.dq[part], rng)
        smallest |= {name: 1.0 - value / case.speeds.named(name) for name, value in fastest.items()}
    return smallest | sample_clearances(case, states.q[::DISTANCE_PART])


def sample_states(
    case: SafetyCase, trajectory: Trajectory, samples: int, rng: np.random.Generator
) -> SampledStates:
    """Return random states within the tube."""
    tube = case.tube
    time = rng.uniform(0.0, trajectory.duration, samples)
    motion = trajectory.at(time)
    q = motion.q + _errors(tube.position, samples, rng)
    dq = motion.dq + _errors(tube.velocity, samples, rng)
    ddq_a = motion.ddq + _errors(tube.reference_acceleration, samples, rng)
    if tube.kind == "robust":
        return SampledStates(
            time, q, dq, motion.dq + _errors(tube.reference_velocity, samples, rng), ddq_a
        )
    return SampledStates(time, q, dq, dq, ddq_a)


def _errors(bound: Array, samples: int, rng: np.random.Generator) -> Array:
    """Return errors within a bound (n,), half of them at its corners, shape (N, n)."""
    inside = rng.uniform(-1.0, 1.0, (samples, len(bound)))
    corner = rng.random((samples, 1)) < 0.5
    return np.where(corner, np.where(inside < 0, -1.0, 1.0), inside) * bound


def sample_torques(case: SafetyCase, states: SampledStates, rng: np.random.Generator) -> Array:
    """Return what actuators must give, for random parameters in the box, shape (N, n) [N m or N].

    Under the robust controller that is the nominal torque and, in the worse direction, the robust
    input against as much as the parameters can be wrong at the state.
    """
    box = case.box
    middle, half = box.bodies
    nominal = case.tube.kind == "robust"
    torque = np.empty_like(states.q)
    regressors = _Regressors(case)
    for i in range(len(states.q)):
        Y = regressors.at(states.q[i], states.dq[i], states.dq_a[i], states.ddq_a[i])
        u = _errors(np.ones(half.size), 1, rng)[0].reshape(half.shape)
        theta = middle if nominal else middle + u * half
        joint, spread = _joint_torque(case, states, i, rng)
        torque[i] = np.tensordot(Y, theta, axes=2) + joint
        if nominal:
            disturbance = np.tensordot(np.abs(Y), half, axes=2) + spread
            most = case.tube.feedback_torque(disturbance[None])[0]
            torque[i] += np.where(torque[i] < 0, -most, most)
    return torque


def _joint_torque(
    case: SafetyCase, states: SampledStates, i: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return torque of rotors and friction, and how wrong the nominal one can be, shape (n,)."""
    box, n = case.box, case.model.n
    dq, ddq = states.dq[i], states.ddq_a[i]
    slow = np.abs(dq) <= box.stiction_velocity
    sign = np.where(slow, rng.uniform(-1.0, 1.0, n), np.sign(dq))
    regressors = {"rotor_inertia": ddq, "viscous": dq, "coulomb": sign}
    total, spread = np.zeros(n), np.zeros(n)
    for name, factor in regressors.items():
        middle, half = box.interval(name)
        u = np.zeros(n) if case.tube.kind == "robust" else _errors(np.ones(n), 1, rng)[0]
        total += factor * (middle + u * half)
        spread += np.abs(factor) * half
    coulomb, half = box.interval("coulomb")
    return total, np.where(slow, spread + coulomb + half, spread)


class _Regressors:
    """Pinocchio's torque regressor with a reference velocity, bodies about their joints' frames."""

    def __init__(self, case: SafetyCase) -> None:
        self.model = case.model
        self.pinocchio = case.model.pinocchio
        self.data = self.pinocchio.createData()
        self.order = list(case.model.order)
        payload = change_of_frame(case.model.payload_rotation, case.model.payload_translation)
        self.payload = payload[TO_PINOCCHIO]
        self.gravity_error = case.box.gravity_error

    def at(self, q: Array, dq: Array, dq_a: Array, ddq_a: Array) -> Array:
        """Return Y of M ddq_a + C(q, dq) dq_a + g, shape (n, n + 1, 10).

        C(q, a) b with the Christoffel symbols is symmetric in a and b, so that it follows from
        squares: 2 C(q, a) b = C(q, a + b) (a + b) - C(q, a) a - C(q, b) b.
        """
        zero = np.zeros_like(dq)
        rest = self._raw(q, zero, ddq_a)
        if (dq == dq_a).all():
            return self._arranged(self._raw(q, dq, ddq_a))
        still = self._raw(q, zero, zero)
        both, one, other = (self._raw(q, v, zero) - still for v in (dq + dq_a, dq, dq_a))
        return self._arranged(rest + (both - one - other) / 2)

    def _raw(self, q: Array, dq: Array, ddq: Array) -> Array:
        """Return Pinocchio's regressor, joints in its own order, shape (n, 10 n)."""
        configuration = self.model.pinocchio_q(q)
        v, a = dq[self.order], ddq[self.order]
        return np.array(
            pin.computeJointTorqueRegressor(self.pinocchio, self.data, configuration, v, a)
        )

    def _arranged(self, raw: Array) -> Array:
        """Return the regressor with joints and parameters as in this package, payload last."""
        n = len(self.order)
        found = np.zeros((n, n + 1, 10))
        blocks = raw.reshape(n, n, 10)
        for k, body in enumerate(self.order):
            found[self.order, body] = blocks[:, k][:, np.argsort(TO_PINOCCHIO)]
        carrier = self.model.order.index(self.model.payload_joint)
        found[self.order, n] = blocks[:, carrier] @ self.payload
        return found


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
    groups = ("self-collision", "obstacles", "payload volume")
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
            name = groups[group]
            smallest[name] = min(smallest.get(name, np.inf), float(gap) - case.clearance)
    return smallest
