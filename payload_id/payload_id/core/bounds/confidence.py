r"""Confidence intervals: constants anywhere in their boxes, noise statistical, no proof.

The hull takes the worst of the noise at every sample. Here the size of the noise is what residuals
say, and only its probability is bounded: with F the triangular factor of all rows [B A b], each
channel in units of its noise, the set

    { (u, phi):  |F (u, phi, -1)|^2 <= least + t^2,  |u| <= 1,  J(phi) >= 0,  phi in its box }

is convex, and `least` the smallest value in it. Without constraints, least and largest value of a
linear function of phi in that set are its confidence interval of ordinary least squares, t the
quantile of Student's distribution [Seber2003, Sec. 5.1]; boxes and consistency take away what
cannot be. Two programs for each function, with one second-order cone whose size does not grow with
the data: for each parameter, for the centre of mass c about the best fit's (h - c m is linear in
phi), and for the inertia about it, whose gradient at the best fit is taken.

Errors that last longer than a window make neighbouring residuals alike: the sum of their
correlations, with the weights of [Newey1987], says how many times fewer independent rows there are.
The fit takes its parameters' part of so few, and not of all rows. With lags over a part b of the
rows, the sum is a variance known with 3 / (2 b) degrees of freedom, and too small by exp(-b),
because residuals sum to zero: Student's quantile counts both [Sun2014].

What boxes take away counts only where the truth is in them. Where the data need u outside, every
point within is far from what fits, and the set small for no good reason. So the best fit within is
compared with one that leaves u to the data, in units of the noise that the latter shows: what the
squares differ by is at most that of so many constants as it has outside their boxes, and of ten
parameters, by the F distribution [Seber2003, Sec. 4.1], else no interval is given. Less than that
may still press against the boxes: intervals of m, h and c reach at least to what this fit says.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from scipy import sparse

from ..arrays import Array, IntArray
from ..body.inertial import PSEUDO_INERTIA_CONE
from ..conic import SOLVED, cone_of, solve_cones
from ..errors import SolverError
from ..rows.row_block import RowBlock
from ..statistics.nuisance_fit import NuisanceFit, box_of, linearised, nuisance_fit, seen
from ..statistics.statistics import Statistics
from ..statistics.triangular_factor import factor_of
from .interval import Interval

PROGRAM = "confidence interval"
# Times the root of the number of rows: friction errs alike until a joint turns back. Chosen on
# simulated drives (docs/bounds.md); [Newey1987] leaves the factor open.
LAGS = 2.0
ACCURACY = 1e-6  # of the solver, with scaled unknowns: ends are moved outwards by as much


@dataclass(frozen=True, eq=False)
class Confidence:
    """Where the payload is, with a probability that the data themselves tell.

    Attributes:
        level: Probability with which each interval holds, if noise is all that is random.
        phi: The best fit, shape (10,).
        lower: Of phi, shape (10,).
        upper: Shape (10,).
        com_lower: Of the centre of mass, shape (3,) [m]; -inf where the mass may be zero.
        com_upper: Shape (3,) [m]; inf there.
        inertia_lower: Of xx, xy, xz, yy, yz, zz about the centre of mass, shape (6,) [kg m2].
        inertia_upper: Shape (6,) [kg m2].
        inflation: How many times fewer independent rows there are than rows, because errors last,
            for each channel, shape (C,).
        held_out: What the older two thirds of the newest rows leave of the others, as a mean over a
            window, root mean square [N m or N]; NaN where they are too few.
    """

    level: float
    phi: Array
    lower: Array
    upper: Array
    com_lower: Array
    com_upper: Array
    inertia_lower: Array
    inertia_upper: Array
    inflation: Array
    held_out: float = float("nan")

    @property
    def half_width(self) -> Array:
        """Half the width, shape (10,)."""
        return np.asarray((self.upper - self.lower) / 2)


@dataclass(frozen=True, eq=False)
class Residuals:
    """What the best fit to all rows leaves of them, and what that says of their errors.

    Attributes:
        level: Probability that `quantile` stands for.
        fit: Of u and phi, without constraints.
        best: The best (u, phi) within boxes and physically consistent, shape (p + 10,).
        program: Finds that one, and how far from it others fit.
        inflation: How many times fewer independent rows there are, for each channel, shape (C,).
        variance: Of independent rows' errors, shape (C,).
        quantile: Standard deviations within which an error is with that probability.
        gain: As `Statistics.gain`.
        free: Of u and phi, by a fit that leaves u to the data, shape (p + 10,).
        asked: Its u where the data contradict the boxes, shape (p,); None where they do not.
    """

    level: float
    fit: NuisanceFit
    best: Array
    program: _Program
    inflation: Array
    variance: Array
    quantile: float
    gain: Array
    free: Array
    asked: Array | None

    @classmethod
    def of(
        cls,
        statistics: Statistics,
        newest: RowBlock,
        known: Interval,
        shape: Array,
        level: float,
    ) -> Residuals | None:
        """Return them; None where rows are too few to tell the noise, or nothing was found.

        Args:
            statistics: Of all rows.
            newest: Rows without a gap, as many as are kept, which tell how long errors last.
            known: Bounds on phi.
            shape: Rows c with c phi >= 0 that follow from the payload's size, shape (K, 10).
            level: Probability.
        """
        p, counts = statistics.p, statistics.counts
        fit = nuisance_fit(statistics.channels, counts, statistics.errors, statistics.gain)
        own = newest.take(newest.scale == 0.0)
        noise = _Noise.of(statistics, fit, own, known)
        if noise is None:
            return None
        rows, variance = linearised(statistics.channels, statistics.gain, fit.x), noise.variance
        factor = factor_of((rows / np.sqrt(variance)[:, None, None]).reshape(-1, p + 11))
        program = _Program.of(factor, statistics.gain, known, shape)
        try:
            best = program.best()
        except SolverError:
            return None
        if best is None or not best[p] > 0.0:
            return None
        free, contradicted = _free(statistics, best, own, known, level)
        return cls(
            level, fit, best, program, noise.inflation, variance, noise.quantile(level),
            statistics.gain, free, free[:-10] if contradicted else None,
        )  # fmt: skip

    def errors(self, rows: RowBlock, channels: int) -> tuple[Array, Array]:
        """Return the largest error of each channel's rows as parts of its bound: least, and most.

        The best fit leaves it, and may have taken some of it or added to it.

        Args:
            rows: Any of those fitted.
            channels: Their number C.

        Returns:
            least: What is left, less what the fit may have added, shape (C,).
            most: What is left, and what the fit may have taken, shape (C,).
        """
        deviation = np.sqrt((self.variance / self.fit.variance).max())
        taken = (
            self.quantile
            * deviation
            * _deviation(self.fit, np.hstack([rows.unbiased()[0], rows.A]))
        )
        left, bound = np.abs(_left(rows, self.best)), rows.bound(np.abs(self.best[-10:]))
        ends = np.zeros((2, channels))
        for end, error in zip(ends, (left - taken, left + taken), strict=True):
            np.maximum.at(end, rows.joint, error / bound)
        least, most = ends
        return least, most


@dataclass(frozen=True, eq=False)
class _Noise:
    """Errors of rows, as what a fit leaves of them shows.

    Attributes:
        inflation: As `Residuals.inflation`.
        variance: Of independent rows' errors, shape (C,).
        freedom: Degrees of freedom that it is known with.
        spread: Of which it is too small, a factor on standard deviations.
    """

    inflation: Array
    variance: Array
    freedom: float
    spread: float

    @classmethod
    def of(
        cls, statistics: Statistics, fit: NuisanceFit, own: RowBlock, known: Interval
    ) -> _Noise | None:
        """Return it; None where rows are too few to tell."""
        counts = statistics.counts
        left = _left(own, fit.x) / own.bound(known.magnitude)
        inflation, part = independence(left, own.joint, len(counts))
        rows = linearised(statistics.channels, statistics.gain, fit.x)
        leverage = _leverage(fit, rows / np.sqrt(fit.variance)[:, None, None])
        independent = counts / inflation - leverage
        few = (counts / inflation).sum() - len(fit.x) < 1.0
        if independent.min(initial=np.inf) < 1.0 or few:
            return None
        variance = fit.variance * (counts - leverage) / independent
        freedom = min(1.5 / max(part, 1e-9), float(independent.sum()))
        return cls(inflation, variance, freedom, float(np.exp(part / 2)))

    def quantile(self, level: float) -> float:
        """Return the standard deviations within which an error is, with a probability."""
        return self.spread * float(scipy.special.stdtrit(self.freedom, 0.5 + level / 2))

    def most(self, count: int, level: float) -> float:
        """Return the sum of so many errors' squares that is not exceeded, with a probability."""
        return self.spread**2 * count * float(scipy.special.fdtri(count, self.freedom, level))


def _free(
    statistics: Statistics, best: Array, own: RowBlock, known: Interval, level: float
) -> tuple[Array, bool]:
    """Return the fit that leaves u to the data, shape (p + 10,), and whether it refutes the boxes.

    Args:
        statistics: Of all rows.
        best: The best (u, phi) within the boxes.
        own: Newest rows, each once.
        known: Bounds on phi.
        level: Probability.
    """
    channels, gain, p = statistics.channels, statistics.gain, statistics.p
    free = nuisance_fit(channels, statistics.counts, statistics.errors, gain, np.inf)
    noise = _Noise.of(statistics, free, own, known)
    if noise is None:
        return best, False

    def squares(x: Array) -> float:
        left = linearised(channels, gain, x) @ np.append(x, -1.0)
        return float(((left**2).sum(axis=1) / noise.variance).sum())

    outside = int((np.abs(free.x[:p]) > 1.0).sum())
    more = squares(best) - squares(free.x)
    return free.x, more > noise.most(outside + 10, level)


def confidence_interval(
    residuals: Residuals, newest: RowBlock, known: Interval
) -> Confidence | None:
    """Return confidence intervals; None where the programs are not solved.

    Args:
        residuals: Of all rows.
        newest: Rows without a gap, as many as are kept.
        known: Bounds on phi.
    """
    best = residuals.best
    p = len(best) - 10
    functions = np.vstack([np.eye(10), *_about_centre(best[p:])])
    try:
        ends = residuals.program.ends(best, residuals.quantile, functions)
    except SolverError:
        return None
    if ends is None:
        return None
    lower, upper = ends.T
    free = residuals.free[p:]
    lower[:4], upper[:4] = np.minimum(lower[:4], free[:4]), np.maximum(upper[:4], free[:4])
    lower[:10], upper[:10] = (
        np.maximum(lower[:10], known.lower),
        np.minimum(upper[:10], known.upper),
    )
    lower[[13, 16, 18]] = np.maximum(lower[[13, 16, 18]], 0.0)  # moments of inertia
    com = best[p + 1 : p + 4] / best[p]
    with np.errstate(divide="ignore"):
        lightest = np.where(lower[0] > 0.0, 1.0 / max(lower[0], 1e-300), np.inf)
    centre = free[1:4] / free[0] if free[0] > 0.0 else com
    return Confidence(
        residuals.level, best[p:], lower[:10], upper[:10],
        np.minimum(com + np.minimum(lower[10:13], -0.0) * lightest, centre),
        np.maximum(com + upper[10:13] * lightest, centre),
        lower[13:], upper[13:], residuals.inflation,
        _held_out(newest.take(newest.scale == 0.0), known, residuals.gain),
    )  # fmt: skip


def _left(rows: RowBlock, x: Array) -> Array:
    """Return what u and phi leave of rows, shape (m,)."""
    B, b = rows.unbiased()
    return np.asarray(np.hstack([B, rows.A]) @ x - b)


def _about_centre(phi: Array) -> tuple[Array, Array]:
    """Return h - c m for the c of one phi, and the gradient of the inertia about it there.

    That inertia is of degree one in phi, so that its gradient times phi is its value.

    Returns:
        first: Coefficients of h - c m, shape (3, 10).
        gradient: Coefficients of xx, xy, xz, yy, yz, zz, shape (6, 10).
    """
    com = phi[1:4] / phi[0]
    first = np.hstack([-com[:, None], np.eye(3), np.zeros((3, 6))])
    gradient = np.hstack([np.zeros((6, 4)), np.eye(6)])
    for row, (i, j) in enumerate(zip(*np.triu_indices(3), strict=True)):
        same = float(i == j)
        gradient[row, 0] = same * com @ com - com[i] * com[j]
        gradient[row, 1:4] = -2.0 * same * com
        gradient[row, 1 + i] += com[j]
        gradient[row, 1 + j] += com[i]
    return first, gradient


def _held_out(rows: RowBlock, known: Interval, gain: Array) -> float:
    """Return what a fit of the older two thirds leaves of the other rows, as a mean torque."""
    since = float(rows.start.min() + (rows.end.max() - rows.start.min()) * 2 / 3)
    older, newer = rows.take(rows.end <= since), rows.take(rows.start >= since)
    p = rows.B.shape[1]
    if not len(newer) or len(older) <= p + 10:
        return float("nan")
    fitted = Statistics.empty(p, gain).add(older, known.magnitude)
    fit = nuisance_fit(fitted.channels, fitted.counts, fitted.errors, fitted.gain)
    return float(np.sqrt(np.mean((_left(newer, fit.x) / newer.duration) ** 2)))


def _leverage(fit: NuisanceFit, weighted: Array) -> Array:
    """Return how many parameters the fit takes of each channel's rows, shape (C,).

    Args:
        fit: To the rows.
        weighted: Factors of the channels' rows in units of their noise, shape (C, p + 11, p + 11).
    """
    rows = weighted.reshape(-1, weighted.shape[2])[:, :-1]
    spread = _deviation(fit, rows) ** 2
    return np.asarray(spread.reshape(len(weighted), -1).sum(axis=1))


def _deviation(fit: NuisanceFit, rows: Array) -> Array:
    """Return the standard deviation of what a fit to independent rows says of others, shape (m,).

    Args:
        fit: To the data.
        rows: Coefficients of (u, phi), shape (m, p + 10).
    """
    free = np.append(~fit.held, np.ones(10, dtype=bool))
    triangle = factor_of(seen(fit.factor)[:, :-1][:, free])
    spread = scipy.linalg.solve_triangular(triangle, rows[:, free].T, trans="T")
    return np.asarray(np.linalg.norm(spread, axis=0))


def independence(left: Array, channel: IntArray, channels: int) -> tuple[Array, float]:
    """Return how many times fewer independent rows there are than rows, at least 1, shape (C,).

    A channel without residuals is of rows of all channels together, from earlier runs: theirs last
    as long as the longest. The second number is b, the lags as a part of a channel's rows.

    Args:
        left: Residuals in the order of time, in units of their bounds, shape (m,).
        channel: Of each, shape (m,).
        channels: Their number C.
    """
    result, part = np.ones(channels), 0.0
    for k in range(channels):
        one = left[channel == k]
        lags = min(int(LAGS * np.sqrt(len(one))), len(one))
        squares = float(one @ one)
        if squares == 0.0:
            continue
        part = max(part, lags / len(one))
        weights = 1.0 - np.arange(1, lags) / lags  # of Bartlett
        correlation = [one[lag:] @ one[:-lag] / squares for lag in range(1, lags)]
        result[k] = max(1.0, 1.0 + 2.0 * float(weights @ correlation))
    result[~np.isin(np.arange(channels), channel)] = result.max(initial=1.0)
    return result, part


@dataclass(frozen=True)
class _Program:
    """Least and largest values over a set of (u, phi), with phi in units of `scale`.

    Attributes:
        rows: Linear map of the unknowns, whose distance from `right` is bounded, (N, N): what no
            unknowns explain, the corner of the factor, is in every distance and left out.
        right: Shape (N,).
        inside: Rows and cones that every point keeps: right - G x in them.
        ends_of: Their right-hand side.
        scale: Of the unknowns, shape (N,).
        linear: Number of these rows that are inequalities; those of J(phi) follow.
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
        cone = np.hstack([np.zeros((10, p)), -PSEUDO_INERTIA_CONE * scale[p:]])
        return cls(
            factor[:-1, :-1] * scale, factor[:-1, -1], np.vstack([linear, cone]),
            np.append(ends, np.zeros(10)), scale, len(linear),
        )  # fmt: skip

    def best(self) -> Array | None:
        """Return the u and phi of the set that fit best, shape (N,); None if there are none."""
        P = sparse.csc_matrix(np.triu(2.0 * self.rows.T @ self.rows))
        cost = -2.0 * self.rows.T @ self.right
        solution = solve_cones(PROGRAM, P, cost, self.inside, self.ends_of, self._kinds())
        return np.array(solution.x) * self.scale if solution.status in SOLVED else None

    def ends(self, best: Array, quantile: float, functions: Array) -> Array | None:
        """Return the least and largest values of functions of phi near the best fit, shape (K, 2).

        Args:
            best: That fit, shape (N,).
            quantile: How far from it.
            functions: Coefficients of phi, shape (K, 10).
        """
        size = len(self.scale)
        left = np.linalg.norm(self.rows @ (best / self.scale) - self.right)
        G = np.vstack([self.inside, np.zeros((1, size)), self.rows])
        right = np.concatenate([self.ends_of, [np.hypot(left, quantile)], self.right])
        kinds = [*self._kinds(), cone_of("second_order", len(self.right) + 1)]
        none, found = sparse.csc_matrix((size, size)), np.empty((len(functions), 2))
        for k, function in enumerate(functions):
            cost = np.append(np.zeros(size - 10), function * self.scale[-10:])
            unit = float(np.abs(cost).max())
            for end, sign in enumerate((1.0, -1.0)):
                solution = solve_cones(PROGRAM, none, sign * cost / unit, G, right, kinds)
                if solution.status not in SOLVED:
                    return None
                found[k, end] = cost @ np.array(solution.x) - sign * ACCURACY * unit
        return found

    def _kinds(self) -> list[object]:
        """Return the cones of `inside`."""
        return [
            cone_of("nonnegative", self.linear),
            cone_of("semidefinite", len(PSEUDO_INERTIA_CONE)),
        ]
