r"""Rigorous extrema of smooth curves on many slices at once.

On a slice with middle c and half width h, a function f with |f^(4)| <= B4 there is

    monotone            if |f'(c)| >= h |f''(c)| + h^2/2 M3,     M3 = |f'''(c)| + h B4 >= |f'''|,
    convex or concave   if |f''(c)| > h M3,

and its extrema are then its ends, or its ends and one stationary point s. A concave function
lies below its tangent, so that f <= f(s') + |f'(s')| 2 h holds for any s': how far Newton's method
came towards s decides how tight the bound is, never whether it is one. A slice that is neither is
bounded by Taylor's theorem,

    |f - f(c)| <= h |f'(c)| + h^2/2 (|f''(c)| + h M3 / 3),

and cut into parts while that says little. SciPy's root finders and minimisers find extrema, too,
but prove none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..arrays import Array, BoolArray, IntArray

PARTS = 8  # into which an undecided slice is cut
DEPTH = 7  # of cuts; what is undecided then keeps the bound of Taylor's theorem
NEWTON_STEPS = 4
TIGHT = 1e-12  # relative looseness at which no more cuts are made
ROUNDED = 8.0 * np.finfo(float).eps  # error of an edge in [0, 1]


class Smooth(Protocol):
    """n functions of s in [0, 1] with derivatives: the positions of n joints along a curve."""

    @property
    def n(self) -> int:
        """Number of functions."""
        ...

    def derivative(self, order: int, s: Array, joint: IntArray) -> Array:
        """Return the derivative of function joint[i] at s[i], shape (P,)."""
        ...

    def derivatives(self, s: Array, count: int = 6) -> Array:
        """Return derivatives of order 0, 1, ... of all functions at s (N,), shape (count, N, n)."""
        ...

    def largest(self, order: int) -> Array:
        """Return a bound on |derivative| over the whole curve, shape (n,)."""
        ...

    def rounding(self, order: int) -> Array:
        """Return a bound on the floating-point error of `derivative`, shape (n,)."""
        ...


@dataclass(frozen=True)
class _Slices:
    """Pairs of slice and joint, shape (P,) each, and derivatives of order k, k + 1, ... there.

    Attributes:
        joint: Which function.
        start: Beginning of the slice.
        end: End of the slice.
        at_start: The function, order k, at the beginning.
        at_end: At the end.
        at_middle: Derivatives of order k to k + 3 in the middle, shape (4, P).
    """

    joint: IntArray
    start: Array
    end: Array
    at_start: Array
    at_end: Array
    at_middle: Array

    def take(self, which: IntArray | BoolArray) -> _Slices:
        """Return some of the slices."""
        return _Slices(
            self.joint[which],
            self.start[which],
            self.end[which],
            self.at_start[which],
            self.at_end[which],
            self.at_middle[:, which],
        )


def extrema_of(function: Smooth, edges: Array) -> list[tuple[Array, Array]]:
    """Return the least and largest values of a curve and its first two derivatives on slices.

    Args:
        function: The curve.
        edges: Shape (K + 1,), none less than the one before; off by a few roundings at most.

    Returns:
        extrema: Shape (K, n) each.
    """
    K, n = len(edges) - 1, function.n
    joint = np.tile(np.arange(n), K)
    start, end = np.repeat(edges[:-1], n), np.repeat(edges[1:], n)
    at_edges = function.derivatives(edges)
    at_middle = function.derivatives((edges[:-1] + edges[1:]) / 2).reshape(6, -1)
    found = []
    for order in range(3):
        value = at_edges[order]
        middle = at_middle[order : order + 4]
        slices = _Slices(joint, start, end, value[:-1].ravel(), value[1:].ravel(), middle)
        lower, upper = _extrema(function, order, slices, DEPTH)
        off = ROUNDED * function.largest(order + 1)
        found.append((lower.reshape(K, n) - off, upper.reshape(K, n) + off))
    return found


def _extrema(function: Smooth, order: int, slices: _Slices, depth: int) -> tuple[Array, Array]:
    """Return bounds on one derivative over each slice, shape (P,) each."""
    joint = slices.joint
    h = (slices.end - slices.start) / 2
    first, second, third = np.abs(slices.at_middle[1:])
    M3 = third + h * function.largest(order + 4)[joint]
    monotone = first >= h * second + h**2 / 2 * M3  # where h is 0, too
    bent = ~monotone & (second > h * M3)
    lower = np.minimum(slices.at_start, slices.at_end)
    upper = np.maximum(slices.at_start, slices.at_end)
    # What rounding can hide: an error of the value, and of the slope over the slice.
    slack = function.rounding(order)[joint] + 2 * h * function.rounding(order + 1)[joint]
    if bent.any():
        _include_stationary(function, order, slices.take(bent), bent, lower, upper)
    open_ = np.flatnonzero(~monotone & ~bent)
    if len(open_):
        reach = (h * first + h**2 / 2 * (second + h * M3 / 3))[open_]
        value = slices.at_middle[0, open_]
        lower[open_], upper[open_] = value - reach, value + reach
        loose = reach > TIGHT * (1.0 + np.abs(value))
        if depth > 0 and loose.any():
            cut = open_[loose]
            lower[cut], upper[cut] = _cut(function, order, slices.take(cut), depth - 1)
    return lower - slack, upper + slack


def _include_stationary(
    function: Smooth,
    order: int,
    slices: _Slices,
    which: BoolArray,
    lower: Array,
    upper: Array,
) -> None:
    """Widen lower or upper at `which` by the one stationary point that a bent slice may have."""
    joint, s = slices.joint, (slices.start + slices.end) / 2
    for _ in range(NEWTON_STEPS):
        slope = function.derivative(order + 1, s, joint)
        curvature = function.derivative(order + 2, s, joint)
        step = np.divide(slope, curvature, out=np.zeros_like(s), where=curvature != 0.0)
        s = np.clip(s - step, slices.start, slices.end)
    reach = np.maximum(s - slices.start, slices.end - s)
    # At an end the slope may point outwards: then the end itself is the extremum.
    slope = function.derivative(order + 1, s, joint)
    value = function.derivative(order, s, joint)
    concave = slices.at_middle[2] < 0
    at_start, at_end = s <= slices.start, s >= slices.end
    outward = np.where(concave, slope, -slope)
    settled = (at_start & (outward <= 0)) | (at_end & (outward >= 0))
    rise = np.where(settled, 0.0, np.abs(slope) * reach)
    index = np.flatnonzero(which)
    top, bottom = index[concave], index[~concave]
    upper[top] = np.maximum(upper[top], (value + rise)[concave])
    lower[bottom] = np.minimum(lower[bottom], (value - rise)[~concave])


def _cut(function: Smooth, order: int, slices: _Slices, depth: int) -> tuple[Array, Array]:
    """Return the bounds over slices from those over their parts."""
    part = np.linspace(0.0, 1.0, PARTS + 1)
    edges = slices.start[:, None] + (slices.end - slices.start)[:, None] * part
    edges[:, -1] = slices.end
    joint, start, end = np.repeat(slices.joint, PARTS), edges[:, :-1].ravel(), edges[:, 1:].ravel()
    ends = [function.derivative(order, t, joint) for t in (start, end)]
    middle = [function.derivative(order + k, (start + end) / 2, joint) for k in range(4)]
    parts = _Slices(joint, start, end, ends[0], ends[1], np.stack(middle))
    lower, upper = _extrema(function, order, parts, depth)
    return lower.reshape(-1, PARTS).min(axis=1), upper.reshape(-1, PARTS).max(axis=1)
