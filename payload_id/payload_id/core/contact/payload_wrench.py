r"""The wrench with which the arm carries and moves the payload, as a mean over a window.

With I the payload's inertia and V its velocity in its own frame, Newton and Euler say

    f_k = d/dt (e_k' I V) - (V x e_k)' I V - e_k' I (g, 0)

for the six unit vectors e_k: the equation of a joint whose axis is e_k (`core/arm/kinetics.py`).
Integrated over the window it is linear in phi and needs no acceleration.
"""

from __future__ import annotations

import numpy as np

from ..arm.arm_model import ArmModel
from ..arm.kinetics import bilinear_form, body_motion, cross
from ..arrays import Array
from ..rows.joint_torque.momentum import MomentumRows
from ..rows.joint_torque.stamp_error import stamp_error
from ..rows.quadrature import (
    HIGHER,
    cell_ends,
    end_correction,
    end_samples,
    end_weights,
    fastest,
    trapezoid_weights,
)
from ..samples.joint_samples import Samples

CELLS = 4  # of a window, in each of which effects of errors are looked at once, at the least
LONGEST = 0.0125  # [s] of a cell in longer windows


def wrench_coefficients(rows: MomentumRows, samples: Samples) -> tuple[Array, Array]:
    """Return W with mean wrench = W phi, and the bound on its errors, shape (6, 10) each.

    The wrench is in the payload frame, about its origin: force, then torque.

    Args:
        rows: Made the rows of the window.
        samples: Of one window.
    """
    weight = trapezoid_weights(samples.stamp)
    momentum, forces = _equations(rows.model, samples.q, samples.dq)
    ends = momentum[end_samples(len(samples))].reshape(8, -1)
    correction, remainder = (x.reshape(6, 10) for x in end_correction(samples.stamp, ends))
    W = momentum[-1] - momentum[0] + correction - np.tensordot(weight, forces, axes=1)
    error = remainder + _motion_error(rows, samples, float(weight.sum()))
    error = error + stamp_error(samples.stamp, momentum, rows.uncertainty.stamp_jitter)
    duration = float(samples.stamp[-1] - samples.stamp[0])
    return W / duration, error / duration


def _equations(model: ArmModel, q: Array, dq: Array) -> tuple[Array, Array]:
    """Return the coefficients of e_k' I V and of the force that changes it, (N, 6, 10) each."""
    motion = body_motion(model, q, dq)
    V, axis = motion.velocity[:, -1:], np.eye(6)[None]
    rate = np.empty((len(q), 6, 6))  # V x e_k, spatial cross product
    rate[..., 3:] = cross(V[..., 3:], axis[..., 3:])
    rate[..., :3] = cross(V[..., 3:], axis[..., :3]) + cross(V[..., :3], axis[..., 3:])
    pull = np.zeros_like(V)
    pull[..., :3] = motion.gravity[:, -1:]
    return bilinear_form(axis, V), bilinear_form(rate, V) + bilinear_form(axis, pull)


def _motion_error(rows: MomentumRows, samples: Samples, duration: float) -> Array:
    """Return what errors of positions, velocities and gravity do to the integral, (6, 10)."""
    n, unsure = rows.model.n, rows.uncertainty
    position = unsure.per_joint("position_error", n) + unsure.per_joint("joint_zero", n)
    velocity = unsure.per_joint("velocity_error", n)
    cells = max(CELLS, round((samples.stamp[-1] - samples.stamp[0]) / LONGEST))
    fast = fastest(samples.dq, cell_ends(len(samples), cells))
    probe = np.unique([0, *fast, len(samples) - 1])
    q, dq = samples.q[probe], samples.dq[probe]
    here = _equations(rows.model, q, dq)
    momentum, force = np.zeros((len(probe), 6, 10)), np.zeros((len(probe), 6, 10))
    steps = np.block([[np.diag(position), np.zeros((n, n))], [np.zeros((n, n)), np.diag(velocity)]])
    steps = steps[steps.any(axis=1)]  # one error at a time: of a position, or of a velocity
    if len(steps):
        moved = (np.hstack([q, dq]) + steps[:, None]).reshape(-1, 2 * n)
        there = _equations(rows.model, moved[:, :n], moved[:, n:])
        shape = (len(steps), len(probe), 6, 10)
        momentum, force = (
            np.abs(new.reshape(shape) - old).sum(axis=0)
            for new, old in zip(there, here, strict=True)
        )
    first, last = end_weights(samples.stamp)
    error = first * momentum[0] + last * momentum[-1] + duration * force.max(axis=0)
    return HIGHER * error + duration * unsure.gravity_error * _gravity_size()


def _gravity_size() -> Array:
    """Return how much an error of gravity of 1 m/s2 along each base axis does, (6, 10)."""
    everywhere = np.append(np.full(3, np.sqrt(3.0)), np.zeros(3))
    return np.abs(bilinear_form(np.eye(6), everywhere))
