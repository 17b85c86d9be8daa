r"""Coming to rest on the path of a motion.

q(t) = motion(s(t)), where the speed along the path changes from 1 to 0 within the ramp T. With
u = t / T it is

    ds/dt = 1 - 3 u^2 + 2 u^3,

so that position, velocity and acceleration are continuous where the motion is left:

    dq/dt = s' q',     d^2q/dt^2 = s'' q' + s'^2 q''.

Nowhere is the arm faster than on the motion itself, and it passes no other pose.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from typing import Any, ClassVar

import numpy as np
from numpy.polynomial import Polynomial
from scipy.optimize import brentq

from ..arrays import Array, IntArray
from ..errors import InputError
from .limits import MotionLimits
from .trajectory import Motion, MotionRanges, Trajectory, checked_edges

SHORTEST, LONGEST = 0.2, 5.0  # [s] of the ramps tried
FINER = 1.05  # ratio of the ramps tried
PARTS = 64  # of the ramp on which speed along the path and motion are bounded apart
APART = 1e-9  # [s] of path below which two edges count as one
OUTWARD = 16.0 * np.finfo(float).eps
SPEED = Polynomial([1.0, 0.0, -3.0, 2.0])  # ds/dt at u in [0, 1]


@dataclass(frozen=True)
class PathStop:
    """From full speed along the path to rest on it.

    Attributes:
        motion: Whose path it is.
        leaves: Time on the motion at which it begins [s].
        ramp: T, in which it comes to rest [s].
    """

    motion: Trajectory
    leaves: float
    ramp: float

    family: ClassVar[str] = "path_stop"

    def __post_init__(self) -> None:
        left = self.motion.duration - self.leaves
        if not (self.leaves >= 0.0 and 0.0 < self.ramp <= 2.0 * left):
            raise InputError(
                f"A stop begins on the motion's {self.motion.duration:g} s and takes at most twice "
                f"what is left of them; found {self.ramp!r} s from {self.leaves!r} s."
            )

    @classmethod
    def within(cls, motion: Trajectory, leaves: float, limits: MotionLimits) -> PathStop:
        """Return the shortest stop that keeps limits of velocity and acceleration.

        Raises:
            InputError: There is none: the motion's end comes before.
        """
        longest = min(LONGEST, 2.0 * (motion.duration - leaves))
        ramp = SHORTEST
        while ramp <= longest:
            stop = cls(motion, leaves, ramp)
            if stop._keeps(limits):
                return stop
            ramp *= FINER
        raise InputError(
            f"No stop of {SHORTEST:g} to {longest:g} s on the path, from {leaves:g} s on the "
            "motion, keeps the acceleration limits; follow the motion to its end."
        )

    def _keeps(self, limits: MotionLimits) -> bool:
        """Whether it keeps limits of velocity and acceleration."""
        found = self.ranges(np.array([0.0, self.ramp]))
        slow = (found.speed <= limits.velocity).all()
        return bool(slow and (found.acceleration <= limits.acceleration).all())

    @property
    def duration(self) -> float:
        """Length of the motion [s]."""
        return self.ramp

    @property
    def end(self) -> float:
        """Time on the motion at which it ends [s]."""
        return self.place(self.duration)

    def place(self, time: float) -> float:
        """Return s, the time on the motion at a time [s]."""
        return float(self._path(np.array([time]))[0][0])

    def at(self, time: Array) -> Motion:
        """Return the motion at times in [0, duration], shape (N,) [s]."""
        time = np.asarray(time, dtype=float)
        s, ds, dds = self._path(time)
        there = self.motion.at(s)
        rate = ds[:, None]
        ddq = dds[:, None] * there.dq + rate**2 * there.ddq
        return Motion(time, there.q, rate * there.dq, ddq)

    def ranges(self, edges: Array) -> MotionRanges:
        """Return rigorous extrema on the slices between edges, shape (K + 1,) [s].

        Raises:
            InputError: The edges do not increase or leave [0, duration].
        """
        edges = checked_edges(edges, self.duration)
        cuts = self.ramp * np.arange(1, PARTS + 1) / PARTS
        fine = np.union1d(edges, cuts[(cuts > edges[0]) & (cuts < edges[-1])])
        first = np.searchsorted(fine, edges[:-1])
        lower, upper = self._fine_ranges(fine)
        least = (np.minimum.reduceat(x, first) for x in lower)
        largest = (np.maximum.reduceat(x, first) for x in upper)
        (q0, dq0, ddq0), (q1, dq1, ddq1) = least, largest
        return MotionRanges(edges, q0, q1, dq0, dq1, ddq0, ddq1)

    def _fine_ranges(self, edges: Array) -> tuple[list[Array], list[Array]]:
        """Return least and largest q, dq and ddq on short slices, shape (K, n) each."""
        s, ds, dds = self._path(edges)
        inner, owner = _apart(s, self.motion.duration)
        found = self.motion.ranges(inner)
        q = found.q_lower[owner], found.q_upper[owner]
        dq = found.dq_lower[owner], found.dq_upper[owner]
        ddq = found.ddq_lower[owner], found.ddq_upper[owner]
        rate = np.minimum(ds[:-1], ds[1:]), np.maximum(ds[:-1], ds[1:])
        bent = _product(self._bend(edges, dds), dq)
        turned = _product((rate[0] ** 2, rate[1] ** 2), ddq)
        sums = bent[0] + turned[0], bent[1] + turned[1]
        pairs = [_outward(pair) for pair in (q, _product(rate, dq), sums)]
        return [pair[0] for pair in pairs], [pair[1] for pair in pairs]

    def _path(self, time: Array) -> tuple[Array, Array, Array]:
        """Return s, ds/dt and d^2s/dt^2 at times, shape (N,) [s, 1, 1/s]."""
        T, u = self.ramp, np.clip(time / self.ramp, 0.0, 1.0)
        s = np.clip(self.leaves + T * SPEED.integ()(u), self.leaves, self.motion.duration)
        return s, np.clip(SPEED(u), 0.0, 1.0), SPEED.deriv()(u) / T

    def _bend(self, edges: Array, dds: Array) -> tuple[Array, Array]:
        """Return bounds of d^2s/dt^2 on slices, shape (K,) each [1/s]; it peaks at T / 2."""
        peak = float(SPEED.deriv()(0.5)) / self.ramp
        holds = (edges[:-1] <= self.ramp / 2) & (edges[1:] >= self.ramp / 2)
        low, high = np.minimum(dds[:-1], dds[1:]), np.maximum(dds[:-1], dds[1:])
        return (
            np.where(holds, np.minimum(low, peak), low),
            np.where(holds, np.maximum(high, peak), high),
        )

    def junctions_of(self, inner: Array) -> Array:
        """Return when junctions of the motion, shape (J,) [s], are passed."""
        passed = inner[(inner > self.leaves) & (inner < self.end)]
        times = [brentq(lambda t, x=x: self.place(t) - x, 0.0, self.duration) for x in passed]
        return np.unique(times)

    def largest_of(self, inner: Callable[[int], Array], order: int) -> Array:
        """Return a bound on a derivative of the positions, shape (n,), by Faa di Bruno's formula.

        Args:
            inner: Returns such a bound for the motion itself.
            order: 1 to 6.
        """
        T = self.ramp
        rates = [1.0, 1.5 / T, 6.0 / T**2, 12.0 / T**3, 0.0, 0.0]
        bell = np.zeros((order + 1, order + 1))  # partial Bell polynomials B_{n,k} of the rates
        bell[0, 0] = 1.0
        for n in range(1, order + 1):
            for k in range(1, n + 1):
                terms = range(1, n - k + 2)
                bell[n, k] = sum(
                    comb(n - 1, i - 1) * rates[i - 1] * bell[n - i, k - 1] for i in terms
                )
        return np.asarray(sum(bell[order, k] * inner(k) for k in range(1, order + 1)))

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists."""
        times = {"leaves": float(self.leaves), "ramp": float(self.ramp)}
        return {"family": self.family, "motion": self.motion.to_dict(), **times}


def _apart(s: Array, duration: float) -> tuple[Array, IntArray]:
    """Return increasing edges on the path, and for each slice of s the slice that holds it."""
    kept = [0]
    for k in range(1, len(s)):
        if s[k] - s[kept[-1]] > APART:
            kept.append(k)
    if len(kept) == 1:
        low = min(max(s[0] - APART, 0.0), duration - 2.0 * APART)
        return np.array([low, low + 2.0 * APART]), np.zeros(len(s) - 1, dtype=int)
    inner = s[kept]
    inner[-1] = s[-1]
    owner = np.searchsorted(kept, np.arange(len(s) - 1), side="right") - 1
    return inner, np.minimum(owner, len(kept) - 2)


def _product(factor: tuple[Array, Array], values: tuple[Array, Array]) -> tuple[Array, Array]:
    """Return the product of intervals, shapes (K,) and (K, n)."""
    ends = np.stack([f[:, None] * v for f in factor for v in values])
    return ends.min(axis=0), ends.max(axis=0)


def _outward(bounds: tuple[Array, Array]) -> tuple[Array, Array]:
    """Move bounds outwards by what rounding may have lost."""
    lower, upper = bounds
    tiny = OUTWARD * (1.0 + np.maximum(np.abs(lower), np.abs(upper)))
    return lower - tiny, upper + tiny
