r"""What the first-order expansion of the torques leaves out, bounded by levers.

A body is a cloud of masses m_i at r_i(q), and with subscripts for partial derivatives

    tau_j = sum_i m_i r_i,j . (sum_k r_i,k ddq_k + sum_km r_i,km dq_k dq_m - g).

Turning a body about several axes in a row, the derivative of r_i with respect to joints k1, ...,
ks, base to tip, is z_k1 x (z_k2 x ... (z_ks x (r_i - p_ks))): its length is at most the distance of
r_i from the axis of the LAST of them, the one nearest to the tip. So every second derivative of
tau_j is a sum of products of two such lengths, and with mass m, first moment h about a reference
point and second moment Sigma of the body

    | sum_i m_i r_i,a.. . r_i,b.. | <= P(a, b)
                                     = |m| o_a o_b + |h| (o_a k_b + o_b k_a) + |Sigma|_* k_a k_b,

a and b the last joints of both, o the distance of the reference point from the axis, k = 1, and
o = 1, k = 0 for a sliding joint. |Sigma|_* is the sum of the singular values, which bounds the
trace of Sigma times any product of rotations and [z]x, so that it needs no physical consistency.
The bound is linear in |m|, |h| and |Sigma|_*: it serves a box of phi.

Only last joints matter, so that a sum over pairs (a, b) with weights x_a y_b is one over the last
of both, with weights x * y (`last_of`). docs/proofs.md has the proof.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arm.arm_model import ArmModel
from ...arrays import Array
from .lever_arms import Moments, last_of, levers, moments_of, moments_within, reference_points
from .linear_terms import inertia_slopes
from .slice_motion import EPS, SliceMotion


def second_order(
    P: Array, Q: Array, motion: SliceMotion, inertia: Array, coriolis: Array, gravity: float
) -> Array:
    """Return a bound on what the expansion to first order leaves out, shape (K, n) [N m or N].

    Args:
        P: `Levers.pair` of all bodies, shape (K, n, n).
        Q: `Levers.single` of all bodies, shape (K, n).
        motion: States on the slices, joints base to tip.
        inertia: Bounds on |dM_jk/dq_m| at the slices' centres, shape (K, n, n, n).
        coriolis: Bounds on |C_jkl| there, shape (K, n, n, n).
        gravity: |g| [m/s2].
    """
    d = motion.position.reach
    a, da = motion.reference_acceleration.largest, motion.reference_acceleration.reach
    v, dv = motion.velocity.largest, motion.velocity.reach
    u, du = motion.reference_velocity.largest, motion.reference_velocity.reach
    still = a + last_of(v, u)  # weights of the acceleration's derivatives
    unit = np.broadcast_to(np.eye(d.shape[1]), (*d.shape, d.shape[1]))
    once = last_of(unit, d[:, None])
    twice = 0.5 * last_of(once, d[:, None])
    turned = last_of(still, d)
    # C(v, u) - C(v_c, u_c) = C(v - v_c, u) + C(v_c, u - u_c)
    centre = np.abs(motion.velocity.centre)
    pairs = dv[:, :, None] * u[:, None] + centre[:, :, None] * du[:, None]
    return np.asarray(
        _weighted(inertia, da[:, :, None] * d[:, None])
        + _weighted(coriolis, dv[:, :, None] * du[:, None])
        + _weighted(coriolis_variation(P, d), pairs)
        + (P @ (0.5 * last_of(turned, d))[..., None])[..., 0]
        + (once @ P @ turned[..., None])[..., 0]
        + (twice @ P @ still[..., None])[..., 0]
        + gravity * (twice @ Q[..., None])[..., 0]
    )


def _weighted(tensor: Array, weight: Array) -> Array:
    """Return sum_kl tensor_jkl weight_kl, shape (K, n)."""
    K, n, _ = weight.shape
    return np.asarray((tensor.reshape(K, n, n * n) @ weight.reshape(K, n * n, 1))[..., 0])


def coriolis_variation(P: Array, d: Array) -> Array:
    """Return the bound on sum_m |dC_jkl/dq_m| d_m, shape (K, n, n, n).

    Turning what carries two joints alike changes no product of their derivatives: only joints
    beyond the first of j, k, l count.
    """
    n = P.shape[1]
    j, k, l, m = np.indices((n,) * 4, sparse=True)
    last = np.maximum(k, l)
    change = P[:, np.maximum(j, m), last] + P[:, j, np.maximum(last, m)]
    change = change * (m > np.minimum(j, np.minimum(k, l)))
    varied = change.reshape(len(P), n**3, n) @ d[..., None]
    return np.asarray(varied.reshape(len(P), n, n, n))


def coriolis_bound(P: Array) -> Array:
    """Return the bound on |C_jkl|, shape (K, n, n, n)."""
    j, k, l = np.indices((P.shape[1],) * 3, sparse=True)
    return np.asarray(P[:, j, np.maximum(k, l)])


@dataclass(frozen=True, eq=False)
class Remainder:
    """What value and first derivatives leave out, shape (K, n) each [N m or N].

    Attributes:
        middle: For theta_0, rounding errors included.
        half: For theta - theta_0.
        tilted: What gravity's error makes of the torque of any theta.
    """

    middle: Array
    half: Array
    tilted: Array

    @classmethod
    def of(
        cls,
        model: ArmModel,
        order: list[int],
        motion: SliceMotion,
        axis: Array,
        middle: Array,
        half: Array,
        gravity_error: float,
    ) -> Remainder:
        """Return the remainders.

        Args:
            model: The arm.
            order: Joints from base to tip, as `motion` and `axis` have them.
            motion: States on the slices.
            axis: Axes in the bodies' frames, shape (K, B, n, 6).
            middle: theta_0 of the bodies, shape (B, 10).
            half: Half-widths, shape (B, 10).
            gravity_error: Largest error of each component of gravity [m/s2].
        """
        support = model.supports()[:, order]
        revolute = np.linalg.norm(model.axis_angular[order], axis=1) > 0.5
        tilt = np.sqrt(3.0) * gravity_error
        g = float(np.linalg.norm(model.gravity)) + tilt
        slopes = inertia_slopes(axis, middle, half)
        symbols = slopes.christoffel
        parts, tilted = [], np.zeros_like(motion.position.reach)
        point = reference_points(middle)
        origin = np.zeros_like(point)  # about which the moments of a box are smallest
        for moments, about, inertia, coriolis in (
            (moments_of(middle, point), point, np.abs(slopes.middle), np.abs(symbols.middle)),
            (moments_within(half), origin, slopes.half, symbols.half),
        ):
            lever = levers(axis, about, support, revolute, motion.position.reach)
            P, Q = lever.pair(moments).sum(axis=1), lever.single(moments).sum(axis=1)
            coriolis = np.minimum(coriolis, coriolis_bound(P))
            bound = second_order(P, Q, motion, inertia, coriolis, g) * (1 + 256 * EPS)
            parts.append(bound + _rounding(model, ~revolute, about, moments, motion, g))
            tilted = tilted + tilt * Q
        return cls(parts[0], parts[1], tilted)


def _rounding(
    model: ArmModel,
    sliding: Array,
    point: Array,
    moments: Moments,
    motion: SliceMotion,
    gravity: float,
) -> Array:
    """Return a bound on the floating-point errors of value and first-order terms, (K, 1).

    Every torque is a sum of products, each of a moment, two levers and an acceleration. With
    products of n rotations, sums over n joints and n + 1 bodies of ten parameters each goes through
    fewer than 60 (n + 1) roundings; 300 n covers the squares of the errors and the loss of
    cancelled digits, since positions are first found from the base: R, which no body is farther
    from the base than, stands for every lever.
    """
    lengths = np.linalg.norm(np.vstack([model.translation, model.payload_translation]), axis=1)
    R = 1.0 + lengths.sum() + np.linalg.norm(point, axis=1).max()
    R = R + (motion.position.largest * sliding).sum(axis=1)
    n = model.n
    speed = motion.velocity.largest.sum(axis=1) + motion.reference_velocity.largest.sum(axis=1)
    rate = motion.reference_acceleration.largest.sum(axis=1) + speed**2
    moved = (moments.mass.sum() * R + 2 * moments.first.sum()) * R + moments.second.sum()
    return np.asarray(300 * n * EPS * moved * (rate + gravity + 1.0))[:, None]
