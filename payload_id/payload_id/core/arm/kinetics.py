r"""Kinetic and gravity regressors of all bodies, for many samples at once.

With J_j the joint axes and V the velocity of a body, both as spatial vectors (linear, angular) in
the body's frame, kinetic energy gives the generalised momentum of joint j

    dT/d(dq_j) = J_j' I V = K(J_j, V) phi                                              (momentum)

and Lagrange's equation d/dt dT/d(dq_j) = tau_j + dT/dq_j - dU/dq_j the force that changes it

    dT/dq_j - dU/dq_j = (V_j x J_j)' I V + J_j' I (g, 0) = [K(V_j x J_j, V) + K(J_j, (g, 0))] phi,

V_j the velocity of the body that joint j carries. These are W_m and W_c of the momentum regressor
([ZZV] Sec. III; docs/proofs.md shows that the two forms are the same). K is the symmetric
bilinear form x' I y written as a row of ten coefficients of phi.

All of it is computed in the base: J_j about the base's origin, and I V of body l, whose point r
in its own frame is at x = p + r_a e_a, p its origin and e_a its axes (sums over a = 1..3),

    int dx/dt dm = (dp/dt) m + (de_a/dt) h_a,
    int x x dx/dt dm = (p x dp/dt) m + (p x de_a/dt + e_a x dp/dt) h_a + e_a omega_b I_ab,

omega_b the components of its angular velocity along its own axes. So each body has one matrix for
all joints, of which an integral over time is a product of matrices. Gravity's wrench is
(g m, (p x g) m + (e_a x g) h_a) in the same way.

Pinocchio has the same quantities for one sample at a time; the loop over samples, in Python, is
what makes that too slow at 1 kHz. Here the loop runs over joints only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from ..arrays import Array, IntArray
from . import chain
from .arm_model import ArmModel
from .chain import Chain, chain_of, close

Product = Callable[[Array, Array], Array]

# From coefficients of m, h and the nine I_ab to those of phi, which has six of them.
_TO_PHI = np.zeros((13, 10))
_TO_PHI[range(13), [0, 1, 2, 3, 4, 5, 6, 5, 7, 8, 6, 8, 9]] = 1.0


@dataclass(frozen=True)
class BodyMotion:
    """An arm in motion at N samples; vectors of five entries as in `chain`.

    Attributes:
        model: The arm, n joints.
        chain: Frames and axes of bodies 0..n, the payload last.
        linear: Linear part of the bodies' velocities V about the base's origin, (n + 1, 5, N).
        angular: Angular part, shape (n + 1, 5, N).
    """

    model: ArmModel
    chain: Chain
    linear: Array
    angular: Array

    @cached_property
    def place_rate(self) -> Array:
        """Velocity of the origin and rates of the axes of each body, shape (n + 1, 4, 5, N)."""
        rate = np.empty_like(self.chain.place)
        chain.cross(self.angular[:, None], self.chain.place, out=rate[:, :, :3])
        rate[:, 0, :3] += self.linear[:, :3]
        close(rate)
        return rate

    @cached_property
    def moment(self) -> Array:
        """Moment of momentum of each body about the base's origin, shape (n + 1, 13, 3, N).

        Coefficients of m, h and the nine I_ab, row by row.
        """
        place, rate = self.chain.place, self.place_rate
        axes, angular = place[:, 1:, :3], self.angular[:, None]
        omega = axes[:, :, 0] * angular[:, :, 0]  # (n + 1, 3, N)
        omega += axes[:, :, 1] * angular[:, :, 1]
        omega += axes[:, :, 2] * angular[:, :, 2]
        L, _, N = omega.shape
        moment = np.empty((L, 13, 3, N))
        chain.cross(place[:, :1], rate, out=moment[:, :4])
        moment[:, 1:4] += chain.cross(place[:, 1:], rate[:, :1])
        inertia = moment[:, 4:].reshape(L, 3, 3, 3, N)
        np.multiply(axes[:, :, None], omega[:, None, :, None], out=inertia)
        return moment

    @property
    def axis_rate(self) -> tuple[Array, Array]:
        """V_j x J_j, linear and angular part, shape (n, 3, N) each."""
        v, w = self.linear[:-1], self.angular[:-1]
        linear = chain.cross(w, self.chain.linear)
        linear += chain.cross(v, self.chain.angular)
        return linear, chain.cross(w, self.chain.angular)

    @property
    def axis(self) -> Array:
        """J_j in the frame of body l, zero where joint j does not move it, (N, n + 1, n, 6)."""
        rotation, origin = _frames(self.chain)
        axis = _spatial(self.chain.linear, self.chain.angular)
        support = self.model.supports()[None, :, :, None]
        return seen_from(axis[:, None], rotation, origin) * support

    @property
    def velocity(self) -> Array:
        """V of body l in its own frame, linear part first, shape (N, n + 1, 6)."""
        rotation, origin = _frames(self.chain)
        velocity = _spatial(self.linear, self.angular)
        return seen_from(velocity[:, :, None], rotation, origin)[:, :, 0]

    @property
    def gravity(self) -> Array:
        """Gravity in the frame of body l, shape (N, n + 1, 3) [m/s2]."""
        return np.asarray(self.model.gravity @ _frames(self.chain)[0])


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


def momentum_regressor(motion: BodyMotion, samples: IntArray | slice = slice(None)) -> Array:
    """Return W_m at some of the samples, shape (N, n + 1, n, 10): momentum of joint j, body l."""
    parts = motion.chain.linear, motion.place_rate, motion.chain.angular, motion.moment
    J_linear, rate, J_angular, moment = (part[..., :3, :][..., samples] for part in parts)
    rows = _at_each_sample(J_angular, moment)
    rows[..., :4] += _at_each_sample(J_linear, rate)
    return _regressor(motion, rows)


def force_regressor(motion: BodyMotion) -> Array:
    """Return W_c, shape (N, n + 1, n, 10): dT/dq_j - dU/dq_j due to body l."""
    return _force(motion, _at_each_sample)


def force_integral(motion: BodyMotion, weight: Array) -> Array:
    """Return the sum of W_c at the samples times their weights, shape (n + 1, n, 10).

    Args:
        motion: At N samples.
        weight: Shape (N,) [s].
    """
    return _force(motion, partial(_summed, weight))


def gravity_regressor(motion: BodyMotion, gravity: Array) -> Array:
    """Return what a gravity of its own, shape (3,) [m/s2], adds to `force_regressor`."""
    return _regressor(motion, _of_gravity(motion, gravity, _at_each_sample))


def gravity_integral(motion: BodyMotion, weight: Array, gravity: Array) -> Array:
    """Return what a gravity of its own, shape (3,) [m/s2], adds to `force_integral`."""
    return _regressor(motion, _of_gravity(motion, gravity, partial(_summed, weight)))


def _force(motion: BodyMotion, product: Product) -> Array:
    """Return W_c, or what a product makes of it."""
    linear, angular = motion.axis_rate
    rows = product(angular, motion.moment)
    rows[..., :4] += product(linear, motion.place_rate[:, :, :3])
    rows[..., :4] += _of_gravity(motion, motion.model.gravity, product)
    return _regressor(motion, rows)


def _of_gravity(motion: BodyMotion, gravity: Array, product: Product) -> Array:
    """Return J_j' I (g, 0), shape (..., n, n + 1, 4); g in the base, (3,)."""
    joints = motion.chain
    g = np.concatenate([gravity, gravity[:2]])[:, None]  # x y z x y
    rows = product(chain.cross(g, joints.angular), joints.place[:, :, :3])
    pull = np.empty((1, 1, 3, joints.linear.shape[-1]))
    pull[:] = g[:3]
    rows[..., :1] += product(joints.linear[:, :3], pull)
    return rows


def _at_each_sample(x: Array, y: Array) -> Array:
    """Return x_j' y_lk at each sample, (N, n, L, k); x is (n, 3, N) and y (L, k, 3, N)."""
    L, k, _, N = y.shape
    rows = x.transpose(2, 0, 1) @ y.reshape(L * k, 3, N).transpose(2, 1, 0)
    return rows.reshape(N, -1, L, k)


def _summed(weight: Array, x: Array, y: Array) -> Array:
    """Return the weighted sum of x_j' y_lk over the samples, shape (n, L, k)."""
    L, k, _, N = y.shape
    total = (x * weight).reshape(-1, 3 * N) @ y.reshape(L * k, 3 * N).T
    return np.asarray(total).reshape(-1, L, k)


def _regressor(motion: BodyMotion, rows: Array) -> Array:
    """Return rows, (..., n, n + 1, 13 or 4), as coefficients of phi, (..., n + 1, n, 10)."""
    columns = np.swapaxes(rows @ _TO_PHI[: rows.shape[-1]], -2, -3)
    return np.asarray(columns * motion.model.supports()[:, :, None])


def body_motion(model: ArmModel, q: Array, dq: Array) -> BodyMotion:
    """Return frames, axes and velocities of all bodies.

    Args:
        model: The arm, n joints.
        q: Joint positions, shape (N, n) [rad or m].
        dq: Joint velocities, shape (N, n) [rad/s or m/s].
    """
    joints, support = chain_of(model, q), model.supports()
    N, n = q.shape
    rate = np.ascontiguousarray(dq.T)[:, None]
    linear, angular = np.empty((2, n + 1, 5, N))
    for velocity, axis in ((linear, joints.linear), (angular, joints.angular)):
        moving = (axis[:, :3] * rate).reshape(n, 3 * N)
        velocity[:, :3] = (support @ moving).reshape(n + 1, 3, N)
        close(velocity)
    return BodyMotion(model, joints, linear, angular)


def frames(model: ArmModel, q: Array) -> tuple[Array, Array]:
    """Return axes (N, n + 1, 3, 3) and origins (N, n + 1, 3) [m] of all bodies in the base."""
    return _frames(chain_of(model, q))


def _frames(joints: Chain) -> tuple[Array, Array]:
    """Return what `frames` does."""
    rotation = joints.place[:, 1:, :3].transpose(3, 0, 2, 1)
    origin = joints.place[:, 0, :3].transpose(2, 0, 1)
    return np.ascontiguousarray(rotation), np.ascontiguousarray(origin)


def _spatial(linear: Array, angular: Array) -> Array:
    """Return spatial vectors, (N, k, 6), of parts with five entries, (k, 5, N) each."""
    parts = np.concatenate([linear[:, :3], angular[:, :3]], axis=1)
    return np.ascontiguousarray(parts.transpose(2, 0, 1))


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
