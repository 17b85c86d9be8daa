"""Sufficient statistics of the rows: triangular factors whose size does not grow with the data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .inertial import Array
from .rows.block import RowBlock

# Variance of a number that is uniform in [-1, 1]: what a bound of one says about a typical size.
UNIFORM_VARIANCE = 1.0 / 3.0
LEAST_VARIANCE = 1e-8


@dataclass(frozen=True)
class NormalForm:
    """A least-squares problem in phi alone: |R phi - z|^2 + residual^2.

    Attributes:
        R: Upper triangular, shape (10, 10).
        z: Shape (10,).
        residual: Norm of what no phi explains.
        rows: Number of rows it stands for.
    """

    R: Array
    z: Array
    residual: float
    rows: int


@dataclass(frozen=True)
class Statistics:
    """Triangular factors of all rows so far.

    Attributes:
        plain: R factor of [A b], rows as they are, shape (11, 11).
        weighted: R factor of [B A b], each row divided by its bound, shape (p + 11, p + 11).
        rows: Number of rows.
    """

    plain: Array
    weighted: Array
    rows: int

    @classmethod
    def empty(cls, p: int) -> Statistics:
        """Return the statistics of no rows, for p nuisance parameters."""
        return cls(np.zeros((11, 11)), np.zeros((p + 11, p + 11)), 0)

    def add(self, block: RowBlock, phi_max: Array) -> Statistics:
        """Return the statistics with more rows.

        Args:
            block: The rows.
            phi_max: Largest |phi| expected, shape (10,): it sets the rows' weights only.
        """
        plain = np.column_stack([block.A, block.b])
        weighted = np.column_stack([block.B, plain]) / block.bound(phi_max)[:, None]
        return Statistics(
            _factor(self.plain, plain), _factor(self.weighted, weighted), self.rows + len(block)
        )

    def of_nuisance_only(self) -> Statistics:
        """Return what the rows say of the nuisance parameters, for rows taken with phi = 0."""
        p = len(self.weighted) - 11
        kept = np.hstack([np.arange(p), [p + 10]])
        weighted = np.zeros_like(self.weighted)
        weighted[:, kept] = self.weighted[:, kept]
        return Statistics(np.zeros((11, 11)), _factor(weighted), self.rows)

    def nuisance(self, phi: Array) -> Array:
        """Return the u that goes with phi, as `marginal` estimates it, shape (p,)."""
        p = len(self.weighted) - 11
        pull = np.sqrt(self._row_variance(p) / UNIFORM_VARIANCE)
        B, A, b = self.weighted[:, :p], self.weighted[:, p : p + 10], self.weighted[:, -1]
        left = np.vstack([B, pull * np.eye(p)])
        right = np.concatenate([b - A @ phi, np.zeros(p)])
        return np.linalg.lstsq(left, right, rcond=None)[0]

    def nominal(self) -> NormalForm:
        """Return the unweighted problem with every nuisance parameter at the middle of its box."""
        return _normal_form(self.plain, self.rows)

    def marginal(self) -> NormalForm:
        """Return the weighted problem with the nuisance parameters estimated along.

        They are drawn to the middle of their boxes as strongly as their boxes and the rows'
        residual suggest: minimise |rows|^2 + lambda^2 |u|^2, lambda^2 the ratio of the variances.
        """
        p = len(self.weighted) - 11
        pull = np.sqrt(self._row_variance(p) / UNIFORM_VARIANCE)
        prior = np.hstack([pull * np.eye(p), np.zeros((p, 11))])
        return _normal_form(_factor(self.weighted, prior)[p:, p:], self.rows)

    def _row_variance(self, p: int) -> float:
        """Return the variance of the weighted rows that the residual of a free fit suggests."""
        freedom = self.rows - p - 10
        if freedom < 10:
            return UNIFORM_VARIANCE
        return float(
            np.clip(self.weighted[-1, -1] ** 2 / freedom, LEAST_VARIANCE, UNIFORM_VARIANCE)
        )


def _factor(*parts: Array) -> Array:
    """Return the square R factor of matrices under each other."""
    stacked = np.vstack(parts)
    factor = np.linalg.qr(stacked, mode="r")
    size = stacked.shape[1]
    square = np.zeros((size, size))
    square[: len(factor)] = factor
    return square


def _normal_form(factor: Array, rows: int) -> NormalForm:
    """Split the factor of [A b], shape (11, 11)."""
    return NormalForm(factor[:10, :10], factor[:10, 10], float(abs(factor[10, 10])), rows)


def condition_number(form: NormalForm) -> float:
    """Return the 2-norm condition number of the regressor; infinite when it is singular."""
    values = np.linalg.svd(form.R, compute_uv=False)
    return float(values[0] / values[-1]) if values[-1] > 0 else float("inf")
