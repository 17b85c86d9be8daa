"""Ordinary least squares, links at their nominal values: the textbook's method, for comparison."""

from __future__ import annotations

from ..arrays import Array
from ..statistics.statistics import Statistics
from .estimator import Estimator
from .problem import free_fit


class OrdinaryLeastSquares(Estimator):
    """Minimise |A phi - b|^2, every row alike, nuisance parameters at the middle of their boxes.

    Directions that the data do not see get the smallest norm. Nothing makes the result physical.
    """

    name = "ols"
    physical = False
    citation = "Atkeson1986"

    def estimate(self, statistics: Statistics, lower: Array, upper: Array) -> Array:
        """Return phi, shape (10,); the bounds are not used."""
        return free_fit(statistics.nominal())
