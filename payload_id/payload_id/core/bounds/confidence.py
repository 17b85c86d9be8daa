r"""Confidence intervals: constants anywhere in their boxes, noise statistical, no proof.

The hull takes the worst of the noise at every sample. Here the size of the noise is what residuals
say, and only its probability is bounded: with F the triangular factor of all rows [B A b], each
channel in units of its noise, the set

    { (u, phi):  |F (u, phi, -1)|^2 <= least + t^2,  |u| <= 1,  J(phi) >= 0,  phi in its box }

is convex, and `least` the smallest value in it. Without constraints, least and largest value of one
parameter in that set are its confidence interval of ordinary least squares, t the quantile of
Student's distribution [Seber2003, Sec. 5.1]; boxes and consistency take away what cannot be.
Twenty programs with one second-order cone whose size does not grow with the data.

Errors that last longer than a window make neighbouring residuals alike: the sum of their
correlations, with the weights of [Newey1987], says how many times fewer independent rows there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import clarabel
import numpy as np
import scipy
from scipy import sparse

from ..arrays import Array, IntArray, plain_numbers
from ..body.inertial import PSEUDO_INERTIA_BASIS
from ..conic import SOLVED, solve_cones
from ..knowledge.statement import triangle
from ..rows.row_block import RowBlock
from ..statistics.nuisance_fit import box_of, linearised, nuisance_fit
from ..statistics.statistics import Statistics
from ..statistics.triangular_factor import factor_of
from .interval import Interval

PROGRAM = "confidence interval"
CONE = np.stack([triangle(E) for E in PSEUDO_INERTIA_BASIS], axis=1)  # of J(phi), (10, 10)


@dataclass(frozen=True, eq=False)
class Confidence:
    """Where the payload's parameters are, with a probability that the data themselves tell.

    Attributes:
        level: Probability with which each interval holds, if noise is all that is random.
        lower: Shape (10,).
        upper: Shape (10,).
        inflation: How many times fewer independent rows there are than rows, because errors last,
            for each channel, shape (C,).
        largest: Largest residual of each channel's newest rows, as a part of its bound, shape (C,).
    """

    level: float
    lower: Array
    upper: Array
    inflation: Array
    largest: Array

    @property
    def half_width(self) -> Array:
        """Half the width, shape (10,)."""
        return np.asarray((self.upper - self.lower) / 2)

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        return {
            "level": self.level,
            "lower": plain_numbers(self.lower),
            "upper": plain_numbers(self.upper),
            "inflation": plain_numbers(self.inflation),
            "largest": plain_numbers(self.largest),
        }


def confidence_interval(
    statistics: Statistics, newest: RowBlock, known: Interval, shape: Array, level: float
) -> Confidence | None:
    """Return confidence intervals; None where there are too few rows to tell the noise.

    Args:
        statistics: Of all rows.
        newest: Rows without a gap, as many as are kept, which tell how long errors last.
        known: Bounds on phi.
        shape: Rows c with c phi >= 0 that follow from the payload's size, shape (K, 10).
        level: Probability with which each interval holds.
    """
    p = statistics.p
    fit = nuisance_fit(statistics.channels, statistics.counts, statistics.errors, statistics.gain)
    newest = newest.of_own_data()
    B, b = newest.unbiased()
    left = (B @ fit.x[:p] + newest.A @ fit.x[p:] - b) / newest.bound(known.magnitude)
    inflation = independence(left, newest.joint, len(statistics.counts))
    free = float((statistics.counts / inflation).sum()) - p - 10
    if free < 1.0:
        return None
    rows = linearised(statistics.channels, statistics.gain, fit.x)
    rows = rows / np.sqrt(fit.variance * inflation)[:, None, None]
    quantile = float(scipy.stats.t.ppf(0.5 + level / 2, free))
    program = _Program.of(factor_of(rows.reshape(-1, p + 11)), statistics.gain, known, shape)
    ends = program.ends(quantile)
    if ends is None:
        return None
    largest = np.zeros(len(inflation))
    np.maximum.at(largest, newest.joint, np.abs(left))
    return Confidence(level, ends.lower, ends.upper, inflation, largest)


def independence(left: Array, channel: IntArray, channels: int) -> Array:
    """Return how many times fewer independent rows there are than rows, at least 1, shape (C,).

    Args:
        left: Residuals in the order of time, in units of their bounds, shape (m,).
        channel: Of each, shape (m,).
        channels: Their number C.
    """
    result = np.ones(channels)
    for k in range(channels):
        one = left[channel == k]
        lags = int(np.sqrt(len(one)))
        squares = float(one @ one)
        if lags < 2 or squares == 0.0:
            continue
        weights = 1.0 - np.arange(1, lags) / lags  # of Bartlett
        correlation = [one[lag:] @ one[:-lag] / squares for lag in range(1, lags)]
        result[k] = max(1.0, 1.0 + 2.0 * float(weights @ correlation))
    return result


@dataclass(frozen=True)
class _Program:
    """Least and largest values over a set of (u, phi), with phi in units of `scale`.

    Attributes:
        rows: Linear map of the unknowns, whose distance from `right` is bounded, (N + 1, N).
        right: Shape (N + 1,).
        inside: Rows and cones that every point keeps: right - G x in them.
        ends_of: Their right-hand side.
        scale: Of the unknowns, shape (N,).
    """

    rows: Array
    right: Array
    inside: Array
    ends_of: Array
    scale: Array
    linear: int

    @classmethod
    def of(cls, factor: Array, gain: Array, known: Interval, shape: Array) -> _Program:
        """Return the set that a factor, boxes, shape and consistency leave."""
        p = factor.shape[1] - 11
        size = p + 10
        lower, upper = box_of(gain)
        scale = np.concatenate([np.ones(p), np.maximum(known.magnitude, 1e-12)])
        of_shape = np.hstack([np.zeros((len(shape), p)), shape * scale[p:]])
        linear = np.vstack([np.eye(size), -np.eye(size), -of_shape])
        ends = np.concatenate([
            upper, known.upper / scale[p:], -lower, -known.lower / scale[p:], np.zeros(len(shape)),
        ])  # fmt: skip
        cone = np.hstack([np.zeros((10, p)), -CONE * scale[p:]])
        return cls(
            factor[:, :-1] * scale, factor[:, -1], np.vstack([linear, cone]),
            np.append(ends, np.zeros(10)), scale, len(linear),
        )  # fmt: skip

    def ends(self, quantile: float) -> Interval | None:
        """Return the least and largest phi no further than a quantile from the best fit."""
        best = self._best()
        if best is None:
            return None
        size = len(self.scale)
        radius = float(np.hypot(np.linalg.norm(self.rows @ best - self.right), quantile))
        G = np.vstack([self.inside, np.zeros((1, size)), self.rows])
        right = np.concatenate([self.ends_of, [radius], self.right])
        kinds = [*self._kinds(), clarabel.SecondOrderConeT(len(self.right) + 1)]
        found = np.empty((10, 2))
        for k in range(10):
            for end, sign in enumerate((1.0, -1.0)):
                cost = np.zeros(size)
                cost[size - 10 + k] = sign
                none = sparse.csc_matrix((size, size))
                solution = solve_cones(PROGRAM, none, cost, G, right, kinds)
                if solution.status not in SOLVED:
                    return None
                found[k, end] = solution.x[size - 10 + k] * self.scale[size - 10 + k]
        return Interval(found[:, 0], found[:, 1])

    def _best(self) -> Array | None:
        """Return the point of the set that fits best, in its units; None if there is none."""
        P = sparse.csc_matrix(np.triu(2.0 * self.rows.T @ self.rows))
        cost = -2.0 * self.rows.T @ self.right
        solution = solve_cones(PROGRAM, P, cost, self.inside, self.ends_of, self._kinds())
        return np.array(solution.x) if solution.status in SOLVED else None

    def _kinds(self) -> list[object]:
        """Return the cones of `inside`."""
        return [clarabel.NonnegativeConeT(self.linear), clarabel.PSDTriangleConeT(4)]
