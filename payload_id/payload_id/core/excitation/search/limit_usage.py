r"""What candidates take of the limits, at sampled instants, many candidates at once.

Torques are linear in the parameters, so that tau +- |W| (half width) is exact over a body's box at
an instant. That is computed for the payload and for the link that carries it, whose intervals may
be wide; the other links' share is measured on a few motions and taken as a constant. Nothing here
is a proof; it only keeps the certifier from being asked in vain.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Array
from ...motion.limits import MotionLimits
from ...motion.trajectory import Motion
from ...safety.torque.parameter_box import ParameterBox
from ..candidates.candidates import Family
from ..candidates.sampled_family import SampledFamily
from ..prediction.dynamics import Kinematics, arm_torque, kinematics, regressor
from ..prediction.torque_slope import TorqueSlope
from .limit_slope import kinematic_slope, torque_slope
from .next_piece import next_piece

INSTANTS = 24  # at which limits are looked at; not at time 0, which no candidate can change
AFTER = 0.93  # part of the torque that may be taken after the horizon: the next motion begins there
ROOM = 0.03  # ... or this part more than the calm motion takes, whichever is more
TYPICAL = 8  # motions on which the links' share is measured


@dataclass(frozen=True)
class LimitUsage:
    """Parts of limits that candidates of a family take.

    Attributes:
        family: The candidates.
        horizon: Until when a motion is followed for certain [s].
        limits: What may not be exceeded; torque limits apply to the whole box.
        box: Bounds of payload, links and joints.
        reserve: Torque that the controller may add, shape (n,) [N m or N].
        torque_slope: Differentiates torques of the arm.
    """

    family: Family
    horizon: float
    limits: MotionLimits
    box: ParameterBox
    reserve: Array | float
    torque_slope: TorqueSlope

    def __call__(self, x: Array) -> Array:
        """Return parts of limits that candidates take, 1 at the limit, shape (C, N + 3, n).

        The first N rows are torques at each instant, the last three position, velocity and
        acceleration over all instants.
        """
        motion = self.sampled.motion(x)
        torque = (self._torque(motion) + self._links_share + self.reserve) / self.limits.torque
        if self.horizon < self.family.duration:
            torque[:, self.instants >= self.horizon] /= self._after
        whole = self.limits.usage(motion)
        if self._next is not None:
            after = self.limits.usage(self._next.motion(x))
            whole = np.maximum(whole, after / self._next_part)
        return np.concatenate([torque, whole], axis=1)

    def gradient(self, x: Array) -> Array:
        """Return the Jacobian of the parts at x, flat, by its parameters, shape (K, P)."""
        motion, by_parameters = self.sampled.one(x), self.sampled.slope
        torque = torque_slope(self.torque_slope, self.box, self.limits, motion, by_parameters)
        if self.horizon < self.family.duration:
            torque[self.instants >= self.horizon] /= self._after[:, None]
        whole = kinematic_slope(self.limits, motion, by_parameters)
        if self._next is not None:
            after = self._next.one(x)
            part = self._next_part[..., None]
            by_next = kinematic_slope(self.limits, after, self._next.slope) / part
            own, other = (self.limits.usage(each) for each in (motion, after))
            whole = np.where((other / self._next_part > own)[..., None], by_next, whole)
        return np.concatenate([torque, whole]).reshape(-1, len(x))

    @cached_property
    def sampled(self) -> SampledFamily:
        """The candidates at the instants."""
        return SampledFamily.of(self.family, self.instants)

    @cached_property
    def instants(self) -> Array:
        """Times at which limits are looked at, shape (N,) [s]."""
        return np.linspace(0.0, self.family.duration, INSTANTS + 1)[1:]

    @cached_property
    def _next(self) -> SampledFamily | None:
        """A plain piece after the handover; None if the motion is followed to its end."""
        if self.horizon >= self.family.duration:
            return None
        return next_piece(self.family, self.horizon)

    @cached_property
    def _next_part(self) -> Array:
        """Part of kinematic limits that it may take, 1 or what the calm one takes, shape (3, n)."""
        if self._next is None:
            return np.ones((3, self.torque_slope.model.n))
        calm = self.limits.usage(self._next.one(self.family.calm))
        return np.maximum(calm + ROOM, 1.0)

    @cached_property
    def _after(self) -> Array:
        """Part of each torque that may be taken after the horizon, shape (n,).

        Less room is kept where even the calm motion leaves less.
        """
        motion = self.sampled.motion(self.family.calm[None])
        torque = (self._torque(motion) + self._links_share + self.reserve)[0]
        late = (torque / self.limits.torque)[self.instants >= self.horizon].max(axis=0)
        return np.clip(late + ROOM, AFTER, 1.0)

    def _torque(self, motion: Motion) -> Array:
        """Return the largest |torque|, other links at their middle, shape (C, N, n) [N m or N]."""
        state, shape = self._states(motion), motion.q.shape
        middle, half = self.box.bodies
        wide = [self.torque_slope.model.payload_joint, self.torque_slope.model.n]
        W = regressor(state, wide)
        torque = arm_torque(state, middle[:-1]) + W[:, 1] @ middle[-1]
        spread = np.einsum("Nljk,lk->Nj", np.abs(W), half[wide])
        rotor, rotor_half = self.box.interval("rotor_inertia")
        dq, ddq = motion.dq.reshape(-1, shape[2]), motion.ddq.reshape(-1, shape[2])
        spread += rotor_half * np.abs(ddq) + self.box.viscous_upper * np.abs(dq)
        spread += self.box.coulomb_upper
        return np.asarray((np.abs(torque + rotor * ddq) + spread).reshape(shape))

    @cached_property
    def _links_share(self) -> Array:
        """What the other links' intervals add to the torque, shape (n,) [N m or N]."""
        n, carrier = self.torque_slope.model.n, self.torque_slope.model.payload_joint
        rng = np.random.default_rng(0)
        x = rng.uniform(-1.0, 1.0, (TYPICAL, self.family.size))
        half = self.box.bodies[1][:-1].copy()
        half[carrier] = 0.0
        if not half.any():
            return np.zeros(n)
        W = regressor(self._states(self.sampled.motion(x)), slice(0, n))
        return np.asarray(np.einsum("Nljk,lk->Nj", np.abs(W), half).max(axis=0))

    def _states(self, motion: Motion) -> Kinematics:
        """Return the kinematics of all candidates at all instants, one after the other."""
        n = motion.q.shape[2]
        flat = (value.reshape(-1, n) for value in (motion.q, motion.dq, motion.ddq))
        return kinematics(self.torque_slope.model, *flat)
