"""Weighted least squares with weights from the noise of each channel, for comparison."""

from __future__ import annotations

from ..arrays import Array
from ..statistics.statistics import Statistics
from .estimator import Estimator
from .problem import free_fit


class WeightedLeastSquares(Estimator):
    """Minimise the sum of squares in units of each channel's noise, nuisance estimated along.

    The noise of a channel is what the fit leaves of it (estimated generalised least squares).
    Directions that the data do not see get the smallest norm. Nothing makes the result physical.
    """

    name = "wls"
    physical = False
    citation = "Foerstner1979"

    def estimate(self, statistics: Statistics, lower: Array, upper: Array) -> Array:
        """Return phi, shape (10,); the bounds are not used."""
        return free_fit(statistics.balanced())
