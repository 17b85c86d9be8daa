"""Ordinary least squares, links at their nominal values: the textbook's method, for comparison."""

from __future__ import annotations

import numpy as np

from ..inertial import Array
from ..statistics import Statistics


class OrdinaryLeastSquares:
    """Minimise |A phi - b|^2, every row alike, nuisance parameters at the middle of their boxes.

    Directions that the data do not see get the smallest norm. Nothing makes the result physical.
    """

    name = "ols"
    physical = False
    citation = "Atkeson1986"

    def estimate(self, statistics: Statistics, lower: Array, upper: Array) -> Array:
        """Return phi, shape (10,); the bounds are not used."""
        form = statistics.nominal()
        return np.linalg.lstsq(form.R, form.z, rcond=1e-12)[0]
