r"""Which positions can be true: not far outside the joint's limits, and where the velocity leads.

A velocity can be true up to three times the limit of a joint, and 6 pi rad/s or m/s.

A false position is no noise: rows that are made of it say something of a pose that never was, and
may narrow an interval wrongly. Between neighbouring samples, h apart,

    |q_k - q_{k-1} - h (dq_k + dq_{k-1})/2| <= 2 e_q + h e_dq + v (h/4 + s + 2 e_t),

v the joint's largest velocity, e the stated errors of position, velocity and stamp, s `SLACK`: the
measured velocity may be off by a quarter of the largest on the way, be late, or the stamps jitter.
Neighbours in a window always keep this: a sample is compared with the one that was let through
before it, unless a pause lies between them over which nothing is integrated.

Limits of descriptions are often too narrow, and zeros of simulations anywhere: far outside is
farther than the joint's whole range. What is nearer counts, and is told (`doubt_about_range`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...arm.arm_model import ArmModel
from ...arrays import Array, BoolArray
from ...samples.joint_samples import Samples
from ..gate import Numbers, kept_in_turn
from .uncertainty import Uncertainty

SLACK = 0.005  # [s] of motion at the largest velocity that is no jump
OUT = 0.1  # [rad or m] outside the description's limits, from which on that is told
FASTEST = 2.0 * np.pi  # [rad/s or m/s] of joints whose limit is larger, or not known
FARTHEST = (
    1e6  # [rad, rad/s] of a joint that turns without limits: of more, too few digits are left
)
TOO_FAST = 3.0  # of the largest velocity, above which none is true
OUTSIDE, JUMP = "a position far outside the limits of", "a position off its velocity at"
FAST = "a velocity far above the limit of"


class PositionGate:
    """Leaves out samples with positions that cannot be true.

    Attributes:
        dropped: Number of samples left out, by cause and first joint concerned.
    """

    def __init__(self, model: ArmModel, uncertainty: Uncertainty, pause: float) -> None:
        """Prepare for the samples of a run.

        Args:
            model: The arm.
            uncertainty: What is stated.
            pause: Longest time between samples over which rows integrate [s].
        """
        self.dropped: Mapping[str, int] = {}
        self._joints, self._pause = model.joints, pause
        self._continuous = np.array(model.continuous)
        self._lower, self._upper = position_range(model)
        fastest = largest_velocity(model)
        self._fastest = TOO_FAST * np.maximum(stated_velocity(model), FASTEST)
        self._fastest += uncertainty.per_joint("velocity_error", model.n)
        self._slack = 2.0 * uncertainty.per_joint("position_error", model.n)
        self._slack += fastest * (SLACK + 2.0 * uncertainty.stamp_jitter)
        self._slack_rate = uncertainty.per_joint("velocity_error", model.n) + 0.25 * fastest
        self._last = -np.inf, np.zeros(model.n), np.zeros(model.n)  # stamp, q, dq let through

    def let_through(self, samples: Samples) -> Samples:
        """Return the newer samples whose positions can be true."""
        outside = (samples.q < self._lower) | (samples.q > self._upper)
        samples = self._without(samples, outside, OUTSIDE)
        samples = self._without(samples, np.abs(samples.dq) > self._fastest, FAST)
        if not len(samples):
            return samples
        stamp, q, dq = self._last
        keep = self._followed(
            np.append(stamp, samples.stamp),
            np.concatenate([q[None], samples.q]),
            np.concatenate([dq[None], samples.dq]),
        )
        samples = samples if keep.all() else samples.where(keep)
        if len(samples):
            self._last = float(samples.stamp[-1]), samples.q[-1], samples.dq[-1]
        return samples

    def _without(self, samples: Samples, false: BoolArray, cause: str) -> Samples:
        """Return the samples of which nothing is false, shape (N, n), and count the others."""
        some = np.asarray(false.any(axis=1))
        for row in false[some]:
            self._count(cause, row)
        return samples.where(~some) if some.any() else samples

    def _followed(self, stamp: Array, q: Array, dq: Array) -> BoolArray:
        """Return which samples follow from those kept before them, shape (N,).

        Args:
            stamp: Shape (N + 1,), the first that of the newest sample so far [s].
            q: Shape (N + 1, n) [rad or m].
            dq: Shape (N + 1, n) [rad/s or m/s].
        """

        def joints_off(one: Numbers, two: Numbers) -> BoolArray:
            """Tell at which joints samples do not follow from others before them."""
            h = (stamp[two] - stamp[one])[:, None]
            return self._off(h, q[one], q[two], dq[one], dq[two])

        def off(one: Numbers, two: Numbers) -> BoolArray:
            return np.asarray(joints_off(one, two).any(axis=1))

        keep = kept_in_turn(off, len(stamp))
        false = np.flatnonzero(~keep)
        if len(false):
            before = np.maximum.accumulate(np.where(keep, np.arange(len(stamp)), 0))[false]
            for joints in joints_off(before, false):
                self._count(JUMP, joints)
        return keep[1:]

    def _off(self, h: Array, q: Array, q_next: Array, dq: Array, dq_next: Array) -> BoolArray:
        """Return at which joints a sample does not follow from another, h before it."""
        near = h <= self._pause
        h = np.where(near, h, 0.0)
        left = q_next - q
        turns = left[:, self._continuous] / (2.0 * np.pi)
        left[:, self._continuous] = 2.0 * np.pi * (turns - np.round(turns))
        left -= 0.5 * h * (dq_next + dq)
        return np.asarray(near & (np.abs(left) > self._slack + h * self._slack_rate))

    def _count(self, cause: str, joints: BoolArray) -> None:
        """Count a sample at the first of the joints concerned."""
        name = f"{cause} {self._joints[int(np.argmax(joints))]}"
        self.dropped = {**self.dropped, name: self.dropped.get(name, 0) + 1}


def position_range(model: ArmModel) -> tuple[Array, Array]:
    """Return between which positions a true one lies, shape (n,) each [rad or m]."""
    lower, upper = position_limits(model)
    whole = upper - lower
    return lower - whole, upper + whole


def doubt_about_range(model: ArmModel, lower: Array, upper: Array) -> str:
    """Say which joint was outside its limits; empty if none was.

    Args:
        model: The arm.
        lower: Least positions seen, shape (n,) [rad or m].
        upper: Largest positions seen, shape (n,) [rad or m].
    """
    limits = position_limits(model)
    out = np.maximum(limits[0] - lower, upper - limits[1])
    worst = int(np.argmax(out))
    if out[worst] <= OUT:
        return ""
    unit = "rad" if model.axis_angular[worst].any() else "m"
    return (
        f"Positions of {model.joints[worst]} are up to {out[worst]:.2g} {unit} outside its limits: "
        "check zero, unit and order of the joints, or the limits in the description."
    )


def position_limits(model: ArmModel) -> tuple[Array, Array]:
    """Return the limits that the description states, shape (n,) each [rad or m].

    `FARTHEST` where it states none, or one that is larger.
    """
    lower, upper = np.full(model.n, -FARTHEST), np.full(model.n, FARTHEST)
    limits = model.pinocchio.lowerPositionLimit, model.pinocchio.upperPositionLimit
    for joint_id, j in enumerate(model.order, start=1):
        at = model.pinocchio.joints[joint_id].idx_q
        if not model.continuous[j] and limits[0][at] < limits[1][at]:
            lower[j], upper[j] = limits[0][at], limits[1][at]
    return np.maximum(lower, -FARTHEST), np.minimum(upper, FARTHEST)


def largest_velocity(model: ArmModel) -> Array:
    """Return how fast each joint can be, shape (n,) [rad/s or m/s]."""
    stated = stated_velocity(model)
    return np.where((stated > 0.0) & (stated < FASTEST), stated, FASTEST)


def stated_velocity(model: ArmModel) -> Array:
    """Return the velocity limits of the description, 0 without one, shape (n,) [rad/s or m/s].

    `FARTHEST` in place of larger ones, with which descriptions say that there is none.
    """
    stated = np.zeros(model.n)
    for joint_id, j in enumerate(model.order, start=1):
        stated[j] = model.pinocchio.velocityLimit[model.pinocchio.joints[joint_id].idx_v]
    return np.minimum(stated, FARTHEST)
