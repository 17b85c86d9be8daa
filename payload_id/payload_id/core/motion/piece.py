r"""A curve along a path, of which motions are made: values, rigorous extrema, largest derivatives.

    q(t) = curve(s(v)),   v = v_0 + dv/dt t from v_0 to v_1,   s a polynomial of v in [0, 1],
    dq/dt = s' q',     d^2q/dt^2 = s'' q' + s'^2 q''.

A path is even (s = v) or slows down to rest. To slow a piece changes dv/dt, to reverse it exchanges
v_0 and v_1, to leave it early moves v_1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import comb

import numpy as np

from ..arrays import Array
from .extrema import Smooth, extrema_of

EVEN = (0.0, 1.0)  # Bernstein coefficients of s
SLOWING = (0.0, 0.25, 0.5, 0.5, 0.5)  # ds/dv = 1 - 3 v^2 + 2 v^3, from 1 to 0
PARTS = 64  # of a path that slows down, on which it and the curve are bounded apart
OUTWARD = 16.0 * np.finfo(float).eps


@dataclass(frozen=True)
class Piece:
    """A curve along a path.

    Attributes:
        curve: The joints' positions at s in [0, 1].
        path: Bernstein coefficients of s(v), `EVEN` or `SLOWING`, shifted and scaled.
        begin: v_0.
        end: v_1.
        rate: dv/dt [1/s].
        length: Time that it takes [s].
    """

    curve: Smooth
    path: tuple[float, ...]
    begin: float
    end: float
    rate: float
    length: float

    @classmethod
    def whole(cls, curve: Smooth, duration: float) -> Piece:
        """Return a curve, all of it at even speed."""
        return cls(curve, EVEN, 0.0, 1.0, 1.0 / duration, duration)

    def place(self, time: Array) -> Array:
        """Return v at times on the piece [s], the ends exactly."""
        part = np.clip(time / self.length, 0.0, 1.0)
        return np.asarray((1.0 - part) * self.begin + part * self.end)

    def between(self, start: float, end: float) -> Piece:
        """Return what lies between two times on the piece [s]."""
        begin, until = (float(x) for x in self.place(np.array([start, end])))
        return replace(self, begin=begin, end=until, length=end - start)

    @cached_property
    def _slopes(self) -> list[list[float]]:
        """Bernstein coefficients of s and its derivatives by v."""
        found = [list(self.path)]
        while len(found[-1]) > 1:
            found.append([(len(found[-1]) - 1) * (b - a) for a, b in pairwise(found[-1])])
        return found

    def rates(self, v: Array, count: int = 3) -> list[Array]:
        """Return s and its derivatives by time of order 1, 2, ..., shape (N,) each [1/s^k]."""
        known = [self.rate**k * bernstein(c, v) for k, c in enumerate(self._slopes[:count])]
        return known + [np.zeros_like(v)] * (count - len(known))

    def at(self, time: Array) -> tuple[Array, Array, Array]:
        """Return q, dq and ddq at times on the piece, shape (N, n) each."""
        s, ds, dds = (x[:, None] for x in self.rates(self.place(time)))
        q, dq, ddq = self.curve.derivatives(s[:, 0], 3)
        return q, ds * dq, dds * dq + ds**2 * ddq

    def ranges(self, edges: Array) -> list[Array]:
        """Return least and largest q, dq, ddq on slices of the piece, shape (K, n) each, by turns.

        On a part the speed along the path and its change are largest and least at the ends.
        """
        turn = 1.0 if self.rate > 0.0 else -1.0  # so that places increase
        at = turn * self.place(edges)
        parts = turn * np.arange(PARTS + 1) / PARTS if len(self.path) > len(EVEN) else np.zeros(0)
        fine = np.sort(np.append(at, parts[(parts > at[0]) & (parts < at[-1])]))
        s, ds, dds = self.rates(turn * fine)
        rate, bend = _ends(ds), _ends(dds)
        q, dq, ddq = extrema_of(self.curve, s if turn > 0.0 else s[::-1])
        q, dq, ddq = ((x[:: int(turn)], y[:: int(turn)]) for x, y in (q, dq, ddq))
        bent, turned = _product(bend, dq), _product((rate[0] ** 2, rate[1] ** 2), ddq)
        first, found = np.searchsorted(fine, at[:-1]), []
        for lower, upper in (q, _product(rate, dq), (bent[0] + turned[0], bent[1] + turned[1])):
            tiny = OUTWARD * (1.0 + np.maximum(np.abs(lower), np.abs(upper)))
            found.append(np.minimum.reduceat(lower - tiny, first))
            found.append(np.maximum.reduceat(upper + tiny, first))
        return found

    def largest(self, order: int) -> Array:
        """Return a bound on a derivative of the positions, shape (n,), by Faa di Bruno's formula.

        Rates along a path of `SLOWING` are largest at its ends or in its middle.
        """
        rates = [np.abs(x).max() for x in self.rates(np.array([0.0, 0.5, 1.0]), 7)]
        bell = np.zeros((order + 1, order + 1))  # partial Bell polynomials B_{n,k} of the rates
        bell[0, 0] = 1.0
        for n in range(1, order + 1):
            for k in range(1, n + 1):
                bell[n, k] = sum(
                    comb(n - 1, i - 1) * rates[i] * bell[n - i, k - 1] for i in range(1, n - k + 2)
                )
        used = [k for k in range(1, order + 1) if bell[order, k]]
        return np.asarray(sum(bell[order, k] * self.curve.largest(k) for k in used))


def bernstein(c: Sequence[float], v: Array) -> Array:
    """Return the polynomial with Bernstein coefficients c at v in [0, 1], shape (N,)."""
    rows = [np.full_like(v, x) for x in c]
    while len(rows) > 1:
        rows = [(1.0 - v) * a + v * b for a, b in pairwise(rows)]
    return rows[0]


def _ends(x: Array) -> tuple[Array, Array]:
    """Return the lesser and the larger of neighbours, shape (K,) each."""
    return np.minimum(x[:-1], x[1:]), np.maximum(x[:-1], x[1:])


def _product(factor: tuple[Array, Array], values: tuple[Array, Array]) -> tuple[Array, Array]:
    """Return the product of intervals, shapes (K,) and (K, n), wider by its rounding."""
    ends = np.stack([f[:, None] * v for f in factor for v in values])
    tiny = OUTWARD * np.abs(ends).max(axis=0)
    return ends.min(axis=0) - tiny, ends.max(axis=0) + tiny
