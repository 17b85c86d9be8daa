r"""Joint torques over slices of time, for every parameter in a box and every state in a tube.

The torque is linear in theta = theta_0 + Delta u, |u| <= 1. About the middle of a slice,

    tau_j = W theta_0 + a'u + sum_k x_k (b_k + c_k'u) + R,     a = W Delta,  b_k = dW/dx_k theta_0,
                                                               c_k = dW/dx_k Delta,

x_k the distance to the middle along each direction: time, and for each joint position, velocity and
acceleration; |x_k| <= r_k. `linear_terms` has W and its derivatives, `remainder` the bound of R.
What is left is to maximise a bilinear form over two boxes (`bilinear_bound`), for each bound only
when it is asked for; plain interval arithmetic would count every joint's motion many times over.
docs/proofs.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arm.arm_model import ArmModel
from ...arrays import Array, IntArray
from ...errors import InputError
from ...motion.trajectory import MotionRanges
from ..tube.tracking_tube import TrackingTube
from .bilinear_bound import SPLITS, bilinear_bound
from .joint_terms import JointTerms, joint_terms
from .linear_terms import base_to_tip, body_terms
from .parameter_box import ParameterBox
from .remainder import Remainder
from .slice_motion import SliceMotion


@dataclass(frozen=True, eq=False)
class SliceTorqueBounds:
    """Bounds that hold at every time of a slice, for every theta and every state in the tube.

    All bounds are of shape (K, n) [N m or N].

    Attributes:
        matters: Least and largest |torque| between which lower and upper bounds are to be close,
            shape (n,) each, base to tip as all but the bounds.
    """

    form: _BilinearForm
    remainder: Remainder
    joints: JointTerms
    back: IntArray
    splits: int
    matters: tuple[Array, Array]

    @cached_property
    def lower(self) -> Array:
        """M ddq_a + C dq_a + g + friction is not below, for every theta in the box."""
        return (self.form.value - self._added(-1.0) - self._rest)[:, self.back]

    @cached_property
    def upper(self) -> Array:
        """... not above."""
        return (self.form.value + self._added(1.0) + self._rest)[:, self.back]

    def _added(self, sign: float) -> Array:
        """Return what upper (sign 1) or lower bounds (-1) have beyond value and rest, (K, n)."""
        form = self.form
        room = (x - sign * form.value - self._rest for x in self.matters)
        return form.above(form.b, sign * form.c, self.splits, *room)

    @cached_property
    def nominal_lower(self) -> Array:
        """The same for theta_0, the middle of the box."""
        return (self.form.value - self._nominal_rest)[:, self.back]

    @cached_property
    def nominal_upper(self) -> Array:
        """... not above."""
        return (self.form.value + self._nominal_rest)[:, self.back]

    @cached_property
    def disturbance(self) -> Array:
        """Bound on the difference that theta - theta_0 makes, |w_j|."""
        return self._disturbance(-np.inf)

    @cached_property
    def largest_disturbance(self) -> Array:
        """The same, but close only where it may be the largest of all slices."""
        least = self.form.least + self._rest_of_disturbance
        return self._disturbance(least.max(axis=0))

    def _disturbance(self, enough: Array | float) -> Array:
        """Return the bound, which need not be close below a value."""
        form, rest = self.form, self._rest_of_disturbance
        ends = np.broadcast_to(enough - rest, rest.shape), np.full(rest.shape, np.inf)
        return (form.above(np.zeros_like(form.b), form.c, self.splits, *ends) + rest)[:, self.back]

    @property
    def _rest_of_disturbance(self) -> Array:
        return self._unknown + self.joints.half_rest

    @property
    def _unknown(self) -> Array:
        return self.remainder.half + self.remainder.tilted

    @property
    def _rest(self) -> Array:
        return self.remainder.middle + self._unknown + self.joints.full_rest

    @property
    def _nominal_rest(self) -> Array:
        return self.form.spread + self.remainder.middle + self.joints.middle_rest

    def commanded(self, tube: TrackingTube) -> tuple[Array, Array]:
        """Return bounds of what the actuators must give, shape (K, n) each.

        Under the robust controller that is the nominal torque and the robust input; otherwise the
        torque that the arm's real motion takes.
        """
        if tube.kind != "robust":
            return self.lower, self.upper
        v = tube.feedback_torque(self.disturbance)
        return self.nominal_lower - v, self.nominal_upper + v


def slice_torque_bounds(
    model: ArmModel,
    ranges: MotionRanges,
    tube: TrackingTube,
    box: ParameterBox,
    parts: int = 1,
    splits: int = SPLITS,
    matters: tuple[Array | float, Array | float] = (-np.inf, np.inf),
) -> SliceTorqueBounds:
    """Return rigorous bounds of the joint torques on the slices of a motion.

    Args:
        model: The arm, n joints.
        ranges: Extrema of the desired motion on K slices, or on each of the parts of K slices.
        tube: How far the arm, and the controller's reference, may be from the desired motion.
        box: Intervals of all parameters.
        parts: How many successive ranges make one slice; more of them cost little, and tell how
            the motion goes on within it.
        splits: How often a bound that is not near is split; see `bilinear_bound`.
        matters: Least and largest |torque| between which bounds are to be close, shape (n,) each:
            less will do as it is, and more cannot be proved on these slices [N m or N].

    Raises:
        InputError: Motion, tube or box are of another number of joints, or the number of ranges is
            no multiple of `parts`.
    """
    _check(model, ranges, tube, box)
    order = base_to_tip(model)
    back = np.argsort(order)
    if parts < 1 or len(ranges) % parts:
        raise InputError(f"{len(ranges)} ranges cannot be taken together in groups of {parts!r}.")
    motion = SliceMotion.of(ranges, tube, parts).take(order)
    centre = (motion.position, motion.desired_velocity, motion.reference_acceleration)
    terms = body_terms(model, order, *(part.centre for part in centre))
    middle, half = box.bodies
    remainder = Remainder.of(model, order, motion, terms.axis, middle, half, box.gravity_error)
    joints = joint_terms(box, order, motion)
    form = _bilinear_form(terms.value, terms.slope, middle, half, motion, joints)
    least, most = (np.broadcast_to(x, model.n)[order] for x in matters)
    return SliceTorqueBounds(form, remainder, joints, back, splits, (least, most))


@dataclass(frozen=True, eq=False)
class _BilinearForm:
    """W theta_0, b, a and c for each slice and joint; radii are multiplied into b and c.

    Attributes:
        value: W theta_0, shape (K, n).
        b: r_k b_k, shape (K, n, D).
        a: Shape (K, n, p).
        c: r_k c_kp, shape (K, n, D, p).
    """

    value: Array
    b: Array
    a: Array
    c: Array

    @property
    def spread(self) -> Array:
        """Largest |sum_k x_k b_k|, shape (K, n)."""
        return np.asarray(np.abs(self.b).sum(axis=-1))

    @property
    def least(self) -> Array:
        """What a'u + x'c u takes at u = sign(a) and the best x, shape (K, n)."""
        taken = (self.c @ np.sign(self.a)[..., None])[..., 0]
        return np.asarray(np.abs(self.a).sum(axis=-1) + np.abs(taken).sum(axis=-1))

    def above(self, b: Array, c: Array, splits: int, *ends: Array) -> Array:
        """Return a bound of a'u + x'b + x'c u, shape (K, n); `ends` as of `bilinear_bound`."""
        K, n, D, p = c.shape
        forms = (self.a.reshape(K * n, p), b.reshape(K * n, D), c.reshape(K * n, D, p))
        return bilinear_bound(*forms, splits, *(x.reshape(K * n) for x in ends)).reshape(K, n)


def _bilinear_form(
    value: Array,
    slope: Array,
    middle: Array,
    half: Array,
    motion: SliceMotion,
    joints: JointTerms,
) -> _BilinearForm:
    """Return the form of all bodies; parameters that are known exactly are not in a and c."""
    K, B, n, D, _ = slope.shape
    radius, drift = _radii(motion)
    body, parameter = np.nonzero(half)
    width = half[body, parameter]
    a = value[:, body, :, parameter].transpose(1, 2, 0) * width
    c = slope[:, body, :, :, parameter].transpose(1, 2, 3, 0) * width
    b = np.tensordot(slope.transpose(0, 2, 3, 1, 4), middle, axes=2) + joints.slope
    along = (c.transpose(0, 1, 3, 2) @ drift[:, None, :, None])[..., 0][:, :, None]
    c = np.concatenate([c * radius[:, None, :, None], along], axis=2)
    b_along = (b @ drift[..., None])[..., 0][..., None]
    b = np.concatenate([b * radius[:, None], b_along], axis=2)
    total = np.tensordot(value.transpose(0, 2, 1, 3), middle, axes=2) + joints.value
    return _BilinearForm(total, b, a, c)


def _radii(motion: SliceMotion) -> tuple[Array, Array]:
    """Return rest and drift along the 3 n directions, shape (K, 3 n) each.

    Velocity and reference velocity share a direction, that of both together: what they have in
    common is along it, and of what either has alone half.
    """
    q, dq, ddq = motion.position, motion.desired_velocity, motion.reference_acceleration
    alone = motion.velocity.rest + motion.reference_velocity.rest - 2.0 * dq.rest
    radius = np.concatenate([q.rest, dq.rest + 0.5 * alone, ddq.rest], axis=1)
    return radius, np.concatenate([q.drift, dq.drift, ddq.drift], axis=1)


def _check(model: ArmModel, ranges: MotionRanges, tube: TrackingTube, box: ParameterBox) -> None:
    """Raise unless all are of the same number of joints."""
    found = {"motion": ranges.q_lower.shape[1], "tube": tube.n, "parameter box": box.n}
    for name, n in found.items():
        if n != model.n:
            raise InputError(
                f"The {name} is of {n} joints, the arm '{model.name}' has {model.n}; give one for "
                "this arm."
            )
