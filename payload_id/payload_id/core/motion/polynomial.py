"""Motions that are one polynomial of time for each joint."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache, cached_property

import numpy as np
from numpy.polynomial.polynomial import polyder
from scipy.special import comb

from ..arrays import Array, IntArray
from .extrema import ranges_of
from .trajectory import Motion, MotionRanges


class PolynomialMotion(ABC):
    """q_j(t) = sum_i c_ji s^i,  s = t / duration in [0, 1]; members say what the c_ji are."""

    duration: float

    @property
    @abstractmethod
    def coefficients(self) -> Array:
        """The c, shape (n, degree + 1) [rad or m]; asked for often."""

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.coefficients)

    @cached_property
    def _derivatives(self) -> list[Array]:
        """Coefficients of the derivatives of order 0, 1, ..., 6, with respect to t."""
        found = [self.coefficients]
        for _ in range(6):
            found.append(polyder(found[-1], axis=1) / self.duration)
        return found

    def at(self, time: Array) -> Motion:
        """Return the motion at times in [0, duration], shape (N,) [s]."""
        time = np.asarray(time, dtype=float)
        return Motion(time, *self.derivatives(time)[:3])

    def ranges(self, edges: Array) -> MotionRanges:
        """Return rigorous extrema on the slices between edges, shape (K + 1,) [s].

        Raises:
            InputError: The edges do not increase or leave [0, duration].
        """
        return ranges_of(self, edges, self.duration)

    def derivatives(self, time: Array) -> Array:
        """Return derivatives of order 0 to 5 of all positions, shape (6, N, n), times (N,)."""
        s = time / self.duration
        powers = np.vander(s, self.coefficients.shape[1], increasing=True)
        return np.stack([powers[:, : c.shape[1]] @ c.T for c in self._derivatives[:6]])

    def derivative(self, order: int, time: Array, joint: IntArray) -> Array:
        """Return a derivative of the position of joint[i] at time[i], shape (P,)."""
        c = self._derivatives[order][joint]
        powers = np.vander(time / self.duration, c.shape[1], increasing=True)
        return np.asarray(np.einsum("pi,pi->p", powers, c))

    def largest(self, order: int) -> Array:
        """Return a bound on |derivative|, shape (n,).

        A polynomial lies within the range of its coefficients in Bernstein's basis, those of powers
        being c: b_i = sum_k (i over k) / (d over k) c_k.
        """
        c = self._derivatives[order]
        bernstein = c @ _to_bernstein(c.shape[1] - 1)
        return np.asarray(np.abs(bernstein).max(axis=1)) + self.rounding(order)

    def rounding(self, order: int) -> Array:
        """Return a bound on the floating-point error of a derivative, shape (n,)."""
        size = np.abs(self._derivatives[order]).sum(axis=1)
        return np.asarray(size * (16.0 * np.finfo(float).eps))


@cache
def _to_bernstein(degree: int) -> Array:
    """Return the matrix from coefficients of powers to those of Bernstein's basis."""
    k, i = np.indices((degree + 1, degree + 1))
    return np.asarray(comb(i, k) / comb(degree, k))
