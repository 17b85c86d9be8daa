"""Whether something drifts from run to run, and by how much over the time that was seen.

Two tests must agree, so that neither a few outliers nor an odd shape makes a drift: the slope of a
weighted straight line, and the rank correlation with time, which knows nothing of lines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from ..arrays import Array
from ..errors import InputError

LEAST = 8  # runs below which nothing is said
CHANCE = 1e-3  # probability with which chance alone may name a drift, all tests of a fleet together
ROUNDING = 1e-9  # of the largest value: what is closer together than that is the same
SURE = 0.95  # probability of the interval of the change


@dataclass(frozen=True)
class Trend:
    """A straight line through what runs say, over what was seen of a variable.

    Attributes:
        change: From the least to the largest value of the variable.
        lower: Lower end of its interval, of probability `SURE`.
        upper: Upper end.
        chance: Probability of a change as large, or larger, by chance: the larger of both tests'.
        correlation: Kendall's rank correlation [-].
        runs: Number of runs.
    """

    change: float
    lower: float
    upper: float
    chance: float
    correlation: float
    runs: int

    def drifts(self, tests: int) -> bool:
        """Tell whether chance is no explanation, where so many tests are made."""
        return self.chance < CHANCE / max(tests, 1)


def trend(over: Array, value: Array, deviation: Array) -> Trend | None:
    """Return how values go with a variable; None for too few of them, or a variable that rests.

    Args:
        over: The variable, such as time or temperature, shape (N,).
        value: What runs say, shape (N,); NaN where nothing.
        deviation: Their standard deviations as each run knows them, shape (N,), which runs
            scatter by at least.

    Raises:
        InputError: The numbers of values differ.
    """
    over, value, deviation = (np.asarray(x, dtype=float) for x in (over, value, deviation))
    if not len(over) == len(value) == len(deviation):
        raise InputError(
            f"Each run has one value; found {len(over)}, {len(value)} and {len(deviation)}."
        )
    seen = np.isfinite(over) & np.isfinite(value) & np.isfinite(deviation)
    over, value, deviation = over[seen], value[seen], deviation[seen]
    if len(over) < LEAST or np.ptp(over) <= 0.0:
        return None
    place = (over - over.min()) / np.ptp(over)
    slope, spread = _line(place, value, deviation)
    kendall = scipy.stats.kendalltau(place, value)
    freedom = len(over) - 2
    by_line = 2.0 * scipy.stats.t.sf(abs(slope) / spread, freedom) if spread > 0.0 else 1.0
    half = float(scipy.stats.t.ppf((1.0 + SURE) / 2.0, freedom)) * spread
    by_rank = 1.0 if np.isnan(kendall.pvalue) else float(kendall.pvalue)
    correlation = 0.0 if np.isnan(kendall.statistic) else float(kendall.statistic)
    return Trend(
        slope, slope - half, slope + half, max(float(by_line), by_rank), correlation, len(over)
    )


def _line(place: Array, value: Array, deviation: Array) -> tuple[float, float]:
    """Return the slope of a line and its standard deviation.

    Runs scatter by more than each knows of itself: by what is left of a line through medians.
    """
    slope, start, *_ = scipy.stats.theilslopes(value, place)
    scatter = scipy.stats.median_abs_deviation(value - start - slope * place, scale="normal")
    least = max(ROUNDING * float(np.abs(value).max()), np.finfo(float).tiny ** 0.25)
    root = 1.0 / np.sqrt(deviation**2 + scatter**2 + least**2)
    columns = np.column_stack([np.ones_like(place), place]) * root[:, None]
    found, *_ = np.linalg.lstsq(columns, value * root, rcond=None)
    excess = ((value * root - columns @ found) ** 2).sum() / (len(value) - 2)
    inverse = np.linalg.inv(columns.T @ columns)
    return float(found[1]), float(np.sqrt(inverse[1, 1] * max(excess, 1.0)))
