r"""Inverse dynamics of many states at once, and its regressor.

With J_j the joint axes, V velocity and A acceleration minus gravity of a body, as spatial vectors,

    tau_j = J_j' (I A + V x* I V) = [K(J_j, A) - K(V x J_j, V)] phi,

K the bilinear form of `kinetics`. That is W of (10) in [ZZV] without friction. Loops run over
joints only; what Pinocchio computes for one state at a time is the same (tested).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arm.arm_model import ArmModel
from ...arm.kinetics import axes_at_base, bilinear_form, cross, frames, seen_from
from ...arrays import Array
from ...body.inertial import INERTIA_BASIS


@dataclass(frozen=True)
class Kinematics:
    """N states, spatial vectors about the base's origin, linear part first.

    Attributes:
        model: The arm, n joints.
        rotation: Axes of bodies 0..n (the payload last) in the base, shape (N, n + 1, 3, 3).
        origin: Their origins, shape (N, n + 1, 3) [m].
        axis: Joint axes J, shape (N, n, 6).
        velocity: V of each body, shape (N, n + 1, 6).
        acceleration: A of each body, minus gravity, shape (N, n + 1, 6).
    """

    model: ArmModel
    rotation: Array
    origin: Array
    axis: Array
    velocity: Array
    acceleration: Array


def kinematics(model: ArmModel, q: Array, dq: Array, ddq: Array) -> Kinematics:
    """Return what the equations of motion need.

    Args:
        model: The arm.
        q: Shape (N, n) [rad or m].
        dq: Shape (N, n) [rad/s or m/s].
        ddq: Shape (N, n) [rad/s2 or m/s2].
    """
    rotation, origin = frames(model, q)
    support = model.supports()
    axis = axes_at_base(model, rotation, origin)
    velocity = support @ (axis * dq[..., None])
    rate = spatial_cross(velocity[:, :-1], axis)  # dJ/dt
    acceleration = support @ (axis * ddq[..., None] + rate * dq[..., None])
    acceleration[..., :3] -= model.gravity
    return Kinematics(model, rotation, origin, axis, velocity, acceleration)


def spatial_cross(v: Array, m: Array) -> Array:
    """Return v x m of spatial motion vectors, shape (..., 6)."""
    out = np.empty(np.broadcast_shapes(v.shape, m.shape))
    out[..., 3:] = cross(v[..., 3:], m[..., 3:])
    out[..., :3] = cross(v[..., 3:], m[..., :3]) + cross(v[..., :3], m[..., 3:])
    return out


def regressor(state: Kinematics, bodies: slice | list[int]) -> Array:
    """Return W of some bodies, each about its own frame, shape (N, L, n, 10).

    Args:
        state: The states.
        bodies: Which of the n + 1 bodies; n is the payload.
    """
    rotation, origin = state.rotation[:, bodies], state.origin[:, bodies]
    V = seen_from(state.velocity[:, bodies, None], rotation, origin)[:, :, 0]
    A = seen_from(state.acceleration[:, bodies, None], rotation, origin)[:, :, 0]
    # Only joints between base and body count: in a chain that is half of all pairs.
    body, joint = np.nonzero(state.model.supports()[bodies])
    J = seen_from(state.axis[:, joint, None], rotation[:, body], origin[:, body])[:, :, 0]
    V, A = V[:, body], A[:, body]
    found = np.zeros((len(J), rotation.shape[1], state.model.n, 10))
    found[:, body, joint] = bilinear_form(J, A) - bilinear_form(spatial_cross(V, J), V)
    return found


def payload_regressor(state: Kinematics) -> Array:
    """Return W of the payload, shape (N, n, 10)."""
    return regressor(state, [state.model.n])[:, 0]


def arm_torque(state: Kinematics, phi: Array) -> Array:
    """Return the torque that the bare arm needs, shape (N, n) [N m or N].

    Args:
        state: The states.
        phi: Inertial parameters of the links, shape (n, 10).
    """
    n = state.model.n
    rotation, origin = state.rotation[:, :n], state.origin[:, :n]
    V = seen_from(state.velocity[:, :n, None], rotation, origin)[:, :, 0]
    A = seen_from(state.acceleration[:, :n, None], rotation, origin)[:, :, 0]
    m, h = phi[:, :1], np.broadcast_to(phi[:, 1:4], V.shape[:-1] + (3,))
    inertia = np.einsum("lk,kij->lij", phi[:, 4:], INERTIA_BASIS)

    def times(x: Array) -> tuple[Array, Array]:
        """Return I x: force and moment."""
        force = m * x[..., :3] + cross(x[..., 3:], h)
        return force, np.einsum("lij,Nlj->Nli", inertia, x[..., 3:]) + cross(h, x[..., :3])

    (force, moment), (p, L) = times(A), times(V)
    force += cross(V[..., 3:], p)
    moment += cross(V[..., 3:], L) + cross(V[..., :3], p)
    force = np.einsum("Nlij,Nlj->Nli", rotation, force)
    moment = np.einsum("Nlij,Nlj->Nli", rotation, moment) + cross(origin, force)
    wrench = np.concatenate([force, moment], axis=-1)  # about the base's origin
    carried = state.model.supports()[:n].T @ wrench
    return np.asarray(np.einsum("Nji,Nji->Nj", state.axis, carried))
