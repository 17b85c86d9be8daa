r"""Fourier series that begin and end at rest in one pose [Swevers1997, with rest at both ends].

    q_j(t) = q0_j + sum_k a_jk (cos(k w t) - 1) + b_jk sin(k w t),   w = 2 pi / duration.

Velocity and acceleration vanish at both ends iff  sum_k k b_jk = 0  and  sum_k k^2 a_jk = 0; the
coefficients are written in a basis of those that do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import null_space

from ..arrays import Array, IntArray
from ..errors import InputError
from .extrema import ranges_of
from .trajectory import Motion, MotionRanges

FAMILY = "fourier"


@dataclass(frozen=True)
class FourierSeries:
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

    def at(self, time: Array) -> Motion:
        """Return the motion at times in [0, duration], shape (N,) [s]."""
        rate = self._rates
        cos, sin = np.cos(np.outer(time, rate)), np.sin(np.outer(time, rate))
        a, b = self.cosine.T, self.sine.T
        return Motion(
            time=np.asarray(time, dtype=float),
            q=self.start + (cos - 1.0) @ a + sin @ b,
            dq=(-sin * rate) @ a + (cos * rate) @ b,
            ddq=(-cos * rate**2) @ a + (-sin * rate**2) @ b,
        )

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.start)

    @property
    def _rates(self) -> Array:
        """Angular frequency of each harmonic, shape (K,) [rad/s]."""
        return 2 * np.pi / self.duration * np.arange(1.0, self.cosine.shape[1] + 1)

    def ranges(self, edges: Array) -> MotionRanges:
        """Return rigorous extrema on the slices between edges, shape (K + 1,) [s].

        Raises:
            InputError: The edges do not increase or leave [0, duration].
        """
        return ranges_of(self, edges, self.duration)

    def derivative(self, order: int, time: Array, joint: IntArray) -> Array:
        """Return a derivative of the position of joint[i] at time[i], shape (P,)."""
        rate = self._rates
        angle = time[:, None] * rate + order * (np.pi / 2)  # d/dt cos(x) = cos(x + pi / 2)
        a, b = self.cosine[joint] * rate**order, self.sine[joint] * rate**order
        value = np.einsum("pk,pk->p", a, np.cos(angle)) + np.einsum("pk,pk->p", b, np.sin(angle))
        if order == 0:
            value += (self.start - self.cosine.sum(axis=1))[joint]
        return np.asarray(value)

    def derivatives(self, time: Array) -> Array:
        """Return derivatives of order 0 to 5 of all positions, shape (6, N, n), times (N,)."""
        rate = self._rates
        cos, sin = np.cos(np.outer(time, rate)), np.sin(np.outer(time, rate))
        a, b = self.cosine.T, self.sine.T
        out = np.empty((6, len(time), self.n))
        for order in range(6):
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
        largest_angle = self._rates[-1] * self.duration + 10.0
        return self.largest(order) * (4.0 * np.finfo(float).eps * largest_angle)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists."""
        return {
            "family": FAMILY,
            "start": self.start.tolist(),
            "cosine": self.cosine.tolist(),
            "sine": self.sine.tolist(),
            "duration": self.duration,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> FourierSeries:
        """Return the motion that `to_dict` wrote."""
        start, cosine, sine = (np.array(data[key], float) for key in ("start", "cosine", "sine"))
        return cls(start, cosine, sine, float(data["duration"]))

    def scaled(self, factor: Array) -> FourierSeries:
        """Return the series with each joint's excursion multiplied, factor of shape (n,)."""
        return FourierSeries(
            self.start, self.cosine * factor[:, None], self.sine * factor[:, None], self.duration
        )
