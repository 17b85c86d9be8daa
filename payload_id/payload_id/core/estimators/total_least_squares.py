"""Recursive total least squares: errors in the coefficients too [Kubus2008], for comparison."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..statistics.normal_form import NormalForm, noise_share
from ..statistics.statistics import Statistics
from .estimator import Estimator
from .problem import free_fit

# Rows' worth of noise that is left in: without it the estimate has neither mean nor variance, with
# it the mean square error is about the least [Fuller1987, Sec. 2.5].
FULLER = 4.0


class TotalLeastSquares(Estimator):
    """Generalised total least squares from the triangular factor of [A b], by its singular values.

    With F'F the moments of the rows [A b] and D those of their errors as the bounds state them,
    lambda = min eig(F'F, D) is the share of noise, and (A'A - lambda D_A) phi = A'b, with lambda a
    little less, by Fuller's modification [Fuller1987]. Where no error of the coefficients is stated
    this is weighted least squares. The factor is updated with the rows, so that the cost does not
    grow with them. Nothing makes the result physical.
    """

    name = "rtls"
    physical = False
    citation = "Kubus2008"

    def estimate(self, statistics: Statistics, lower: Array, upper: Array) -> Array:
        """Return phi, shape (10,); the bounds are not used."""
        return total_fit(statistics.marginal(), statistics.errors.sum(axis=0), FULLER)


def total_fit(form: NormalForm, errors: Array, left_in: float = 0.0) -> Array:
    """Return the phi that needs the smallest errors of [A b] to be exact, shape (10,).

    Args:
        form: The rows.
        errors: Sums of squares of the errors that are expected in each column, up to a common
            factor, shape (11,).
        left_in: Rows' worth of noise that is left in; with none the errors are the smallest.
    """
    share = noise_share(form, errors) * max(0.0, 1.0 - left_in / max(form.rows, 1))
    if share == 0.0 or not errors[:10].any():
        return free_fit(form)
    # A'A - lambda D_A = R'(1 - lambda W W') R, W = inv(R') D_A^(1/2)
    W = np.linalg.solve(form.R.T, np.diag(np.sqrt(errors[:10])))
    inner = np.eye(10) - share * (W @ W.T)
    return np.linalg.solve(form.R, np.linalg.lstsq(inner, form.z, rcond=1e-12)[0])
