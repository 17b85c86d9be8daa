r"""Fourier series that begin and end at rest in one pose [Swevers1997, with rest at both ends].

    q_j(t) = q0_j + sum_k a_jk (cos(k w t) - 1) + b_jk sin(k w t),   w = 2 pi / duration.

Velocity and acceleration vanish at both ends iff  sum_k k b_jk = 0  and  sum_k k^2 a_jk = 0; the
coefficients are written in a basis of those that do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space

from ..errors import InputError
from ..inertial import Array
from .trajectory import Motion


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
        k = np.arange(1.0, self.cosine.shape[1] + 1)
        rate = 2 * np.pi / self.duration * k
        cos, sin = np.cos(np.outer(time, rate)), np.sin(np.outer(time, rate))
        a, b = self.cosine.T, self.sine.T
        return Motion(
            time=np.asarray(time, dtype=float),
            q=self.start + (cos - 1.0) @ a + sin @ b,
            dq=(-sin * rate) @ a + (cos * rate) @ b,
            ddq=(-cos * rate**2) @ a + (-sin * rate**2) @ b,
        )

    def scaled(self, factor: Array) -> FourierSeries:
        """Return the series with each joint's excursion multiplied, factor of shape (n,)."""
        return FourierSeries(
            self.start, self.cosine * factor[:, None], self.sine * factor[:, None], self.duration
        )
