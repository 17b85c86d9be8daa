"""Speeds and kinetic energy of sampled states, by Pinocchio: a check of the bounds from outside."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...body.inertial import TO_PINOCCHIO, change_of_frame
from ..clearance.swept_volume import outline
from ..speed.speed_margins import moving_bodies
from .safety_case import SafetyCase


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
    bodies = moving_bodies(case)
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
        if np.isfinite(case.speeds.energy):
            energy = _energy(case, data, velocity, rng)
            largest["kinetic energy"] = max(largest.get("kinetic energy", 0.0), energy)
    return {name: x for name, x in largest.items() if np.isfinite(case.speeds.named(name))}


def _energy(case: SafetyCase, data: pin.Data, velocity: Array, rng: np.random.Generator) -> float:
    """Return the kinetic energy of bodies drawn from the box, half of the time at a corner."""
    model = case.model
    middle, half = case.box.bodies
    u = rng.uniform(-1.0, 1.0, middle.shape)
    drawn = middle + half * (np.sign(u) if rng.random() < 0.5 else u)
    total = 0.0
    to_carrier = change_of_frame(model.payload_rotation, model.payload_translation)
    for body in range(model.n + 1):
        joint = model.payload_joint if body == model.n else body
        phi = to_carrier @ drawn[body] if body == model.n else drawn[body]
        motion = data.v[model.order.index(joint) + 1]
        total += 0.5 * _twice_energy(phi[TO_PINOCCHIO], motion)
    rotor, spread = case.box.interval("rotor_inertia")
    return total + 0.5 * float((rotor + spread) @ velocity**2)


def _twice_energy(parameters: Array, motion: pin.Motion) -> float:
    """Return V' I V for parameters that need not be those of a real body."""
    m, h = parameters[0], parameters[1:4]
    xx, xy, yy, xz, yz, zz = parameters[4:]
    I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    v, w = motion.linear, motion.angular
    return float(m * v @ v + 2.0 * h @ np.cross(v, w) + w @ I @ w)
