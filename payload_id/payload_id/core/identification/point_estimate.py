"""The point estimate that goes with bounds, and what it leaves of the rows."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..body.inertial import is_physical, typical_size
from ..bounds import Bounds, Interval
from ..bounds.nearest import nearest
from ..errors import SolverError
from ..estimators import estimator_named
from ..estimators.estimator import Estimator
from ..estimators.problem import off_the_edge
from ..knowledge.knowledge import NOTHING, Knowledge
from ..rows.row_block import RowBlock
from ..statistics.statistics import Statistics
from .settings import Settings

MARGINS = (0.0, 1e-6, 1e-4, 1e-2)  # of a half-width, by which an estimate may leave its interval


def point_estimate(
    rows: RowBlock,
    statistics: Statistics,
    bounds: Bounds,
    prior: Interval,
    settings: Settings,
    shape: Array,
    stated: Knowledge = NOTHING,
) -> Array:
    """Return the point estimate, shape (10,), inside the set that the interval is the hull of.

    Of inconsistent rows it is the estimate inside the prior, NaN if there is none; where the
    interval has no guarantee it is what the estimator says.

    Args:
        rows: That the bounds rest on.
        statistics: Of all rows.
        bounds: On phi.
        prior: Bounds on phi before any data.
        settings: Name the estimator and the interval method.
        shape: Rows c with c phi >= 0 that follow from the payload's size, shape (K, 10).
        stated: What else is stated of the payload, as the hull takes it.
    """
    estimator = estimator_named(settings.estimator, settings.shape, stated)
    if not bounds.consistent:
        phi = _inside(estimator, statistics, prior)
        return np.full(10, np.nan) if phi is None else phi
    phi = _estimate(estimator, statistics, bounds.interval, prior)
    if not settings.method.guaranteed:
        return phi
    found = nearest(rows, bounds.interval, phi, shape, prior, stated)
    if estimator.physical and not is_physical(found):  # the set is closed: its edge is singular
        scale = typical_size(found, prior.upper[0])
        found = off_the_edge(found / scale) * scale
    return found


def _estimate(
    estimator: Estimator, statistics: Statistics, found: Interval, prior: Interval
) -> Array:
    """Return the point estimate, inside the interval where the estimator can do that, shape (10,).

    Rounding can leave nothing strictly consistent in a thin interval: a little more is tried, then
    the prior.
    """
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
    rows = rows.of_own_data()
    B, b = rows.unbiased()
    left = b - rows.A @ phi - B @ statistics.nuisance(phi)
    return float(np.sqrt(np.mean((left / rows.duration) ** 2)))
