r"""Fourier series that begin and end at rest in one pose [Swevers1997, with rest at both ends].

    q_j(t) = q0_j + sum_k a_jk (cos(k w t) - 1) + b_jk sin(k w t),   w = 2 pi / duration.

Velocity and acceleration vanish at both ends iff  sum_k k b_jk = 0  and  sum_k k^2 a_jk = 0; the
coefficients are written in a basis of those that do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.linalg import null_space

from ..arrays import Array, IntArray
from ..errors import InputError
from .piece import Piece
from .trajectory import Trajectory


@dataclass(frozen=True)
class FourierSeries(Trajectory):
    """A rest-to-rest motion of n joints with K harmonics.

    Attributes:
        start: Pose at both ends, shape (n,) [rad or m].
        cosine: a, shape (n, K).
        sine: b, shape (n, K).
        duration: Length of the motion [s].
    """

    start: Array
    cosine: Array
    sine: Array
    duration: float

    family: ClassVar[str] = "fourier"

    @classmethod
    def from_free(cls, start: Array, free: Array, duration: float) -> FourierSeries:
        """Return the series with given free coefficients.

        Args:
            start: Pose at both ends, shape (n,) [rad or m].
            free: Any numbers, shape (n, 2, K - 1), for K harmonics.
            duration: Length of the motion [s].

        Raises:
            InputError: There are fewer than two harmonics, or the duration is not positive.
        """
        harmonics = free.shape[2] + 1
        if harmonics < 2 or not duration > 0:
            raise InputError(
                f"A rest-to-rest Fourier series needs at least 2 harmonics and a duration above "
                f"0 s; found {harmonics} and {duration!r}."
            )
        k = np.arange(1.0, harmonics + 1)
        cosine = free[:, 0] @ null_space(k[None] ** 2).T
        sine = free[:, 1] @ null_space(k[None]).T
        return cls(np.asarray(start, dtype=float), cosine, sine, duration)

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The whole series."""
        return (Piece.whole(Harmonics(self.start, self.cosine, self.sine), self.duration),)

    def scaled(self, factor: Array) -> FourierSeries:
        """Return the series with each joint's excursion multiplied, factor of shape (n,)."""
        return FourierSeries(
            self.start, self.cosine * factor[:, None], self.sine * factor[:, None], self.duration
        )


@dataclass(frozen=True, eq=False)
class Harmonics:
    """q_j(s) = start_j + sum_k a_jk (cos(2 pi k s) - 1) + b_jk sin(2 pi k s).

    Attributes:
        start: Shape (n,) [rad or m].
        cosine: a, shape (n, K).
        sine: b, shape (n, K).
    """

    start: Array
    cosine: Array
    sine: Array

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.start)

    @cached_property
    def _rates(self) -> Array:
        """Angular frequency of each harmonic, shape (K,) [rad]."""
        return 2 * np.pi * np.arange(1.0, self.cosine.shape[1] + 1)

    def derivative(self, order: int, s: Array, joint: IntArray) -> Array:
        """Return a derivative of the position of joint[i] at s[i], shape (P,)."""
        angle = s[:, None] * self._rates + order * (np.pi / 2)  # d/ds cos(x) = cos(x + pi / 2)
        scale = self._rates**order
        a, b = self.cosine[joint] * scale, self.sine[joint] * scale
        value = np.einsum("pk,pk->p", a, np.cos(angle)) + np.einsum("pk,pk->p", b, np.sin(angle))
        if order == 0:
            value += (self.start - self.cosine.sum(axis=1))[joint]
        return np.asarray(value)

    def derivatives(self, s: Array, count: int = 6) -> Array:
        """Return derivatives of order 0, 1, ... of all positions at s (N,), shape (count, N, n)."""
        rate = self._rates
        cos, sin = np.cos(np.outer(s, rate)), np.sin(np.outer(s, rate))
        a, b = self.cosine.T, self.sine.T
        out = np.empty((count, len(s), self.n))
        for order in range(count):
            out[order] = (cos * rate**order) @ a + (sin * rate**order) @ b
            cos, sin = -sin, cos
        out[0] += self.start - self.cosine.sum(axis=1)
        return out

    def largest(self, order: int) -> Array:
        """Return a bound on |derivative|, shape (n,)."""
        amplitude = np.hypot(self.cosine, self.sine)
        constant = np.abs(self.start) + np.abs(self.cosine).sum(axis=1) if order == 0 else 0.0
        return np.asarray(amplitude @ self._rates**order + constant)

    def rounding(self, order: int) -> Array:
        """Return a bound on the floating-point error of a derivative, shape (n,).

        An angle of size x is rounded by a few eps x before its cosine is taken.
        """
        return self.largest(order) * (4.0 * np.finfo(float).eps * (self._rates[-1] + 10.0))
