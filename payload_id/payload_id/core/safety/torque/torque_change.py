r"""How much torques change while they are late, and how wrong the controller's momentum is.

With dr/dt bounded, what the controller's torque depends on moves no faster than, in the tube,

    |dq|,   |ddq| <= |ddq_a| + |dr/dt|,   |d(dq_a)/dt| = |ddq_a|,
    |d(ddq_a)/dt| <= |d(ddq_d)/dt| + K |dr/dt| + 2 K^2 rho,

since ddq = ddq_a - dr/dt and ddq_d - ddq = dr/dt - K de. M dr/dt is a force, so that K dr in ddq_a
costs about K times that force for the time. Errors of measurement add to each of them. A torque
that moves from q, a, v, u to q', a', v', u' changes by

    (M(q') - M(q)) a' + M(q) (a' - a) + C(q)(v' - v, u') + C(q)(v, u' - u) + (C(q') - C(q))(v', u')
    + g(q') - g(q),

each of which the levers of `remainder` bound on slices that hold both states. The moments are those
of theta_0 and of the half-widths together: model's torque and bound of the disturbance.

With M_0 for theta_0, the momentum p = M r is computed as p0 = M_0(q0) r0 from what is measured,

    p - p0 = (M(q) - M_0(q)) r + M_0(q) (r - r0) + (M_0(q) - M_0(q0)) r0.

docs/proofs.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arm.arm_model import ArmModel
from ...arm.kinetics import body_motion
from ...arrays import Array
from ...motion.trajectory import INSTANT, MotionRanges, Trajectory
from ..tube.sampling_reserve import Sampling, fastest
from ..tube.tracking_tube import TrackingTube
from .lever_arms import levers, moments_of, moments_within, reference_points
from .linear_terms import base_to_tip, inertia_spread
from .parameter_box import ParameterBox
from .remainder import coriolis_bound, coriolis_variation
from .slice_motion import EPS, SliceMotion

SLICE = 0.02  # [s] of the slices on which M, C and g are bounded
MOST_SLICES = 50_000  # on which the change of ddq_d is bounded


@dataclass(frozen=True, eq=False)
class TorqueChange:
    """Bounds of the change within a period as a function of |M dr/dt| <= f, on S slices.

    Attributes:
        still: Change for dr/dt = 0, friction's sign apart, shape (S, n) [N m or N].
        per_rate: What |dr/dt| of each joint adds, shape (S, n, n).
        per_force: What f of the same joint adds, as M(theta_0) K dr is k M dr but for small parts;
            k is the least gain [-].
        rotor: Smallest rotor inertias, shape (n,) [kg m2 or kg].
        speed_change: Change of dq for dr/dt = 0, shape (S, n).
        slow: Where the sign of friction may change, shape (S, n).
        coulomb: Friction of the model, shape (n,) [N m or N].
        stiction: Speed below which its sign is unknown [rad/s or m/s].
        coriolis: |C(q, dq) r|_j and |C' r|_j at most, shape (S, n) [N m or N].
        unknown: sqrt(sum_k |M - M(theta_0)|_jk^2 / rotor_k), shape (S, n) [sqrt(kg) m or sqrt(kg)].
        unseen: What errors of measurement make of p, shape (S, n) [N m s or N s].
        period: T [s].
        edges: Slice k is from edges[k] to edges[k + 2], or to the last, shape (S + 2,) [s].
    """

    still: Array
    per_rate: Array
    per_force: float
    rotor: Array
    speed_change: Array
    slow: Array
    coulomb: Array
    stiction: float
    coriolis: Array
    unknown: Array
    unseen: Array
    period: float
    edges: Array

    def mismatch(self, level: float) -> Array:
        """Return a bound of |p - p0| where r' M r <= 2 level, shape (S, n): |D^(1/2) r| is too."""
        return np.asarray(np.sqrt(2.0 * level) * self.unknown + self.unseen)

    def __call__(self, force: Array) -> Array:
        """Return delta for |M dr/dt| <= force, shape (n,) each."""
        return np.asarray(self.on_slices(force).max(axis=0))

    def on_slices(self, force: Array) -> Array:
        """Return the same slice by slice, shape (S, n)."""
        rate = fastest(force, self.rotor)
        # From beyond the stiction velocity to its other sign, what is compensated turns and the
        # bound of the disturbance with it; a smaller change comes to the middle at most.
        sudden = self.speed_change + self.period * rate > self.stiction
        friction = np.where(sudden, 4.0, 2.0) * self.coulomb * self.slow
        moved = self.per_rate @ rate + self.per_force * force
        return np.asarray(self.still + moved + friction + self.coriolis)


def torque_change(
    model: ArmModel,
    box: ParameterBox,
    trajectory: Trajectory,
    tube: TrackingTube,
    sampling: Sampling,
    step: float = SLICE,
) -> TorqueChange:
    """Return how much RNEA(theta_0; ...) and the bound of |w_j| together change, and more.

    Args:
        model: The arm.
        box: What is uncertain.
        trajectory: The desired motion.
        tube: Of a passivity-based controller.
        sampling: How late torques follow the state, and errors of measurement.
        step: Length of the slices of time [s].
    """
    order = base_to_tip(model)
    back = np.argsort(order)
    period, n = sampling.period, model.n
    errors = (sampling.position_error, sampling.velocity_error)
    q_error, dq_error = (np.broadcast_to(np.asarray(x, dtype=float), n)[order] for x in errors)
    K = tube.gain[order]
    rotor, viscous = box.rotor_inertia_upper[order], box.viscous_upper[order]
    found = _slices(trajectory, max(step, period))
    motion = SliceMotion.of(_overlapping(found), tube).take(order)
    P, Q, own = _levers(model, box, motion, order)
    v, u = motion.velocity.largest, motion.reference_velocity.largest
    a = motion.reference_acceleration.largest
    jump = _acceleration_change(trajectory, period)[order]
    dq, dv, du = period * v + q_error, period * a + dq_error, period * a + K * q_error
    da = jump + period * K * tube.reference_acceleration[order] + K * dq_error
    C = coriolis_bound(P)
    gravity = float(np.linalg.norm(model.gravity)) + 3.0 * box.gravity_error
    later = np.maximum.outer(np.arange(n), np.arange(n))
    rotor_lower, spread = box.rotor_inertia_lower[order], box.interval("rotor_inertia")[1][order]
    unsure, k = own + np.diag(spread), float(K.min())
    turned = _inertia_variation(P, dq)
    per_rate = period * (
        (P + np.diag(rotor)) * (K - k) + k * turned + unsure * (k + K)
        + np.einsum("sjkl,sl->sjk", C, u) + np.diag(viscous)
    )  # fmt: skip
    still = (
        P @ da
        + _product(turned, a)
        + np.einsum("sjkl,sk,sl->sj", C, dv, u)
        + np.einsum("sjkl,sk,sl->sj", C, v, du)
        + np.einsum("sjkl,sk,sl->sj", coriolis_variation(P, dq), v, u)
        + gravity * _product(Q[:, later], dq)
        + rotor * da
        + viscous * dv
    )
    r = tube.reference_velocity[order]
    coriolis = np.maximum(np.einsum("sjkl,sk,l->sj", C, v, r), np.einsum("skjl,sl,k->sj", C, v, r))
    unknown = np.sqrt((unsure**2 / rotor_lower).sum(axis=-1))
    unseen = (P + np.diag(rotor)) @ (dq_error + K * q_error)
    unseen = unseen + _inertia_variation(P, np.broadcast_to(q_error, v.shape)) @ r
    lowest = np.abs(motion.velocity.centre) - motion.velocity.reach
    grown = 1.0 + 1024 * EPS
    return TorqueChange(
        still=grown * still[:, back],
        per_rate=grown * per_rate[:, back][:, :, back],
        per_force=grown * period * k,
        rotor=box.rotor_inertia_lower,
        speed_change=dv[:, back],
        slow=(lowest <= max(box.stiction_velocity, 1e-9))[:, back],
        coulomb=box.interval("coulomb")[0],
        stiction=box.stiction_velocity,
        coriolis=grown * coriolis[:, back],
        unknown=grown * unknown[:, back],
        unseen=grown * unseen[:, back],
        period=period,
        edges=found.edges,
    )


def _slices(trajectory: Trajectory, step: float) -> MotionRanges:
    """Return extrema on equal slices that are not shorter than a step."""
    count = max(int(trajectory.duration / step), 1)
    return trajectory.ranges(np.linspace(0.0, trajectory.duration, count + 1))


def _overlapping(found: MotionRanges) -> MotionRanges:
    """Return extrema on slices of which any two instants less than one apart share one."""
    q = _neighbours(found.q_lower, found.q_upper)
    dq = _neighbours(found.dq_lower, found.dq_upper)
    ddq = _neighbours(found.ddq_lower, found.ddq_upper)
    edges = INSTANT * np.arange(len(q[0]) + 1)  # slices so short have no drift
    return MotionRanges(edges, *q, *dq, *ddq)


def _neighbours(lower: Array, upper: Array) -> tuple[Array, Array]:
    """Return extrema on every two slices that follow each other."""
    if len(lower) == 1:
        return lower, upper
    return np.minimum(lower[1:], lower[:-1]), np.maximum(upper[1:], upper[:-1])


def _acceleration_change(trajectory: Trajectory, period: float) -> Array:
    """Return a bound of the change of ddq_d within a period, shape (n,)."""
    fine = _slices(trajectory, max(period, trajectory.duration / MOST_SLICES))
    lower, upper = _neighbours(fine.ddq_lower, fine.ddq_upper)
    return np.asarray((upper - lower).max(axis=0))


def _levers(
    model: ArmModel, box: ParameterBox, motion: SliceMotion, order: list[int]
) -> tuple[Array, Array, Array]:
    """Return P and Q of `remainder` for middle and half-widths together, and |M - M(theta_0)|.

    Shapes (S, n, n), (S, n) and (S, n, n).
    """
    q = motion.position.centre[:, np.argsort(order)]
    axis = body_motion(model, q, np.zeros_like(q)).axis[:, :, order]
    support = model.supports()[:, order]
    revolute = np.linalg.norm(model.axis_angular[order], axis=1) > 0.5
    middle, half = box.bodies
    point = reference_points(middle)
    found = []
    for moments, about in (
        (moments_of(middle, point), point),
        (moments_within(half), np.zeros_like(point)),
    ):
        lever = levers(axis, about, support, revolute, motion.position.reach)
        found.append((lever.pair(moments).sum(axis=1), lever.single(moments).sum(axis=1)))
    (P, Q), (P_half, Q_half) = found
    turned = _inertia_variation(P_half, motion.position.reach)
    own = np.minimum(P_half, inertia_spread(axis, half) + turned)
    return P + P_half, Q + Q_half, own


def _inertia_variation(P: Array, d: Array) -> Array:
    """Return the bound on sum_m |dM_jk/dq_m| d_m, shape (S, n, n)."""
    j, k, m = np.indices((P.shape[1],) * 3, sparse=True)
    change = P[:, np.maximum(j, m), k] + P[:, j, np.maximum(k, m)]
    return np.asarray(((change * (m > np.minimum(j, k))) @ d[:, None, :, None])[..., 0])


def _product(matrix: Array, vector: Array) -> Array:
    """Return the products of S matrices and vectors, shape (S, n)."""
    return np.asarray((matrix @ vector[..., None])[..., 0])
