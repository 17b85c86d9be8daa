"""Recordings with a weight or a force that no description mentions."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin

from arms import Motion, arm, draw_payload, of_point_masses, perturbed_links, record
from injected_faults import USUAL
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.arrays import Array
from payload_id.core.samples.joint_samples import Samples

KINDS = ("weight at the wrist", "weight on a link", "cable")


@dataclass(frozen=True)
class Undescribed:
    """A recording with an error that nobody described.

    Attributes:
        model: The arm as described.
        samples: What was measured.
        phi: The payload, without the error, shape (10,).
        size: How large the error is [kg or N].
        assumption: What a verdict calls the assumption that is broken.
        error: What it calls the error.
    """

    model: ArmModel
    samples: Samples
    phi: Array
    size: float
    assumption: str
    error: str


def undescribed(
    name: str, kind: str, seed: int, noise: str = "uniform", size: float | None = None
) -> Undescribed:
    """Return a recording of 5 s with one of `KINDS`, of a random size or a given one."""
    model, rng = arm(name), np.random.default_rng(3000 + seed)
    phi, links = draw_payload(rng), perturbed_links(model, rng, USUAL.link_relative)
    phi = phi * max(1.0, 0.8 / phi[0])
    motion = Motion.draw(model, rng, period=float(rng.choice([6.0, 40.0])))
    drawn = float(rng.choice([-1.0, 1.0]) * np.exp(rng.uniform(np.log(0.05), np.log(1.5))))
    joint = int(rng.integers(model.n - 2, model.n))
    held, bodies, force = phi, links, np.zeros(3)
    if kind == "cable":
        value = 10.0 * drawn if size is None else size
        force[2] = value
        side = "along" if drawn > 0 else "against"
        said = "no cable, hose or contact that pulls", f"{side} z of the base at "
        said = said[0], said[1] + model.payload_frame
    else:
        # Less than described must leave a body: the payload keeps most of its mass.
        value = max(drawn, -0.5 * phi[0]) if size is None else size
        more = "more" if drawn > 0 else "less"
        if kind == "weight at the wrist":
            held = phi + value * np.eye(10)[0]
            said = "the tool as described", f"{more} at {model.payload_frame}"
        else:
            place = model.link_phi[joint, 1:4] / model.link_phi[joint, 0]
            bodies = links.copy()
            bodies[joint] += value * of_point_masses(np.ones(1), place[None])
            said = "links as described", f"{more} on the body that {model.joints[joint]} moves"
    run = record(model, seed, phi=held, seconds=5.0, links=bodies, motion=motion)
    pulled = replace(run.true, tau=run.true.tau + pull(model, run.true.q, force))
    samples = replace(run, true=pulled).measured(USUAL, noise, seed).samples
    return Undescribed(model, samples, phi, value, *said)


def pull(model: ArmModel, q: Array, force: Array) -> Array:
    """Return the torques that hold against a force at the payload frame, shape (N, n) [N m].

    Args:
        model: The arm.
        q: Positions, shape (N, n) [rad or m].
        force: In the base frame, shape (3,) [N].
    """
    data, order = model.pinocchio.createData(), list(model.order)
    joint = order.index(model.payload_joint) + 1
    tau = np.zeros_like(q)
    if not force.any():
        return tau
    for k in range(len(q)):
        pin.computeJointJacobians(model.pinocchio, data, model.pinocchio_q(q[k]))
        J = pin.getJointJacobian(model.pinocchio, data, joint, pin.LOCAL_WORLD_ALIGNED)
        arm_of_force = data.oMi[joint].rotation @ model.payload_translation
        tau[k, order] = -(J[:3].T @ force + J[3:].T @ np.cross(arm_of_force, force))
    return tau
