"""Candidates with waves: see `wave`; limits are kept joint by joint when candidates are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Array
from ...motion.limits import MotionLimits, finite_middle
from ...motion.motion_state import MotionState
from ...motion.trajectory import Motion
from ...motion.wave import WavePiece
from .candidates import CHECKS, INSIDE, BezierFamily

WAVES = 2


@dataclass(frozen=True)
class WaveFamily:
    """Wave pieces from one state; x is each joint's k, then its waves, as parts of a range.

    Attributes:
        bezier: The pieces without waves.
        size_of_wave: What limits leave to each wave alone, shape (n, W) [rad or m].
        limits: Position, velocity and acceleration that candidates keep.
    """

    bezier: BezierFamily
    size_of_wave: Array
    limits: MotionLimits

    @classmethod
    def within(cls, start: MotionState, duration: float, limits: MotionLimits) -> WaveFamily:
        """Return the pieces from a state.

        Raises:
            InputError: Limits leave no piece for a joint.
        """
        bezier = BezierFamily.within(start, duration, limits)
        rest, none = MotionState.at_rest(np.zeros(start.n)), np.zeros(start.n)
        time = np.linspace(0.0, duration, CHECKS + 1)
        size = np.empty((start.n, WAVES))
        for i in range(WAVES):
            unit = np.zeros((start.n, WAVES))
            unit[:, i] = 1.0
            motion = WavePiece(rest, none, unit, duration).at(time)
            speed = limits.velocity / np.abs(motion.dq).max(axis=0)
            size[:, i] = np.minimum(speed, limits.acceleration / np.abs(motion.ddq).max(axis=0))
        return cls(bezier, np.minimum(size, np.pi), limits)

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.bezier.size

    @property
    def size(self) -> int:
        """Number of parameters."""
        return self.n * (1 + self.size_of_wave.shape[1])

    @property
    def duration(self) -> float:
        """Length of each motion [s]."""
        return self.bezier.duration

    @property
    def calm(self) -> Array:
        """Parameters of the piece with the least acceleration and no waves, shape (P,)."""
        return np.append(self.bezier.calm, np.zeros(self.size - self.n))

    def trajectory(self, x: Array) -> WavePiece:
        """Return the motion of one candidate, x of shape (P,)."""
        wave = x[self.n :].reshape(self.n, -1) * self.size_of_wave
        return WavePiece(self.bezier.start, self.bezier.k(x[: self.n]), wave, self.duration)

    def motion(self, x: Array, time: Array) -> Motion:
        """Return candidates x, shape (C, P), at times (N,) [s]: q, dq, ddq of shape (C, N, n)."""
        base = self.bezier.motion(x[:, : self.n], time)
        sizes = x[:, self.n :].reshape(len(x), self.n, -1) * self.size_of_wave
        unit = self._unit.at(time)
        waves = np.stack([unit.q, unit.dq, unit.ddq])  # (3, N, W)
        added = np.einsum("cjw,dNw->dcNj", sizes, waves)
        return Motion(time, base.q + added[0], base.dq + added[1], base.ddq + added[2])

    @cached_property
    def _unit(self) -> WavePiece:
        """Each wave by itself, as if it were a joint."""
        count = self.size_of_wave.shape[1]
        rest = MotionState.at_rest(np.zeros(count))
        return WavePiece(rest, np.zeros(count), np.eye(count), self.duration)

    def drawn(self, x: Array) -> Array:
        """Return candidates of which every joint is as near the calm one as its limits ask."""
        C, n, calm = len(x), self.n, self.calm
        time = np.linspace(0.0, self.duration, 2 * CHECKS + 1)[1:]  # waves are short
        rest, whole = self.motion(calm[None], time), self.motion(x, time)
        middle = finite_middle(self.limits.position_lower, self.limits.position_upper)
        room = INSIDE * (self.limits.position_upper - middle)
        part = np.ones((C, n))
        speed, acceleration = INSIDE * self.limits.velocity, INSIDE * self.limits.acceleration
        for name, centre, half in (
            ("q", middle, room),
            ("dq", 0.0, speed),
            ("ddq", 0.0, acceleration),
        ):
            a = getattr(rest, name) - centre
            step = getattr(whole, name) - getattr(rest, name)
            with np.errstate(divide="ignore", invalid="ignore"):
                allowed = (half - np.sign(step) * a) / np.abs(step)
            allowed = np.where(np.abs(step) < 1e-12, 1.0, np.maximum(allowed, 0.0))
            part = np.minimum(part, allowed.min(axis=1))
        waves = np.repeat(part, self.size_of_wave.shape[1], axis=1)
        return np.asarray(calm + np.concatenate([part, waves], axis=1) * (x - calm))
