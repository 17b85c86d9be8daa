r"""What candidates take of the limits, at sampled instants, and what they would teach: all at once.

Torques are exact over the payload's box at each instant, tau + W phi_mid +- |W| (half width), since
they are linear in phi; the links' share is a margin in proportion to the torque. Nothing here is a
proof; it only keeps the certifier from being asked in vain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..inertial import Array
from .candidate_rows import Collected, RowPredictor
from .candidates import Family
from .criteria.criterion import Criterion
from .dynamics import arm_torque, kinematics, payload_regressor
from .limits import MotionLimits

INSTANTS = 24  # at which torques are looked at; not at time 0, which no candidate can change
AFTER = 0.93  # part of the torque that may be taken after the horizon: the next motion begins there
DIFFERENCE = 1e-5  # step of central differences in x

Clearance = Callable[[Array], Array]  # q (C, N, n) to what keeps it from collision (C,), above 0


@dataclass(frozen=True)
class Task:
    """What a plan is for.

    Attributes:
        family: The candidates.
        predictor: Predicts their rows.
        criterion: What is minimised.
        collected: Rows so far.
        horizon: Until when the motion's rows count [s].
        limits: What may not be exceeded.
        payload_lower: Least phi, shape (10,).
        payload_upper: Largest phi, shape (10,).
        clearance: Rough distance to collision of sampled configurations; None if there is none.
    """

    family: Family
    predictor: RowPredictor
    criterion: Criterion
    collected: Collected
    horizon: float
    limits: MotionLimits
    payload_lower: Array
    payload_upper: Array
    clearance: Clearance | None = None

    def usage(self, x: Array) -> Array:
        """Return parts of limits that candidates take, shape (C, constraints), 1 at the limit.

        Columns: torque of each joint at each instant, then position, velocity and acceleration of
        each joint over all instants.
        """
        time = self._instants
        motion = self.family.motion(x, time)
        C, N, n = motion.q.shape
        flat = (value.reshape(C * N, n) for value in (motion.q, motion.dq, motion.ddq))
        state = kinematics(self.predictor.model, *flat)
        W, bare = payload_regressor(state), arm_torque(state)
        middle = (self.payload_lower + self.payload_upper) / 2
        spread = np.abs(W) @ ((self.payload_upper - self.payload_lower) / 2)
        unsure = self.predictor.maker.uncertainty.link_relative * np.abs(bare)
        torque = (np.abs(bare + W @ middle) + spread + unsure) / self.limits.torque
        torque = torque.reshape(C, N, n)
        torque[:, time >= self.horizon] /= AFTER if self.horizon < self.family.duration else 1.0
        whole = self.limits.usage_by_joint(motion)
        return np.concatenate([torque.reshape(C, N * n), whole], axis=1)

    @property
    def _instants(self) -> Array:
        """Times at which limits are looked at, shape (N,) [s]."""
        return np.linspace(0.0, self.family.duration, INSTANTS + 1)[1:]

    def clearances(self, x: Array) -> Array:
        """Return the rough distances to collision, shape (C,); infinite if nobody knows them."""
        if self.clearance is None:
            return np.full(len(x), np.inf)
        return self.clearance(self.family.motion(x, self._instants).q)

    def value(self, x: Array) -> Array:
        """Return the criterion of candidates, shape (C,)."""
        rows = self.predictor.rows(
            lambda time: self.family.motion(x, time),
            self.horizon,
            nuisance=self.criterion.needs_nuisance,
            points=1,
        )
        return self.criterion.value(rows, self.collected)

    def value_and_gradient(self, x: Array) -> tuple[float, Array]:
        """Return the criterion at x, shape (P,), and its gradient, by central differences."""
        values = self.value(_star(x))
        return float(values[0]), _slope(values, len(x))

    def usage_and_gradient(self, x: Array) -> tuple[Array, Array]:
        """Return `usage` at x, shape (K,), and its Jacobian, shape (K, P)."""
        values = self.usage(_star(x))
        return values[0], _slope(values, len(x)).T


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


def _star(x: Array) -> Array:
    """Return x and its neighbours along each parameter, shape (1 + 2 P, P)."""
    steps = DIFFERENCE * np.eye(len(x))
    return np.concatenate([x[None], x + steps, x - steps])


def _slope(values: Array, P: int) -> Array:
    """Return the derivatives along each parameter from values at the star, shape (P, ...)."""
    return np.asarray((values[1 : 1 + P] - values[1 + P :]) / (2 * DIFFERENCE))
