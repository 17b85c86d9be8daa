"""Recordings in which one assumption is broken in a known way."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin

from arms import (
    Joints,
    Motion,
    Run,
    arm,
    draw_payload,
    joint_torques,
    perturbed_links,
    record,
)
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.arrays import Array
from payload_id.core.body.inertial import change_of_frame
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.samples.joint_samples import Samples

USUAL = Uncertainty(torque_relative=0.025, torque_absolute=0.05, link_relative=0.05)
SINGLE_JOINT = ("torque sign", "torque gain", "torque offset")
CAUSES = (*SINGLE_JOINT, "payload slipped", "contact", "wrong tool", "link model")
# Those that only samples tell apart.
OF_SAMPLES = (
    "torque delay", "gravity direction", "joint zero", "friction", "joint order", "units",
    "velocity",
)  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """A recording with a fault.

    Attributes:
        model: The arm as described.
        samples: What was measured.
        phi: The payload (at the end), shape (10,).
        joint: The joint that the fault is about, if it is about one.
        time: When it began [s].
        size: How large it is: a delay [s], an angle [rad], a factor; NaN where that has no sense.
    """

    model: ArmModel
    samples: Samples
    phi: Array
    joint: int
    time: float
    size: float = float("nan")


def inject(name: str, cause: str, seed: int, seconds: float = 5.0, noise: str = "uniform") -> Fault:
    """Return a recording of an arm with one of `CAUSES`; all else is within `USUAL`."""
    model, rng = arm(name), np.random.default_rng(1000 + seed)
    phi, links = _payload(rng), perturbed_links(model, rng, USUAL.link_relative)
    joint, time = int(rng.integers(model.n)), float(rng.uniform(0.3, 0.7) * seconds)
    run = record(model, seed, phi=phi, seconds=seconds, links=links)
    if cause == "payload slipped":
        phi = _other(rng, phi)
        later = record(model, seed, phi=phi, seconds=seconds, links=links)
        after = (run.true.stamp > time)[:, None]
        run = _with(run, np.where(after, later.true.tau, run.true.tau))
    elif cause == "contact":
        run = _with(run, run.true.tau + _push(model, run.true, time, rng))
    elif cause == "wrong tool":
        phi = np.zeros(10)
        run = record(model, seed, phi=phi, seconds=seconds, links=links)
        model = _with_tool(model, rng)
    elif cause == "link model":
        links = links.copy()
        joint = int(np.argmax(links[:, 0] * (np.arange(model.n) > 0)))
        links[joint] = 1.6 * model.link_phi[joint]
        run = record(model, seed, phi=phi, seconds=seconds, links=links)
    samples = run.measured(USUAL, noise, seed).samples
    tau = samples.tau.copy()
    if cause == "torque sign":
        tau[:, joint] *= -1.0
    elif cause == "torque gain":
        tau[:, joint] *= rng.choice([rng.uniform(0.5, 0.75), rng.uniform(1.35, 2.0)])
    elif cause == "torque offset":
        tau[:, joint] += rng.choice([-1.0, 1.0]) * rng.uniform(2.5, 5.0)
    return Fault(model, replace(samples, tau=tau), phi, joint, time)


def inject_in_samples(name: str, cause: str, seed: int, noise: str = "uniform") -> Fault:
    """Return a recording of 5 s of an arm with one of `OF_SAMPLES`; all else is within `USUAL`."""
    model, rng = arm(name), np.random.default_rng(2000 + seed)
    phi, links = _payload(rng), perturbed_links(model, rng, USUAL.link_relative)
    motion, joint = Motion.draw(model, rng), int(rng.integers(model.n))
    size, true = float("nan"), model
    if cause == "gravity direction":
        size, true = _other_gravity(model, rng)
    joints = _friction(model, rng) if cause == "friction" else None
    run = record(true, seed, phi=phi, seconds=5.0, links=links, motion=motion, joints=joints)
    run = replace(run, model=model)
    stamp = run.true.stamp
    if cause == "torque delay":
        size = float(rng.choice([-1.0, 1.0]) * np.exp(rng.uniform(np.log(2e-4), np.log(0.02))))
        run = _with(run, joint_torques(model, links, phi, *motion.at(stamp - size)))
    samples = run.measured(USUAL, noise, seed).samples
    q, dq, tau = samples.q.copy(), samples.dq.copy(), samples.tau.copy()
    if cause == "joint zero":
        size = float(rng.choice([-1.0, 1.0]) * np.deg2rad(rng.uniform(0.5, 10.0)))
        q[:, joint] += size
    elif cause == "joint order":
        i, j = rng.choice(model.n, 2, replace=False)
        joint = int(i)
        for column in (tau,) if rng.uniform() < 0.5 else (q, dq, tau):
            column[:, [i, j]] = column[:, [j, i]]
    elif cause == "units":
        kind = rng.integers(3)
        size = (1e3, 100.0, 180.0 / np.pi)[kind]
        if kind < 2:
            tau *= size
        else:
            dq *= size
    elif cause == "velocity":
        kind = rng.integers(3)
        if kind == 2:
            size = float(rng.uniform(0.004, 0.03))
            dq = motion.at(stamp - size)[1]
        else:
            size = float((rng.uniform(1.15, 1.5), -1.0)[kind])
            dq[:, joint] *= size
    return Fault(model, replace(samples, q=q, dq=dq, tau=tau), phi, joint, 0.0, size)


def _other_gravity(model: ArmModel, rng: np.random.Generator) -> tuple[float, ArmModel]:
    """Return a tilt of 0.5 to 10 degrees [rad], or another mounting, and the arm in it."""
    if rng.uniform() < 0.7:
        angle = float(np.deg2rad(rng.uniform(0.5, 10.0)))
        about = rng.uniform(0.0, 2.0 * np.pi)
        axis = np.array([np.cos(about), np.sin(about), 0.0])
    else:
        angle, axis = float(rng.choice([np.pi / 2, np.pi])), np.eye(3)[rng.integers(2)]
    gravity = pin.exp3(angle * axis) @ model.gravity
    other = model.pinocchio.copy()
    other.gravity.linear = gravity
    return angle, replace(model, gravity=gravity, pinocchio=other)


def _friction(model: ArmModel, rng: np.random.Generator) -> Joints:
    """Return friction of every joint, Coulomb of 0.5 to 5 N m, viscous of as much per rad/s."""
    none = np.zeros(model.n)
    size = rng.uniform(0.5, 5.0)
    coulomb, viscous = size * rng.uniform(0.3, 1.0, (2, model.n))
    return Joints(coulomb, viscous, none, none, none)


def _payload(rng: np.random.Generator) -> Array:
    """Return a payload of 0.8 kg or more."""
    phi = draw_payload(rng)
    return phi * max(1.0, 0.8 / phi[0])


def _other(rng: np.random.Generator, phi: Array) -> Array:
    """Return no payload, another payload, or the same one after it slipped."""
    kind = int(rng.integers(3))
    if kind == 0:
        return np.zeros(10)
    if kind == 1:
        return _payload(rng)
    turned = pin.exp3(0.7 * rng.normal(size=3))
    return np.asarray(change_of_frame(turned, 0.06 * rng.normal(size=3)) @ phi)


def _with(run: Run, tau: Array) -> Run:
    """Return a run with other true torques."""
    return replace(run, true=replace(run.true, tau=tau))


def _push(model: ArmModel, samples: Samples, time: float, rng: np.random.Generator) -> Array:
    """Return the torques that a push at the last joint causes for 0.15 to 0.6 s, shape (N, n)."""
    length, force = rng.uniform(0.15, 0.6), rng.normal(size=3)
    force *= rng.uniform(15.0, 60.0) / np.linalg.norm(force)
    data, order = model.pinocchio.createData(), list(model.order)
    joint = order.index(model.payload_joint) + 1
    tau = np.zeros_like(samples.q)
    for k in np.flatnonzero((samples.stamp > time) & (samples.stamp < time + length)):
        pin.computeJointJacobians(model.pinocchio, data, model.pinocchio_q(samples.q[k]))
        J = pin.getJointJacobian(model.pinocchio, data, joint, pin.LOCAL_WORLD_ALIGNED)
        tau[k, order] = J[:3].T @ force
    return tau


def _with_tool(model: ArmModel, rng: np.random.Generator) -> ArmModel:
    """Return the arm with a tool of 0.6 to 1.5 kg in its description that it does not have."""
    tool = draw_payload(rng)
    tool *= rng.uniform(0.6, 1.5) / tool[0]
    links = model.link_phi.copy()
    frame = change_of_frame(model.payload_rotation, model.payload_translation)
    links[model.payload_joint] += frame @ tool
    return replace(model, link_phi=links)
