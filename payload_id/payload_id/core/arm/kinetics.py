r"""Kinetic and gravity regressors of all bodies, for many samples at once.

With J_j the joint axes and V the velocity of a body, both as spatial vectors (linear, angular) in
the body's frame, kinetic energy gives the generalised momentum of joint j

    dT/d(dq_j) = J_j' I V = K(J_j, V) phi                                              (momentum)

and Lagrange's equation d/dt dT/d(dq_j) = tau_j + dT/dq_j - dU/dq_j the force that changes it

    dT/dq_j - dU/dq_j = (V_j x J_j)' I V + J_j' I (g, 0) = [K(V_j x J_j, V) + K(J_j, (g, 0))] phi,

V_j the velocity of the body that joint j carries. These are W_m and W_c of the momentum regressor
([ZZV] Sec. III; docs/mathematics.md shows that the two forms are the same). K is the symmetric
bilinear form x' I y written as a row of ten coefficients of phi.

Pinocchio has the same quantities for one sample at a time; the loop over samples, in Python, is
what makes that too slow at 1 kHz. Here the loop runs over joints only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from .arm_model import ArmModel


@dataclass(frozen=True)
class BodyMotion:
    """Axes and velocities, seen from each body l of n + 1 (the payload last), at N samples.

    Attributes:
        axis: J_j in the frame of body l, zero where joint j does not move body l, shape
            (N, n + 1, n, 6), linear part first.
        axis_rate: V_j x J_j in the frame of body l, shape (N, n + 1, n, 6).
        velocity: V of body l in its own frame, shape (N, n + 1, 6).
        gravity: Gravity in the frame of body l, shape (N, n + 1, 3) [m/s2].
    """

    axis: Array
    axis_rate: Array
    velocity: Array
    gravity: Array

    def at(self, samples: Array) -> BodyMotion:
        """Return the motion at some of the samples."""
        return BodyMotion(
            self.axis[samples],
            self.axis_rate[samples],
            self.velocity[samples],
            self.gravity[samples],
        )


def bilinear_form(x: Array, y: Array) -> Array:
    """Return the row K with x' I y = K phi for spatial velocities x and y.

    Args:
        x: Spatial vectors, shape (..., 6), linear part first.
        y: Spatial vectors, broadcast against x.

    Returns:
        K: shape (..., 10).
    """
    xv, xw, yv, yw = x[..., :3], x[..., 3:], y[..., :3], y[..., 3:]
    shape = np.broadcast_shapes(x.shape[:-1], y.shape[:-1])
    row = np.empty((*shape, 10))
    # x' I y = m xv.yv + h.(xv x yw + yv x xw) + xw' I yw
    row[..., 0] = np.einsum("...i,...i->...", xv, yv)
    row[..., 1:4] = cross(xv, yw) + cross(yv, xw)
    product = xw * yw
    row[..., 4], row[..., 7], row[..., 9] = product[..., 0], product[..., 1], product[..., 2]
    row[..., 5] = xw[..., 0] * yw[..., 1] + xw[..., 1] * yw[..., 0]
    row[..., 6] = xw[..., 0] * yw[..., 2] + xw[..., 2] * yw[..., 0]
    row[..., 8] = xw[..., 1] * yw[..., 2] + xw[..., 2] * yw[..., 1]
    return row


def cross(a: Array, b: Array) -> Array:
    """Return a x b along the last axis (numpy.cross without its overhead)."""
    out = np.empty(a.shape if a.shape == b.shape else np.broadcast_shapes(a.shape, b.shape))
    out[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    out[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    out[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return out


def momentum_regressor(motion: BodyMotion) -> Array:
    """Return W_m, shape (N, n + 1, n, 10): momentum of joint j due to body l."""
    return bilinear_form(motion.axis, motion.velocity[:, :, None, :])


def force_regressor(motion: BodyMotion) -> Array:
    """Return W_c, shape (N, n + 1, n, 10): dT/dq_j - dU/dq_j due to body l."""
    row = bilinear_form(motion.axis_rate, motion.velocity[:, :, None, :])
    gravity = motion.gravity[:, :, None, :]
    xv, xw = motion.axis[..., :3], motion.axis[..., 3:]
    row[..., 0] += np.einsum("...i,...i->...", xv, gravity)
    row[..., 1:4] += cross(np.broadcast_to(gravity, xw.shape), xw)
    return row


def body_motion(model: ArmModel, q: Array, dq: Array) -> BodyMotion:
    """Return axes and velocities in the frames of all bodies.

    Args:
        model: The arm, n joints.
        q: Joint positions, shape (N, n) [rad or m].
        dq: Joint velocities, shape (N, n) [rad/s or m/s].
    """
    rotation, origin = frames(model, q)
    support = model.supports()
    axis = axes_at_base(model, rotation, origin)  # (N, n, 6)
    moving = axis * dq[..., None]
    velocity = support @ moving  # (N, n + 1, 6)
    joint_velocity = velocity[:, :-1]
    rate = np.empty_like(axis)  # V_j x J_j, spatial cross product
    rate[..., 3:] = cross(joint_velocity[..., 3:], axis[..., 3:])
    rate[..., :3] = cross(joint_velocity[..., 3:], axis[..., :3])
    rate[..., :3] += cross(joint_velocity[..., :3], axis[..., 3:])
    mask = support[None, :, :, None]
    gravity = model.gravity @ rotation
    return BodyMotion(
        axis=seen_from(axis[:, None], rotation, origin) * mask,
        axis_rate=seen_from(rate[:, None], rotation, origin) * mask,
        velocity=seen_from(velocity[:, :, None], rotation, origin)[:, :, 0],
        gravity=gravity,
    )


def frames(model: ArmModel, q: Array) -> tuple[Array, Array]:
    """Return axes (N, n + 1, 3, 3) and origins (N, n + 1, 3) [m] of all bodies in the base."""
    N, n = q.shape
    rotation = np.empty((N, n + 1, 3, 3))
    origin = np.empty((N, n + 1, 3))
    for joint in _base_to_tip(model.parent):
        turned, moved = _joint_transform(model, joint, q[:, joint])
        parent = model.parent[joint]
        if parent < 0:
            rotation[:, joint], origin[:, joint] = turned, moved
        else:
            rotation[:, joint] = rotation[:, parent] @ turned
            origin[:, joint] = origin[:, parent] + _rotate(rotation[:, parent], moved)
    carrier = rotation[:, model.payload_joint]
    rotation[:, n] = carrier @ model.payload_rotation
    offset = np.broadcast_to(model.payload_translation, (N, 3))
    origin[:, n] = origin[:, model.payload_joint] + _rotate(carrier, offset)
    return rotation, origin


def _base_to_tip(parent: tuple[int, ...]) -> list[int]:
    """Return the joints in an order in which every joint comes after its parent."""
    done: list[int] = []
    while len(done) < len(parent):
        done += [j for j, p in enumerate(parent) if j not in done and (p < 0 or p in done)]
    return done


def _joint_transform(model: ArmModel, joint: int, q: Array) -> tuple[Array, Array]:
    """Return axes (N, 3, 3) and origin (N, 3) of one joint's frame in its parent's frame."""
    a = model.axis_angular[joint]
    A = np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
    sine, versine = np.sin(q)[:, None, None], (1.0 - np.cos(q))[:, None, None]
    turn = np.eye(3) + sine * A + versine * (A @ A)  # Rodrigues' formula
    shift = model.rotation[joint] @ model.axis_linear[joint]
    return model.rotation[joint] @ turn, model.translation[joint] + q[:, None] * shift


def _rotate(rotation: Array, vector: Array) -> Array:
    """Return R v for stacks of rotations and vectors."""
    return np.einsum("...ij,...j->...i", rotation, vector)


def axes_at_base(model: ArmModel, rotation: Array, origin: Array) -> Array:
    """Return the joint axes as spatial vectors about the base's origin, shape (N, n, 6)."""
    turned = rotation[:, :-1]
    angular = _rotate(turned, model.axis_angular)
    linear = _rotate(turned, model.axis_linear) + cross(origin[:, :-1], angular)
    return np.concatenate([linear, angular], axis=-1)


def seen_from(vectors: Array, rotation: Array, origin: Array) -> Array:
    """Move spatial vectors about the base's origin, (N, 1 or L, k, 6), into L body frames."""
    angular = vectors[..., 3:]
    linear = vectors[..., :3] + cross(angular, origin[:, :, None, :])
    angular = np.broadcast_to(angular, linear.shape)
    return np.concatenate([linear @ rotation, angular @ rotation], axis=-1)  # R' v as v' R
