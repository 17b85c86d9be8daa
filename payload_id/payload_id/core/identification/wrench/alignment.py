"""Delay of the wrench against the motion: found by how well the two agree, and taken out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from ...arrays import Array
from ...diagnosis.wrench.quick_fit import axis_scales, regressor, with_bias
from ...samples.wrench_samples import WrenchSamples
from ...threads import one_thread

LARGEST_OFFSET = 0.1  # [s] that is looked for on either side
GRID = 41  # delays tried before the best of them is refined
LEAST_SAMPLES = 50
CHECKED = 6000  # samples that are used, neighbours in the middle of the recording
DEVIATIONS = 3.0  # an offset smaller than this many of its standard deviations is not taken out
LEAST_OFFSET = 2e-5  # [s] that is worth taking out
EXPLAINED = 0.5  # part of the wrench's variance that must be a payload's for the delay to mean one
PRECISION = 1e-6  # [s] of the refined delay
# Cutoff of the filter that both sides pass, in parts of the sampling rate: a spline through what is
# left reproduces it at any instant. Through noise that changes from sample to sample it would be
# smaller half-way between two samples, and draw the best delay there.
CUTOFF = 1.0 / 12.0


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

    @property
    def sentence(self) -> str:
        """What a person should know of it."""
        if not np.isfinite(self.deviation):
            return "A time offset between wrench and motion cannot be told from these data."
        late = "late" if self.seconds >= 0 else "early"
        return (
            f"The wrench is {1e3 * abs(self.seconds):.2f} ms {late} against the motion "
            f"(standard deviation {1e3 * self.deviation:.2f} ms)."
        )


def time_offset(samples: WrenchSamples, largest: float = LARGEST_OFFSET) -> TimeOffset:
    """Return the delay of the wrench with which a rigid body explains most of it.

    For each delay a payload and a bias are fitted to the wrench, both passed through the same
    low-pass filter; the motion's columns stay the same, so that one
    QR factor serves all delays. The best of a grid is refined by Brent's method. The standard
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
    seconds = float(middle.stamp[-1] - middle.stamp[0]) if len(middle) else 0.0
    largest = min(largest, seconds / 4)
    if len(middle) < LEAST_SAMPLES or largest <= 0.0:
        return unknown
    misfit = _Misfit(middle, largest)
    if not misfit.whole > 0.0:
        return unknown
    grid = np.linspace(-largest, largest, GRID)
    values = [misfit(delay) for delay in grid]
    best = int(np.argmin(values))
    if best in (0, GRID - 1):
        return unknown
    found = scipy.optimize.minimize_scalar(
        misfit, bounds=(grid[best - 1], grid[best + 1]), method="bounded",
        options={"xatol": PRECISION},
    )  # fmt: skip
    deviation = misfit.deviation(float(found.x))
    unexplained = float(found.fun) / misfit.whole
    if not deviation < largest or unexplained > 1.0 - EXPLAINED:
        return unknown
    return TimeOffset(float(found.x), deviation, unexplained)


def compensated(samples: WrenchSamples, seconds: float) -> WrenchSamples:
    """Return the samples with the wrench as it was `seconds` later, where there is one.

    Args:
        samples: Of one recording.
        seconds: How late the wrench is [s].
    """
    if seconds == 0.0 or len(samples) < 4:
        return samples
    at = samples.stamp + seconds
    inside = np.flatnonzero((at >= samples.stamp[0]) & (at <= samples.stamp[-1]))
    if not len(inside):
        return samples
    wrench = scipy.interpolate.make_interp_spline(samples.stamp, samples.wrench, k=3)(at)
    kept = samples.with_wrench(wrench)
    return kept.part(int(inside[0]), int(inside[-1]) + 1)


def _low_pass(value: Array) -> Array:
    """Return values without what changes from sample to sample, and without delay."""
    sections = scipy.signal.butter(2, CUTOFF, fs=1.0, output="sos")
    return np.asarray(scipy.signal.sosfiltfilt(sections, value, axis=0))


def _middle(samples: WrenchSamples) -> WrenchSamples:
    """Return at most `CHECKED` neighbouring samples."""
    first = max(0, (len(samples) - CHECKED) // 2)
    return samples.part(first, first + CHECKED)


class _Misfit:
    """What a rigid body leaves of the delayed wrench, as a function of the delay."""

    def __init__(self, samples: WrenchSamples, largest: float) -> None:
        """Factor the motion's columns once."""
        scale = axis_scales(samples)
        wrench = _low_pass(samples.wrench / scale)
        self._spline = scipy.interpolate.make_interp_spline(samples.stamp, wrench, k=3)
        low, high = samples.stamp[0] + largest, samples.stamp[-1] - largest
        inner = (samples.stamp >= low) & (samples.stamp <= high)
        self._stamp = samples.stamp[inner]
        X = with_bias(_low_pass(regressor(samples))[inner]) / scale[None, :, None]
        flat = X.reshape(-1, X.shape[2])
        size = np.linalg.norm(flat, axis=0)
        U, values, _ = np.linalg.svd(flat / np.where(size > 0, size, 1.0), full_matrices=False)
        self._Q = U[:, values > 1e-10 * values[0]]
        w = self._spline(self._stamp)
        self.whole = float(((w - w.mean(axis=0)) ** 2).sum())

    def __call__(self, delay: float) -> float:
        """Return the sum of squares that is left."""
        left = self._left(self._spline(self._stamp + delay))
        return float((left**2).sum())

    def deviation(self, delay: float) -> float:
        """Return the standard deviation of the best delay [s].

        Of a least-squares fit whose one further column is the rate of the wrench, as far as
        payload and bias do not explain that too.
        """
        rate = self._left(self._spline(self._stamp + delay, 1)).ravel()
        left = self._left(self._spline(self._stamp + delay))
        information = float(rate @ rate)
        if information <= 0.0:
            return float("inf")
        variance = float((left**2).mean()) * _correlation(left)
        return float(np.sqrt(variance / information))

    def _left(self, value: Array) -> Array:
        flat = value.ravel()
        return np.asarray((flat - self._Q @ (self._Q.T @ flat)).reshape(value.shape))


def _correlation(left: Array) -> float:
    """Return how many neighbours of a residual are alike, 1 for white noise.

    The sum of the autocorrelation up to where it falls below 0.05, of the worst axis.
    """
    N = len(left)
    worst = 1.0
    for column in (left - left.mean(axis=0)).T:
        power = np.abs(np.fft.rfft(column, 2 * N)) ** 2
        correlation = np.fft.irfft(power)[:N]
        if correlation[0] <= 0.0:
            continue
        correlation = correlation / correlation[0]
        below = np.flatnonzero(correlation < 0.05)
        end = int(below[0]) if len(below) else N
        worst = max(worst, 1.0 + 2.0 * float(correlation[1:end].sum()))
    return worst
