r"""Families of candidates: motions that are linear in their free parameters.

q(t) = base(t) + sum_i x_i basis_i(t), so that C candidates at N instants are one product of
matrices, and position, velocity and acceleration limits are linear in x.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...arrays import Array
from ...errors import InputError
from ...motion.bezier import BezierPiece
from ...motion.fourier import FourierSeries
from ...motion.limits import MotionLimits
from ...motion.motion_state import MotionState
from ...motion.trajectory import Motion, Trajectory

CHECKS = 48  # instants at which limits shape the family's box
HARMONICS = 5  # of Fourier series
INSIDE = 0.999  # part of kinematic limits that candidates may take between those instants


class Family(Protocol):
    """Motions with parameters x in the box [-1, 1]^P."""

    @property
    def size(self) -> int:
        """Number P of parameters."""
        ...

    @property
    def duration(self) -> float:
        """Length of each motion [s]."""
        ...

    @property
    def calm(self) -> Array:
        """Parameters of the motion with the least acceleration, shape (P,)."""
        ...

    def motion(self, x: Array, time: Array) -> Motion:
        """Return candidates x, shape (C, P), at times (N,) [s]: q, dq, ddq of shape (C, N, n)."""
        ...

    def drawn(self, x: Array) -> Array:
        """Return random candidates as the family prefers to draw them, shape (C, P)."""
        ...

    def trajectory(self, x: Array) -> Trajectory:
        """Return the motion of one candidate, x of shape (P,)."""
        ...


@dataclass(frozen=True)
class BezierFamily:
    """Bezier pieces from one state, x each joint's place in the range of k that limits allow.

    Attributes:
        start: MotionState at time 0.
        duration: Length of the piece [s].
        lower: Least k, shape (n,) [rad or m].
        upper: Largest k, shape (n,).
    """

    start: MotionState
    duration: float
    lower: Array
    upper: Array

    @classmethod
    def within(cls, start: MotionState, duration: float, limits: MotionLimits) -> BezierFamily:
        """Return the pieces that keep position, velocity and acceleration limits.

        Each of these is a(t) + k b(t) for a joint, so that limits leave an interval of k.

        Raises:
            InputError: They leave none for a joint.
        """
        zero = BezierPiece(start, np.zeros(start.n), duration)
        one = BezierPiece(start, np.ones(start.n), duration)
        time = np.linspace(0.0, duration, CHECKS + 1)[1:]
        a, whole = zero.at(time), one.at(time)
        half = (limits.position_upper - limits.position_lower) * (1.0 - INSIDE) / 2
        margin = np.where(np.isfinite(half), half, 0.0)
        speed, acceleration = INSIDE * limits.velocity, INSIDE * limits.acceleration
        ranges = (
            (a.q, whole.q, limits.position_lower + margin, limits.position_upper - margin),
            (a.dq, whole.dq, -speed, speed),
            (a.ddq, whole.ddq, -acceleration, acceleration),
        )
        lower, upper = np.full(start.n, -2 * np.pi), np.full(start.n, 2 * np.pi)
        for base, with_one, least, most in ranges:
            low, high = _interval(base, with_one - base, least, most)
            lower, upper = np.maximum(lower, low), np.minimum(upper, high)
        if (lower > upper).any():
            joint = int(np.argmax(lower - upper))
            raise InputError(
                f"No piece of {duration:g} s from this state keeps the limits of joint number "
                f"{joint + 1} (q = {start.q[joint]:.3f}, dq = {start.dq[joint]:.3f}). Give it more "
                "time, or begin slower or farther from the position limits."
            )
        return cls(start, duration, lower, upper)

    @property
    def size(self) -> int:
        """Number of parameters: one for each joint."""
        return self.start.n

    @property
    def calm(self) -> Array:
        """Parameters of the piece with the least mean square acceleration, shape (n,)."""
        time = np.linspace(0.0, self.duration, CHECKS)
        n = self.start.n
        a = BezierPiece(self.start, np.zeros(n), self.duration).at(time).ddq
        b = BezierPiece(self.start, np.ones(n), self.duration).at(time).ddq - a
        k = -(a * b).sum(axis=0) / (b * b).sum(axis=0)
        half = np.maximum((self.upper - self.lower) / 2, 1e-12)
        return np.clip((k - (self.lower + self.upper) / 2) / half, -1.0, 1.0)

    def k(self, x: Array) -> Array:
        """Return the displacements of candidates, shape (..., n) [rad or m]."""
        return (self.lower + self.upper) / 2 + x * (self.upper - self.lower) / 2

    def motion(self, x: Array, time: Array) -> Motion:
        """Return candidates x, shape (C, P), at times (N,) [s]: q, dq, ddq of shape (C, N, n)."""
        n, k = self.start.n, self.k(x)[:, None]
        zero = BezierPiece(self.start, np.zeros(n), self.duration).at(time)
        one = BezierPiece(self.start, np.ones(n), self.duration).at(time)
        values = [
            getattr(zero, name) + k * (getattr(one, name) - getattr(zero, name))
            for name in ("q", "dq", "ddq")
        ]
        return Motion(time, *values)

    def drawn(self, x: Array) -> Array:
        """Return random candidates as they are."""
        return x

    def trajectory(self, x: Array) -> BezierPiece:
        """Return the motion of one candidate, x of shape (P,)."""
        return BezierPiece(self.start, self.k(x), self.duration)


@dataclass(frozen=True)
class FourierFamily:
    """Rest-to-rest Fourier series from one pose, x the free coefficients as parts of `scale`.

    Attributes:
        start: Pose at both ends, shape (n,) [rad or m].
        duration: Length of the series [s].
        scale: Size of each free coefficient, shape (n, 2, HARMONICS - 1) [rad or m].
    """

    start: Array
    duration: float
    scale: Array

    @classmethod
    def within(cls, start: Array, duration: float, limits: MotionLimits) -> FourierFamily:
        """Return series of which those near the middle of the box keep the kinematic limits.

        A coefficient's size is what the limits allow to it alone; candidates beyond them are
        brought back in by their whole excursion (`motion` and `trajectory` scale alike).
        """
        n = len(start)
        free = np.zeros((n, 2, HARMONICS - 1))
        scale = np.zeros_like(free)
        time = np.linspace(0.0, duration, 4 * CHECKS)
        for index in np.ndindex(2, HARMONICS - 1):
            unit = free.copy()
            unit[:, index[0], index[1]] = 1.0
            motion = FourierSeries.from_free(start, unit, duration).at(time)
            scale[:, index[0], index[1]] = _allowed(motion, start, limits)
        return cls(np.asarray(start, dtype=float), duration, scale)

    @property
    def size(self) -> int:
        """Number of parameters."""
        return self.scale.size

    @property
    def calm(self) -> Array:
        """Parameters of the series that stays where it is, shape (P,)."""
        return np.zeros(self.size)

    def drawn(self, x: Array) -> Array:
        """Return random candidates as they are."""
        return x

    def trajectory(self, x: Array) -> FourierSeries:
        """Return the motion of one candidate, x of shape (P,)."""
        free = self.scale * np.reshape(x, self.scale.shape) / np.sqrt(self.scale[0].size)
        return FourierSeries.from_free(self.start, free, self.duration)

    def motion(self, x: Array, time: Array) -> Motion:
        """Return candidates x, shape (C, P), at times (N,) [s]: q, dq, ddq of shape (C, N, n)."""
        found = [self.trajectory(one).at(time) for one in x]
        return Motion(time, *(np.stack([getattr(m, k) for m in found]) for k in ("q", "dq", "ddq")))


def _interval(a: Array, b: Array, least: Array, most: Array) -> tuple[Array, Array]:
    """Return the k with least <= a + k b <= most at all instants: lower, upper of shape (n,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.sort(np.stack([(least - a) / b, (most - a) / b]), axis=0)
    small = np.abs(b) < 1e-12
    inside = (least - 1e-9 <= a) & (a <= most + 1e-9)
    low = np.where(small, np.where(inside, -np.inf, np.inf), ends[0])
    high = np.where(small, np.where(inside, np.inf, -np.inf), ends[1])
    return low.max(axis=0), high.min(axis=0)


def _allowed(motion: Motion, start: Array, limits: MotionLimits) -> Array:
    """Return by how much each joint's excursion may be multiplied, shape (n,)."""
    room = np.minimum(limits.position_upper - start, start - limits.position_lower)
    parts = [
        np.maximum(room, 0.0) / np.abs(motion.q - start).max(axis=0),
        limits.velocity / np.abs(motion.dq).max(axis=0),
        limits.acceleration / np.abs(motion.ddq).max(axis=0),
    ]
    return np.minimum(INSIDE * np.minimum.reduce(parts), np.pi)
