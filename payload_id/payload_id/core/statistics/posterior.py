"""The payload and how well rows tell it, when their errors hang together for some time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from ..arrays import Array
from .nuisance_fit import PRIOR, linearised, nuisance_fit, seen
from .statistics import Statistics
from .triangular_factor import factor_of


@dataclass(frozen=True)
class Posterior:
    """A fit of (u, phi) to rows.

    Attributes:
        phi: Least squares, each channel weighted by its noise, u inside its box, shape (10,).
        u: Nuisance parameters, shape (p,).
        variance: Of each channel's rows, in units of their bounds, shape (C,).
        rows: R factor of [B A] in units of the noise, shape (p + 10, p + 10).
    """

    phi: Array
    u: Array
    variance: Array
    rows: Array

    @classmethod
    def of(cls, statistics: Statistics) -> Posterior:
        """Return the fit to all rows of some statistics."""
        p = statistics.p
        fit = nuisance_fit(
            statistics.channels, statistics.counts, statistics.errors, statistics.gain
        )
        noise = np.sqrt(fit.variance)[:, None, None]
        rows = linearised(statistics.channels, statistics.gain, fit.x) / noise
        factor = seen(factor_of(rows.reshape(-1, p + 11)))
        return cls(fit.x[p:], fit.x[:p], fit.variance, factor[:-1, :-1])

    def covariance(self, inflation: float) -> Array:
        """Return the covariance of phi's errors, shape (10, 10).

        Args:
            inflation: By how much errors of means of rows are larger than if rows were
                independent; nuisance parameters keep their boxes as prior.
        """
        return np.asarray(self._of_phi(inflation)[-10:])

    def deviation(self, inflation: float) -> Array:
        """Return the standard deviation of phi's errors, shape (10,); see `covariance`."""
        return np.asarray(np.sqrt(np.diag(self.covariance(inflation))))

    def nuisance_deviation(self) -> Array:
        """Return the standard deviation of u's errors if rows err independently, shape (p,)."""
        p = len(self.u)
        prior = np.hstack([PRIOR * np.eye(p), np.zeros((p, 10))])
        factor = factor_of(self.rows, prior)
        half = scipy.linalg.solve_triangular(factor, np.eye(p + 10)[:, :p], trans="T")
        return np.asarray(np.sqrt((half**2).sum(axis=0)))

    def load_deviation(self, inflation: float, run: Statistics, phi: Array) -> Array:
        """Return what errors of a run's rows add that are as large as what its load makes, (10,).

        A fit x = H^-1 F' y of rows F with independent errors of variance L^2 in y errs by
        L^2 H^-1 F'F H^-1; L^2 is the mean square of A phi over the rows of a channel.

        Args:
            inflation: As in `covariance`.
            run: The run, whose rows are among those of the fit.
            phi: Its load, shape (10,).
        """
        p, noise = len(self.u), np.sqrt(self.variance[: len(run.counts)])
        x = np.concatenate([self.u, self.phi])
        factors = linearised(run.channels, run.gain, x)[:, :, :-1] / noise[:, None, None]
        load = factors[:, :, p:] @ phi
        square = (load**2).sum(axis=1) / np.maximum(run.counts, 1.0)
        errors = factors @ (self._of_phi(inflation) / inflation**2)
        return np.asarray(np.sqrt(square @ (errors**2).sum(axis=1)))

    def _of_phi(self, inflation: float) -> Array:
        """Return phi's columns of the inverse of the whole problem's matrix, (p + 10, 10)."""
        p = len(self.u)
        prior = np.hstack([PRIOR * np.eye(p), np.zeros((p, 10))])
        factor = factor_of(self.rows / inflation, prior)
        wanted = np.vstack([np.zeros((p, 10)), np.eye(10)])
        half = scipy.linalg.solve_triangular(factor, wanted, trans="T")
        return np.asarray(scipy.linalg.solve_triangular(factor, half))

    def given(self, phi: Array) -> Array:
        """Return phi, shape (10,), where some of its elements are known.

        Args:
            phi: The elements that are known, NaN elsewhere, shape (10,).
        """
        known, spread = np.isfinite(phi), self.covariance(1.0)
        if known.all():
            return phi
        gain = np.linalg.solve(spread[np.ix_(known, known)], spread[known]).T  # (10, known)
        return np.where(known, phi, self.phi + gain @ (phi - self.phi)[known])

    def noise(self, channels: int) -> Array:
        """Return the standard deviation of the rows of the first channels in units of their bounds.

        Args:
            channels: Their number C.

        Returns:
            noise: What residuals say, the freedom that the fit has taken counted in, shape (C,).
        """
        return np.asarray(np.sqrt(self.variance[:channels]))
