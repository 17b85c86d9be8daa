"""Curves that are one polynomial for each joint."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.polynomial.polynomial import polyder
from scipy.special import comb

from ..arrays import Array, IntArray


@dataclass(frozen=True, eq=False)
class Polynomial:
    """q_j(s) = sum_i c_ji s^i.

    Attributes:
        coefficients: The c, shape (n, degree + 1) [rad or m].
    """

    coefficients: Array

    @classmethod
    def through(cls, start: Array, end: Array) -> Polynomial:
        """Return the polynomials of degree 5 from and to q, q', q'', shape (3, n) each."""
        control = np.stack([
            start[0], start[0] + start[1] / 5, start[0] + 2 * start[1] / 5 + start[2] / 20,
            end[0] - 2 * end[1] / 5 + end[2] / 20, end[0] - end[1] / 5, end[0],
        ])  # fmt: skip
        return cls(control.T @ _from_bernstein(5))

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.coefficients)

    @cached_property
    def _derivatives(self) -> list[Array]:
        """Coefficients of the derivatives of order 0, 1, ..., 6."""
        found = [self.coefficients]
        for _ in range(6):
            found.append(polyder(found[-1], axis=1))
        return found

    def derivatives(self, s: Array, count: int = 6) -> Array:
        """Return derivatives of order 0, 1, ... of all positions at s (N,), shape (count, N, n)."""
        powers = np.vander(s, self.coefficients.shape[1], increasing=True)
        return np.stack([powers[:, : c.shape[1]] @ c.T for c in self._derivatives[:count]])

    def derivative(self, order: int, s: Array, joint: IntArray) -> Array:
        """Return a derivative of the position of joint[i] at s[i], shape (P,)."""
        c = self._derivatives[order][joint]
        powers = np.vander(s, c.shape[1], increasing=True)
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


@cache
def _from_bernstein(degree: int) -> Array:
    """Return its inverse, in whole numbers: what each control point adds to 1, s, s^2, ..."""
    i, k = np.indices((degree + 1, degree + 1))
    return np.asarray(comb(degree, k) * comb(k, i) * (-1.0) ** (k - i))
