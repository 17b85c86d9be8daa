"""Recordings of an arm in which everything that is stated errs within its bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from arms import Joints, of_point_masses, perturbed_links, record
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.arrays import Array
from payload_id.core.body.shape import Shape
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.samples.joint_samples import Samples

CORNERS = np.array(np.meshgrid([-0.1, 0.1], [-0.1, 0.1], [-0.05, 0.05])).reshape(3, -1).T
SHAPE = Shape.from_hull(CORNERS + [0.02, -0.01, 0.06])  # holds the payloads


@dataclass(frozen=True)
class Wandering:
    """q(t) = centre + sum_k size_k sin(w_k t + phase_k): never the same again.

    Attributes:
        centre: Shape (n,).
        size: Shape (K, n).
        w: Shape (K, n) [rad/s].
        phase: Shape (K, n).
    """

    centre: Array
    size: Array
    w: Array
    phase: Array

    @classmethod
    def draw(cls, n: int, rng: np.random.Generator, waves: int = 5) -> Wandering:
        """Return a random motion."""
        shape = (waves, n)
        w = 2.0 * np.pi * rng.uniform(0.05, 0.6, shape)
        return cls(
            rng.uniform(-1.0, 1.0, n), rng.normal(size=shape) / (1.0 + w), w,
            rng.uniform(0.0, 2.0 * np.pi, shape),
        )  # fmt: skip

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Return q, dq and ddq at times t, shape (N, n) each."""
        angle = t[:, None, None] * self.w + self.phase
        S, C = np.sin(angle), np.cos(angle)
        q = self.centre + (self.size * S).sum(axis=1)
        dq = (self.size * self.w * C).sum(axis=1)
        return q, dq, -(self.size * self.w**2 * S).sum(axis=1)


def measured_run(
    model: ArmModel, uncertainty: Uncertainty, seed: int, seconds: float, rate: float = 100.0
) -> tuple[Samples, Array]:
    """Return what the sensors show, and the true payload, shape (10,).

    Links, friction, rotors, offsets and gains are uniform in their boxes, constant in the run;
    noise of torque, position and velocity is uniform and new at every sample.

    Args:
        model: The arm.
        uncertainty: What is stated.
        seed: Of everything that is drawn.
        seconds: Length [s].
        rate: Samples in a second [Hz].
    """
    rng = np.random.default_rng([seed, 7])
    masses = rng.dirichlet(np.ones(len(SHAPE.points))) * rng.uniform(1.0, 3.0)
    phi = of_point_masses(masses, SHAPE.points)
    joints = Joints.draw(rng, uncertainty, model.n, extreme=False)
    links = perturbed_links(model, rng, uncertainty.link_relative)
    motion = Wandering.draw(model.n, rng)
    run = record(model, seed, phi, seconds, rate, links, motion=motion, joints=joints)
    seen = run.measured(uncertainty, "uniform", seed).samples
    size = seen.q.shape
    q = uncertainty.per_joint("position_error", model.n) * rng.uniform(-1.0, 1.0, size)
    dq = uncertainty.per_joint("velocity_error", model.n) * rng.uniform(-1.0, 1.0, size)
    return replace(seen, q=seen.q + q, dq=seen.dq + dq), phi
