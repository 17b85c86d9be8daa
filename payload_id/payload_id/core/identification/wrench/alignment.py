"""Delay of the wrench against the motion: found by how well the two agree; taking it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from ...arrays import Array, BoolArray
from ...bounds.confidence import independence
from ...rows.wrench.newton_euler import newton_euler_regressor
from ...samples.stamps import even_grid, stretches
from ...samples.wrench_samples import WrenchSamples
from ...threads import one_thread

LARGEST_OFFSET = 0.1  # [s] that is looked for on either side
GRID = 41  # delays tried before the best of them is refined
LEAST_SAMPLES = 50
CHECKED = 6000  # samples that are used, neighbours in the middle of the recording
DEVIATIONS = 3.0  # an offset smaller than this many of its standard deviations is not taken out
LEAST_OFFSET = 2e-5  # [s] that is worth taking out
EXPLAINED = 0.5  # part of the wrench's variance that must be a payload's for the delay to mean one
# Cutoff of the filter that both sides pass, in parts of the sampling rate: a spline through what is
# left reproduces it at any instant. Through noise that changes from sample to sample it would be
# smaller half-way between two samples, and draw the best delay there.
CUTOFF = 1.0 / 12.0
# Samples at either end of a stretch that are left out: there the filter invents what it lacks.
RIM = round(1.0 / CUTOFF)
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

    For each delay a payload and a bias are fitted to the wrench, both passed through the same
    low-pass filter; the motion's columns stay the same, so that one
    QR factor serves all delays. Neither filter nor interpolation bridges a gap. The best of a grid
    is refined by Brent's method. The standard
    deviation follows from the curvature there and the size of the residual, whose neighbours in
    time are alike: it is widened by their correlation.

    Args:
        samples: Of one recording.
        largest: Largest delay to either side that is looked for [s].
    """
    with one_thread():
        return _time_offset(samples, largest)


def _time_offset(samples: WrenchSamples, largest: float) -> TimeOffset:
    """Return the delay as `time_offset` does."""
    unknown = TimeOffset(0.0, float("inf"), float("nan"))
    middle = _middle(samples)
    parts = [middle.part(x.start, x.stop) for x in stretches(middle.stamp, BRIDGED)]
    longest = max((float(x.stamp[-1] - x.stamp[0]) for x in parts if len(x)), default=0.0)
    largest = min(largest, longest / 4)
    parts = [x for x in parts if _inner(x.stamp, largest).sum() > RIM]
    if sum(len(x) for x in parts) < LEAST_SAMPLES or largest <= 0.0:
        return unknown
    misfit = _Misfit(parts, largest)
    if not misfit.whole > 0.0:
        return unknown
    grid = np.linspace(-largest, largest, GRID)
    values = [misfit(delay) for delay in grid]
    best = int(np.argmin(values))
    if best in (0, GRID - 1):
        return unknown
    found = scipy.optimize.minimize_scalar(
        misfit, bounds=(grid[best - 1], grid[best + 1]), method="bounded",
        options={"xatol": LEAST_OFFSET / 10.0},
    )  # fmt: skip
    deviation = misfit.deviation(float(found.x))
    unexplained = float(found.fun) / misfit.whole
    if not deviation < largest or unexplained > 1.0 - EXPLAINED:
        return unknown
    return TimeOffset(float(found.x), deviation, unexplained)


def _low_pass(value: Array) -> Array:
    """Return values without what changes from sample to sample, and without delay."""
    sections = scipy.signal.butter(2, CUTOFF, fs=1.0, output="sos")
    return np.asarray(scipy.signal.sosfiltfilt(sections, value, axis=0))


def _middle(samples: WrenchSamples) -> WrenchSamples:
    """Return at most `CHECKED` neighbouring samples."""
    first = max(0, (len(samples) - CHECKED) // 2)
    return samples.part(first, first + CHECKED)


def _at(stamp: Array, value: Array, at: Array) -> Array:
    """Return values at other instants of the same stretch."""
    if at is stamp:
        return value
    return np.asarray(scipy.interpolate.make_interp_spline(stamp, value, k=3)(at))


def _inner(stamp: Array, largest: float) -> BoolArray:
    """Return at which instants of a stretch there is a wrench at every delay tried, shape (N,)."""
    number = np.arange(len(stamp))
    near = (number < RIM) | (number >= len(stamp) - RIM)
    return (stamp >= stamp[0] + largest) & (stamp <= stamp[-1] - largest) & ~near


class _Misfit:
    """What a rigid body leaves of the delayed wrench, as a function of the delay."""

    def __init__(self, parts: Sequence[WrenchSamples], largest: float) -> None:
        """Factor the motion's columns once.

        Args:
            parts: Samples of stretches without gaps.
            largest: Largest delay that will be tried [s].
        """
        scale = _axis_scales(WrenchSamples.stacked(parts))
        self._splines, columns = [], []
        for part in parts:
            at = even_grid(part.stamp)  # a filter takes its samples for evenly spaced
            inner = _inner(at, largest)
            wrench = _low_pass(_at(part.stamp, part.wrench / scale, at))
            spline = scipy.interpolate.make_interp_spline(at, wrench, k=3)
            self._splines.append((spline, at[inner]))
            columns.append(_low_pass(_at(part.stamp, _regressor(part), at))[inner])
        X = _with_bias(np.concatenate(columns)) / scale[None, :, None]
        flat = X.reshape(-1, X.shape[2])
        size = np.linalg.norm(flat, axis=0)
        U, values, _ = np.linalg.svd(flat / np.where(size > 0, size, 1.0), full_matrices=False)
        self._Q = U[:, values > 1e-10 * values[0]]
        w = self._wrench(0.0)
        self.whole = float(((w - w.mean(axis=0)) ** 2).sum())

    def __call__(self, delay: float) -> float:
        """Return the sum of squares that is left."""
        left = self._left(self._wrench(delay))
        return float((left**2).sum())

    def deviation(self, delay: float) -> float:
        """Return the standard deviation of the best delay [s].

        Of a least-squares fit whose one further column is the rate of the wrench, as far as
        payload and bias do not explain that too.
        """
        rate = self._left(self._wrench(delay, 1)).ravel()
        left = self._left(self._wrench(delay))
        information = float(rate @ rate)
        if information <= 0.0:
            return float("inf")
        axes = np.repeat(np.arange(left.shape[1]), len(left))
        inflation, _ = independence(left.T.ravel(), axes, left.shape[1])
        variance = float((left**2).mean() * inflation.max())
        return float(np.sqrt(variance / information))

    def _wrench(self, delay: float, derivative: int = 0) -> Array:
        """Return the wrench a delay later, or its rate, shape (N, 6) in scales of the axes."""
        return np.concatenate([spline(at + delay, derivative) for spline, at in self._splines])

    def _left(self, value: Array) -> Array:
        flat = value.ravel()
        return np.asarray((flat - self._Q @ (self._Q.T @ flat)).reshape(value.shape))


def _regressor(samples: WrenchSamples) -> Array:
    """Return Y of every sample, shape (N, 6, 10)."""
    return newton_euler_regressor(
        samples.proper_acceleration, samples.angular_velocity, samples.angular_acceleration
    )


def _with_bias(Y: Array) -> Array:
    """Return columns of Y and a constant bias for each axis, shape (N, k, columns + k)."""
    axes = Y.shape[1]
    bias = np.broadcast_to(np.eye(axes), (len(Y), axes, axes))
    return np.concatenate([Y, bias], axis=2)


def _residual(X: Array, value: Array) -> tuple[Array, Array]:
    """Fit value = X x by least squares; return x and what is left, shape of value.

    Args:
        X: Shape (N, k, columns).
        value: Shape (N, k).
    """
    flat = X.reshape(-1, X.shape[2])
    size = np.linalg.norm(flat, axis=0)
    size[size == 0.0] = 1.0
    x = np.linalg.lstsq(flat / size, value.ravel(), rcond=1e-10)[0] / size
    return x, value - X @ x


def _axis_scales(samples: WrenchSamples) -> Array:
    """Return the residual's typical size on each axis, shape (6,): what weights axes alike."""
    left = _residual(_with_bias(_regressor(samples)), samples.wrench)[1]
    size = np.sqrt(np.mean(left**2, axis=0))
    spread = samples.wrench.std(axis=0)
    floor = 1e-6 * max(float(spread.max()), 1e-9)
    return np.asarray(np.maximum(size, np.maximum(1e-3 * spread, floor)))
