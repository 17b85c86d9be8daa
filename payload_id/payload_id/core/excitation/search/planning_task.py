r"""What candidates take of the limits, at sampled instants, and what they would teach, all at once.

Torques are linear in the parameters, so that tau +- |W| (half width) is exact over a body's box at
an instant. That is computed for the payload and for the link that carries it, whose intervals may
be wide; the other links' share is measured on a few motions and taken as a constant. Nothing here
is a proof; it only keeps the certifier from being asked in vain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np

from ...arrays import Array
from ...motion.limits import MotionLimits
from ...motion.trajectory import Motion
from ...safety.torque.parameter_box import ParameterBox
from ..candidates.candidates import Family
from ..criteria.condition_number import ConditionNumber
from ..criteria.criterion import Criterion
from ..prediction.candidate_rows import CandidateRows, Collected, RowPredictor
from ..prediction.dynamics import Kinematics, arm_torque, kinematics, regressor
from ..prediction.row_slope import motion_slope
from ..prediction.torque_slope import TorqueSlope
from . import limit_slope

INSTANTS = 24  # at which limits are looked at; not at time 0, which no candidate can change
AFTER = 0.93  # part of the torque that may be taken after the horizon: the next motion begins there
ROOM = 0.03  # ... or this part more than the calm motion takes, whichever is more
TYPICAL = 8  # motions on which the links' share is measured

Clearance = Callable[[Array], Array]  # q (C, N, n) to rough distances to collision (C,) [m]
Peaks = Callable[[Motion], Array]  # N instants of a motion to largest torques (N, n) [N m or N]


@dataclass(frozen=True)
class PlanningTask:
    """What a plan is for.

    Attributes:
        family: The candidates.
        predictor: Predicts their rows.
        criterion: What is minimised.
        collected: Rows so far.
        horizon: Until when the motion's rows count [s].
        limits: What may not be exceeded; torque limits apply to the whole box.
        box: Bounds of payload, links and joints.
        reserve: Torque that the controller may add, shape (n,) [N m or N].
        clearance: Rough distances of sampled configurations; None if there are no bodies.
        peaks: Largest torques over box and tube, for the few candidates that the certifier is to
            be asked for; None if `usage` is to be trusted.
    """

    family: Family
    predictor: RowPredictor
    criterion: Criterion
    collected: Collected
    horizon: float
    limits: MotionLimits
    box: ParameterBox
    reserve: Array | float = 0.0
    clearance: Clearance | None = None
    peaks: Peaks | None = None

    def usage(self, x: Array) -> Array:
        """Return parts of limits that candidates take, 1 at the limit, shape (C, N + 3, n).

        The first N rows are torques at each instant, the last three position, velocity and
        acceleration over all instants.
        """
        motion = self.family.motion(x, self.instants)
        torque = (self._torque(motion) + self._links_share + self.reserve) / self.limits.torque
        if self.horizon < self.family.duration:
            torque[:, self.instants >= self.horizon] /= self._after
        C, _, n = torque.shape
        whole = self.limits.usage_by_joint(motion).reshape(C, 3, n)
        return np.concatenate([torque, whole], axis=1)

    @cached_property
    def _after(self) -> Array:
        """Part of each torque that may be taken after the horizon, shape (n,).

        Less room is kept where even the calm motion leaves less.
        """
        motion = self.family.motion(self.family.calm[None], self.instants)
        torque = (self._torque(motion) + self._links_share + self.reserve)[0]
        late = (torque / self.limits.torque)[self.instants >= self.horizon].max(axis=0)
        return np.clip(late + ROOM, AFTER, 1.0)

    @cached_property
    def instants(self) -> Array:
        """Times at which limits are looked at, shape (N,) [s]."""
        return np.linspace(0.0, self.family.duration, INSTANTS + 1)[1:]

    def _torque(self, motion: Motion) -> Array:
        """Return the largest |torque|, other links at their middle, shape (C, N, n) [N m or N]."""
        state, shape = _states(self, motion), motion.q.shape
        middle, half = self.box.bodies
        wide = [self.predictor.model.payload_joint, self.predictor.model.n]
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
        n, carrier = self.predictor.model.n, self.predictor.model.payload_joint
        rng = np.random.default_rng(0)
        x = rng.uniform(-1.0, 1.0, (TYPICAL, self.family.size))
        half = self.box.bodies[1][:-1].copy()
        half[carrier] = 0.0
        if not half.any():
            return np.zeros(n)
        W = regressor(_states(self, self.family.motion(x, self.instants)), slice(0, n))
        return np.asarray(np.einsum("Nljk,lk->Nj", np.abs(W), half).max(axis=0))

    def missing_torque(self, x: Array, part: float) -> Array:
        """Return by how much one candidate exceeds a part of the torque limits, shape (n,)."""
        if self.peaks is None:
            return np.zeros(self.predictor.model.n)
        motion = self.family.trajectory(x).at(self.instants)
        return np.maximum(self.peaks(motion).max(axis=0) - part * self.limits.torque, 0.0)

    def clearances(self, x: Array) -> Array:
        """Return the rough distances to collision, shape (C,); infinite if nobody knows them."""
        if self.clearance is None or not len(x):
            return np.full(len(x), np.inf)
        return self.clearance(self.family.motion(x, self.instants).q)

    def value(self, x: Array) -> Array:
        """Return the criterion of candidates, shape (C,)."""
        return self.criterion.value(self._rows(x, self.criterion.needs_nuisance), self.collected)

    def condition_number(self, x: Array) -> Array:
        """Return the logarithm of the condition number, which costs less, shape (C,)."""
        return ConditionNumber().value(self._rows(x, nuisance=False), self.collected)

    def _rows(self, x: Array, nuisance: bool) -> CandidateRows:
        """Return the rows of candidates."""
        motion = partial(self.family.motion, x)
        return self.predictor.rows(motion, self.horizon, nuisance=nuisance, points=1)

    def value_and_gradient(self, x: Array) -> tuple[float, Array]:
        """Return the criterion at x, shape (P,), and its gradient."""
        rows = self._rows(x[None], self.criterion.needs_nuisance)
        by_rows = self.criterion.slope(rows, self.collected)
        motion = one_of(self.family.motion(x[None], self._row_instants))
        by_motion = motion_slope(self.predictor, self.torque_slope, motion, by_rows)
        slope = np.einsum("Ndj,dPNj->P", by_motion, self._row_basis)
        return float(self.criterion.value(rows, self.collected)[0]), slope

    @cached_property
    def _row_instants(self) -> Array:
        """Times at which rows are predicted, shape (N,) [s]."""
        return self.predictor.instants(self.horizon, 1)

    @cached_property
    def _row_basis(self) -> Array:
        """Derivatives of q, dq, ddq there by the parameters, shape (3, P, N, n)."""
        return basis(self.family, self._row_instants)

    @cached_property
    def torque_slope(self) -> TorqueSlope:
        """Differentiates torques of this arm."""
        return TorqueSlope(self.predictor.model)

    def usage_and_gradient(self, x: Array) -> tuple[Array, Array]:
        """Return `usage` at x, flat, shape (K,), and its Jacobian, shape (K, P)."""
        usage, basis = self.usage(x[None])[0], self._usage_basis
        motion = one_of(self.family.motion(x[None], self.instants))
        torque = limit_slope.torque_slope(self.torque_slope, self.box, self.limits, motion, basis)
        if self.horizon < self.family.duration:
            torque[self.instants >= self.horizon] /= self._after[:, None]
        whole = limit_slope.kinematic_slope(self.limits, motion, basis)
        return usage.ravel(), np.concatenate([torque, whole]).reshape(usage.size, -1)

    @cached_property
    def _usage_basis(self) -> Array:
        """Derivatives of q, dq, ddq at the instants by the parameters, shape (3, P, N, n)."""
        return basis(self.family, self.instants)


@dataclass
class Counter:
    """How many candidates were evaluated so far, and how many may be."""

    limit: float = np.inf
    used: int = field(default=0)

    def take(self, count: int) -> None:
        """Count evaluations."""
        self.used += count

    @property
    def spent(self) -> bool:
        """Whether there are none left."""
        return self.used >= self.limit


def _states(task: PlanningTask, motion: Motion) -> Kinematics:
    """Return the kinematics of all candidates at all instants, one after the other."""
    n = motion.q.shape[2]
    flat = (value.reshape(-1, n) for value in (motion.q, motion.dq, motion.ddq))
    return kinematics(task.predictor.model, *flat)


def basis(family: Family, time: Array) -> Array:
    """Return the derivatives of q, dq, ddq by a linear family's parameters, (3, P, N, n)."""
    motion = family.motion(np.vstack([np.zeros(family.size), np.eye(family.size)]), time)
    return np.stack([part[1:] - part[0] for part in (motion.q, motion.dq, motion.ddq)])


def one_of(motion: Motion) -> Motion:
    """Return the motion of one candidate."""
    return Motion(motion.time, motion.q[0], motion.dq[0], motion.ddq[0])
