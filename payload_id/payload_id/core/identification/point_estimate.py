"""The point estimate that goes with bounds, and what it leaves of the rows."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..bounds import Bounds, Interval
from ..errors import SolverError
from ..estimators import estimator_named
from ..estimators.estimator import Estimator
from ..rows.row_block import RowBlock
from ..statistics.statistics import Statistics
from .settings import Settings

MARGINS = (0.0, 1e-6, 1e-4, 1e-2)  # of a half-width, by which an estimate may leave its interval


def point_estimate(
    statistics: Statistics, bounds: Bounds, prior: Interval, settings: Settings
) -> Array:
    """Return the point estimate, inside the interval where the estimator can do that, shape (10,).

    Rounding can leave nothing strictly consistent in a thin interval: a little more is tried, then
    the prior. Of inconsistent rows it is the estimate inside the prior, NaN if there is none.
    """
    estimator = estimator_named(settings.estimator, settings.shape)
    if not bounds.consistent:
        phi = _inside(estimator, statistics, prior)
        return np.full(10, np.nan) if phi is None else phi
    found = bounds.interval
    for part in MARGINS:
        margin = part * found.half_width
        interval = Interval(found.lower - margin, found.upper + margin)
        phi = _inside(estimator, statistics, interval)
        if phi is not None:
            return phi
    return estimator.estimate(statistics, prior.lower, prior.upper)


def _inside(estimator: Estimator, statistics: Statistics, interval: Interval) -> Array | None:
    """Return the point estimate inside an interval, None if the estimator finds none."""
    try:
        return estimator.estimate(statistics, interval.lower, interval.upper)
    except SolverError:
        return None


def residual_rms(rows: RowBlock, statistics: Statistics, phi: Array) -> float:
    """Return what is left of rows, as a mean over a window; NaN without an estimate.

    The nuisance parameters are estimated along.
    """
    if not np.isfinite(phi).all():
        return float("nan")
    left = rows.b - rows.A @ phi - rows.B @ statistics.nuisance(phi)
    return float(np.sqrt(np.mean((left / (rows.end - rows.start)) ** 2)))
