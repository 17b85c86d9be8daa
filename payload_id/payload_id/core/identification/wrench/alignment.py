r"""Delay of the wrench against the motion: found by how well the two agree.

Over a short time a payload and a bias explain the mean of the wrench a delay tau later,

    int g(s) w(t + s + tau) ds = Y(int g(s) F(t + s) ds) phi + bias,    g(s) = (1 - |s| / T) / T,

Y linear in the features F of the motion (`rows.wrench`). In such means the noise of samples
averages out, and in their rates, which are those of a triangle's two halves. T is no multiple of
the step: at which place between two samples a mean begins and ends is another one each time, so
that no delay makes them smoother than others do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy

from ...arrays import Array
from ...bounds.confidence import independence
from ...rows.wrench.newton_euler import FEATURES_TO_REGRESSOR, integrands
from ...samples.stamps import stretches
from ...samples.wrench_samples import WrenchSamples
from ...threads import one_thread

LARGEST_OFFSET = 0.1  # [s] that is looked for on either side
GRID = 41  # delays tried before the best of them is refined
CHECKED = 6000  # samples that are used, neighbours in the middle of the recording
MEAN = 0.02  # [s] T, about: short against any motion; in whole steps of the samples, ...
FEWEST = 4  # ... so many at least, ...
PART = 0.618  # ... and this part of a step: the golden section is far from all simple fractions
DEVIATIONS = 3.0  # an offset smaller than this many of its standard deviations is not taken out
LEAST_OFFSET = 2e-5  # [s] that is worth taking out
EXPLAINED = 0.5  # part of the wrench's variance that must be a payload's for the delay to mean one
BRIDGED = 0.01  # [s] without samples that are no gap at any rate: no motion is as fast


@dataclass(frozen=True)
class TimeOffset:
    """How late the stamps of the wrench are against those of the motion.

    Attributes:
        seconds: Positive where the wrench is late [s]; 0 where it cannot be told.
        deviation: Standard deviation [s]; infinite where the motion cannot tell.
        unexplained: Part that is left at the offset.
    """

    seconds: float
    deviation: float
    unexplained: float

    @property
    def significant(self) -> bool:
        """Whether the offset is clearly not zero."""
        return bool(abs(self.seconds) > max(DEVIATIONS * self.deviation, LEAST_OFFSET))

    def told(self, taken_out: bool) -> str:
        """Return what a person should know of an offset that is significant."""
        late = "late" if self.seconds >= 0 else "early"
        found = f"{1e3 * abs(self.seconds):.2f} ms {late}"
        if taken_out:
            return (
                f"The wrench is {found} against the motion (standard deviation "
                f"{1e3 * self.deviation:.2f} ms). That was taken out."
            )
        return (
            f"A wrench that is {found} would fit better, but errors within the stated bounds "
            "explain as much, so that no delay was taken out. If stamps may be off, state "
            "time_error."
        )


def time_offset(samples: WrenchSamples, largest: float = LARGEST_OFFSET) -> TimeOffset:
    """Return the delay of the wrench with which a rigid body explains most of it.

    The best of a grid is refined by Brent's method. The standard deviation follows from the
    curvature there and the size of the residual, whose neighbours in time are alike: it is widened
    by their correlation. Nothing reaches across a gap.

    Args:
        samples: Of one recording.
        largest: Largest delay to either side that is looked for [s].
    """
    with one_thread():
        return _time_offset(samples, largest)


def _time_offset(samples: WrenchSamples, largest: float) -> TimeOffset:
    """Return the delay as `time_offset` does."""
    unknown = TimeOffset(0.0, float("inf"), float("nan"))
    first = max(0, (len(samples) - CHECKED) // 2)
    means = _Means.of(samples.part(first, first + CHECKED), largest)
    if means is None:
        return unknown
    grid = np.linspace(-means.largest, means.largest, GRID)
    best = int(np.argmin([means.unexplained(delay) for delay in grid]))
    if best in (0, GRID - 1):
        return unknown
    found = scipy.optimize.minimize_scalar(
        means.unexplained, bounds=(grid[best - 1], grid[best + 1]), method="bounded",
        options={"xatol": LEAST_OFFSET / 10.0},
    )  # fmt: skip
    deviation = means.deviation(float(found.x))
    if not deviation < means.largest or not found.fun <= 1.0 - EXPLAINED:
        return unknown
    return TimeOffset(float(found.x), deviation, float(found.fun))


@dataclass(frozen=True, eq=False)
class _Means:
    """Means of motion and wrench about W instants.

    Attributes:
        integral: Of the integral of F and wrench up to an instant, gaps left out.
        middle: The instants, shape (W,) [s].
        half: T [s].
        explained: Orthonormal columns of what payload and bias explain, shape (6 W, k).
        scale: Of the axes: what is left of each, shape (6,).
        largest: Largest delay to either side at which there is a wrench [s].
    """

    integral: scipy.interpolate.BSpline
    middle: Array
    half: float
    explained: Array
    scale: Array
    largest: float

    @classmethod
    def of(cls, samples: WrenchSamples, largest: float) -> _Means | None:
        """Return the means; None where there are too few, or the wrench stands still."""
        parts, steps = stretches(samples.stamp, BRIDGED), np.diff(samples.stamp)
        if len(samples) <= FEWEST:
            return None
        steps[[part.start - 1 for part in parts[1:]]] = samples.step  # means keep out of gaps
        stamp = np.append(0.0, steps.cumsum())
        ends = [stamp[part][[0, -1]] for part in parts]
        largest = min(largest, max(map(np.ptp, ends)) / 4)
        half = samples.step * (max(round(MEAN / samples.step), FEWEST) + PART)
        rim = largest + half
        middle = np.concatenate([np.arange(a + rim, b - rim, half) for a, b in ends])
        values = samples.kept(integrands)[:, :18]
        spline = scipy.interpolate.make_interp_spline(stamp, values, k=3).antiderivative(2)
        made = cls(spline, middle, half, np.zeros((6 * len(middle), 0)), np.ones(6), largest)
        Y = np.tensordot(made.late(0.0)[:, :12], FEATURES_TO_REGRESSOR, axes=(1, 2))
        X = np.concatenate([Y, np.broadcast_to(np.eye(6), (len(Y), 6, 6))], axis=2)
        spread = made.late(0.0)[:, 12:].std(axis=0) if len(X) else np.zeros(6)
        if len(X) * 6 <= 2 * X.shape[2] or not spread.any():
            return None
        for _ in range(2):  # first all axes alike, then as what is left of each is large
            left = np.sqrt((made.left(0.0) ** 2).mean(axis=0)) * made.scale
            scale = np.maximum(left, 1e-3 * np.maximum(spread, 1e-3 * spread.max()))
            made = replace(made, scale=scale, explained=_basis(X / scale[:, None]))
        return made

    def late(self, delay: float, derivative: int = 0) -> Array:
        """Return means of F and wrench a delay later, or their rates, shape (W, 18)."""
        after, here, before = (
            self.integral(self.middle + delay + shift, derivative)
            for shift in (self.half, 0.0, -self.half)
        )
        return np.asarray((after - 2.0 * here + before) / self.half**2)

    def left(self, delay: float, derivative: int = 0) -> Array:
        """Return what payload and bias leave of them, in scales of the axes, shape (W, 6)."""
        flat = (self.late(delay, derivative)[:, 12:] / self.scale).ravel()
        return np.asarray(flat - self.explained @ (self.explained.T @ flat)).reshape(-1, 6)

    def unexplained(self, delay: float) -> float:
        """Return the part of the wrench's variance that is left."""
        wrench = self.late(0.0)[:, 12:] / self.scale
        return float((self.left(delay) ** 2).sum() / ((wrench - wrench.mean(axis=0)) ** 2).sum())

    def deviation(self, delay: float) -> float:
        """Return the standard deviation of the best delay [s].

        Of a least-squares fit whose one further column is the rate of the wrench, as far as
        payload and bias do not explain that too.
        """
        rate, left = self.left(delay, 1).ravel(), self.left(delay)
        information = float(rate @ rate)
        if information <= 0.0:
            return float("inf")
        inflation, _ = independence(left.T.ravel(), np.repeat(np.arange(6), len(left)), 6)
        return float(np.sqrt((left**2).mean() * inflation.max() / information))


def _basis(X: Array) -> Array:
    """Return orthonormal columns that span those of X, shape (W, 6, k)."""
    flat = X.reshape(-1, X.shape[2])
    size = np.linalg.norm(flat, axis=0)
    U, values, _ = np.linalg.svd(flat / np.where(size > 0, size, 1.0), full_matrices=False)
    return np.asarray(U[:, values > 1e-10 * values[0]])
