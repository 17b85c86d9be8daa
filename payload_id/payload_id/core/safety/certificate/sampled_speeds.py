"""Speeds and kinetic energy of sampled states, by Pinocchio: a check of the bounds from outside."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ..clearance.swept_volume import outline
from ..speed.speed_margins import moving_bodies
from ..torque.arm_dynamics import ArmDynamics
from .safety_case import SafetyCase
from .sampled_states import errors_within


def sample_speeds(
    case: SafetyCase, q: Array, dq: Array, rng: np.random.Generator
) -> dict[str, float]:
    """Return the largest sampled value of each limit that there is [m/s or J].

    Args:
        case: What is proved.
        q: Positions, shape (N, n) [rad or m].
        dq: Velocities, shape (N, n) [rad/s or m/s].
        rng: Draws the parameters.
    """
    model, arm = case.model, case.model.pinocchio
    data, order = arm.createData(), list(model.order)
    largest: dict[str, float] = {}
    bodies, limited = moving_bodies(case), np.isfinite(case.speeds.energy)
    dynamics = ArmDynamics(case.model, case.box) if limited else None
    corners = [outline(i.body) @ i.body.rotation.T + i.body.translation for i in bodies]
    for position, velocity in zip(q, dq, strict=True):
        v = velocity[order]
        pin.forwardKinematics(arm, data, model.pinocchio_q(position), v)
        for item, points in zip(bodies, corners, strict=True):
            motion = data.v[model.order.index(item.joint) + 1]  # in the joint's own frame
            speed = np.linalg.norm(motion.linear + np.cross(motion.angular, points), axis=1).max()
            last = item.joint == model.payload_joint
            name = "payload" if item.attached else "tool" if last else "elbow"
            largest[f"{name} speed"] = max(largest.get(f"{name} speed", 0.0), float(speed))
        if dynamics is not None:
            energy = _energy(dynamics, position, velocity, rng)
            largest["kinetic energy"] = max(largest.get("kinetic energy", 0.0), energy)
    return {name: x for name, x in largest.items() if np.isfinite(case.speeds.named(name))}


def _energy(dynamics: ArmDynamics, q: Array, dq: Array, rng: np.random.Generator) -> float:
    """Return the kinetic energy of bodies drawn from the box, half of the time at a corner."""
    theta = dynamics.centre + errors_within(dynamics.half_width, 1, rng)[0]
    rotor, spread = dynamics.rotor
    return float(dynamics.energy_regressor(q, dq) @ theta + 0.5 * (rotor + spread) @ dq**2)
