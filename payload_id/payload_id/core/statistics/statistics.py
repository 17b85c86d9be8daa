"""Sufficient statistics of the rows: triangular factors whose size does not grow with the data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.linalg

from ..arrays import Array
from ..errors import InputError
from ..rows.row_block import RowBlock
from .normal_form import NormalForm, normal_form
from .triangular_factor import channels_with, factor_of

# Variance of a number that is uniform in [-1, 1]: what a bound of one says about a typical size.
UNIFORM_VARIANCE = 1.0 / 3.0
LEAST_VARIANCE = 1e-8
DYNAMISM_SCALE = 300.0  # c1 of eq. 9 of [NGK], the value of its Sec. V
DEPENDENT = 1e-11  # part of the largest column below which what is left of one is rounding
POOLED_ROWS = 10.0  # rows' worth of trust in the ratios of the channels' bounds
LEAST_FREEDOM = 10  # rows beyond the unknowns from which residuals say something of the noise
HARDLY_SEEN = 1e-10  # part of a column that keeps a direction without data from being undetermined


@dataclass(frozen=True)
class Statistics:
    """Triangular factors of all rows so far.

    Attributes:
        plain: R factor of [A b], rows as they are, shape (11, 11).
        weighted: R factor of [B A b], each row divided by its bound, shape (p + 11, p + 11).
        rows: Number of rows.
        channels: As `weighted`, for each channel by itself, shape (C, p + 11, p + 11).
        counts: Number of rows of each channel, shape (C,).
        errors: Sum of the squares of [A_error d] / bound over the rows of each channel, shape
            (C, 11).
        blended: As `channels`, for rows that are mixed of the full and the gravity-only model by
            their dynamism [NGK, eq. 8]; None as long as all rows are of the full model.
    """

    plain: Array
    weighted: Array
    rows: int
    channels: Array
    counts: Array
    errors: Array
    blended: Array | None = None

    @classmethod
    def empty(cls, p: int) -> Statistics:
        """Return the statistics of no rows, for p nuisance parameters."""
        none = np.zeros((0, p + 11, p + 11))
        square = np.zeros((p + 11, p + 11))
        return cls(np.zeros((11, 11)), square, 0, none, np.zeros(0), np.zeros((0, 11)))

    @property
    def p(self) -> int:
        """Number of nuisance parameters."""
        return len(self.weighted) - 11

    def add(self, block: RowBlock, phi_max: Array) -> Statistics:
        """Return the statistics with more rows.

        Args:
            block: The rows.
            phi_max: Largest |phi| expected, shape (10,): it sets the rows' weights only.

        Raises:
            InputError: A row holds a number that is not finite.
        """
        bound = block.bound(phi_max)[:, None]
        plain = np.column_stack([block.A, block.b])
        weighted = np.column_stack([block.B, plain]) / bound
        error = np.column_stack([block.A_error, block.d]) / bound
        if not (np.isfinite(weighted).all() and np.isfinite(error).all()):
            bad = np.flatnonzero(~np.isfinite(np.column_stack([weighted, error])).all(axis=1))
            raise InputError(
                f"Rows must be finite numbers with bounds above zero; row {bad[0]} of {len(block)} "
                f"(channel {block.joint[bad[0]]}, from {block.start[bad[0]]:g} s) is not. Drop the "
                "samples that hold NaN before rows are made of them."
            )
        counts, errors = self._counted(block.joint, error)
        channels = channels_with(self.channels, block.joint, weighted)
        return Statistics(
            factor_of(self.plain, plain),
            factor_of(self.weighted, weighted),
            self.rows + len(block),
            channels,
            counts,
            errors,
            self._blend_with(block, weighted, bound),
        )

    def _counted(self, channel: Array, error: Array) -> tuple[Array, Array]:
        """Return counts and squared errors of the channels with more rows."""
        number = max(len(self.counts), int(channel.max(initial=-1)) + 1)
        counts = np.bincount(channel, minlength=number).astype(float)
        counts[: len(self.counts)] += self.counts
        errors = np.zeros((number, 11))
        errors[: len(self.errors)] = self.errors
        np.add.at(errors, channel, error**2)
        return counts, errors

    def _blend_with(self, block: RowBlock, weighted: Array, bound: Array) -> Array | None:
        """Return the factors of the mixed rows with more rows."""
        w = np.tanh(3.0 * block.dynamism / DYNAMISM_SCALE)[:, None]
        if self.blended is None and (w == 1.0).all():
            return None
        before = self.channels if self.blended is None else self.blended
        static = weighted.copy()
        static[:, self.p : self.p + 10] = block.A_static / bound
        rows = np.vstack([w * weighted, (1.0 - w) * static])
        return channels_with(before, np.tile(block.joint, 2), rows)

    def of_nuisance_only(self, phi: Array | None = None) -> Statistics:
        """Return what the rows say of the nuisance parameters, for rows taken with a known phi.

        Args:
            phi: The payload, shape (10,); None for no payload.
        """
        if phi is not None and phi.any():
            return self._less(phi).of_nuisance_only()
        errors = self.errors.copy()
        errors[:, :10] = 0.0
        return Statistics(
            np.zeros((11, 11)),
            self._without_phi(self.weighted),
            self.rows,
            self._each_without_phi(self.channels),
            self.counts,
            errors,
            None if self.blended is None else self._each_without_phi(self.blended),
        )

    def _less(self, phi: Array) -> Statistics:
        """Return the statistics of the rows A phi' + B u = b - A phi."""

        def moved(factor: Array) -> Array:
            factor = factor.copy()
            factor[..., -1] -= factor[..., -11:-1] @ phi
            return factor

        return replace(
            self,
            plain=moved(self.plain),
            weighted=moved(self.weighted),
            channels=moved(self.channels),
            blended=None if self.blended is None else moved(self.blended),
        )

    def _each_without_phi(self, factors: Array) -> Array:
        """Return factors, shape (C, p + 11, p + 11), as if the coefficients of phi were zero."""
        return np.array([self._without_phi(x) for x in factors]).reshape(factors.shape)

    def _without_phi(self, factor: Array) -> Array:
        """Return a factor as if the coefficients of phi were zero."""
        kept = np.zeros_like(factor)
        kept[:, : self.p], kept[:, -1] = factor[:, : self.p], factor[:, -1]
        return factor_of(kept)

    def nuisance(self, phi: Array) -> Array:
        """Return the u that goes with phi, as `marginal` estimates it, shape (p,)."""
        p = self.p
        pull = np.sqrt(self.row_variance() / UNIFORM_VARIANCE)
        B, A, b = self.weighted[:, :p], self.weighted[:, p : p + 10], self.weighted[:, -1]
        left = np.vstack([B, pull * np.eye(p)])
        right = np.concatenate([b - A @ phi, np.zeros(p)])
        return np.linalg.lstsq(left, right, rcond=None)[0]

    def nominal(self) -> NormalForm:
        """Return the unweighted problem with every nuisance parameter at the middle of its box."""
        return normal_form(self.plain, self.rows)

    def marginal(self) -> NormalForm:
        """Return the weighted problem with the nuisance parameters estimated along.

        They are drawn to the middle of their boxes as strongly as their boxes and the rows'
        residual suggest: minimise |rows|^2 + lambda^2 |u|^2, lambda^2 the ratio of the variances.
        """
        return self._eliminated(self.weighted, np.sqrt(self.row_variance() / UNIFORM_VARIANCE))

    def mixed(self) -> NormalForm:
        """Return `marginal` for the rows mixed by their dynamism, in units of what a fit leaves.

        That holds what the gravity-only model leaves out, beside the noise.
        """
        return self._weighted_by_noise(self.channels if self.blended is None else self.blended)

    def balanced(self) -> NormalForm:
        """Return `marginal` with each channel weighted by its own noise, in units of the noise.

        The noise of a channel is what a free fit leaves of its rows. Weights and fit are found in
        turn (estimated generalised least squares; leverages count as in variance component
        estimation [Foerstner1979]).
        """
        return self._weighted_by_noise(self.channels)

    def _weighted_by_noise(self, factors: Array) -> NormalForm:
        """Return the problem of the channels' factors (C, p + 11, p + 11), each by its noise."""
        factors = factors / np.sqrt(self._variance_of(factors))[:, None, None]
        stacked = factors.reshape(-1, self.p + 11)
        return self._eliminated(stacked, np.sqrt(1.0 / UNIFORM_VARIANCE))

    def channel_variance(self, rounds: int = 4) -> Array:
        """Return the variance of each channel's rows in units of their bounds, shape (C,).

        What the residuals say, with `POOLED_ROWS` rows' worth of trust in the ratios of the bounds.
        """
        return self._variance_of(self.channels, rounds)

    def _variance_of(self, factors: Array, rounds: int = 4) -> Array:
        """Return `channel_variance` as the residuals of some factors (C, p + 11, p + 11) say it."""
        expected = self._stated_variance(np.zeros(10))
        variance = expected * UNIFORM_VARIANCE
        for _ in range(rounds):
            x, squares, leverage = self._free_fit(factors, variance)
            free = np.maximum(self.counts - leverage, 0.0)
            expected = self._stated_variance(x[self.p :])
            before, variance = variance, expected * _shrunk(squares / expected, free)
            if np.allclose(variance, before, rtol=1e-3, atol=0.0):
                break
        return variance

    def _free_fit(self, factors: Array, variance: Array) -> tuple[Array, Array, Array]:
        """Return the fit (u, phi) to factors for given variances, and what it does in each channel.

        Everything is computed from triangular factors: squares of residuals taken from sums of
        squares would vanish in rounding where data are nearly exact.

        Returns:
            x: Shape (p + 10,).
            squares: Squared residuals of each channel, shape (C,).
            leverage: Degrees of freedom that the fit takes from each channel, shape (C,).
        """
        k = self.p + 10
        weighted = (factors / np.sqrt(variance)[:, None, None]).reshape(-1, k + 1)
        hold = HARDLY_SEEN * np.linalg.norm(weighted[:, :k], axis=0) + 1e-150
        hold[: self.p] = np.sqrt(1.0 / UNIFORM_VARIANCE)
        factor = factor_of(weighted, np.column_stack([np.diag(hold), np.zeros(k)]))
        triangle = factor[:k, :k]
        x = scipy.linalg.solve_triangular(triangle, factor[:k, k])
        left = factors @ np.append(x, -1.0)
        spread = scipy.linalg.solve_triangular(triangle, weighted[:, :k].T, trans="T")
        leverage = (spread**2).sum(axis=0).reshape(len(variance), k + 1).sum(axis=1)
        return x, (left**2).sum(axis=1), leverage

    def _stated_variance(self, phi: Array) -> Array:
        """Return the mean of the squared bounds of each channel's parts at phi, shape (C,)."""
        whole = self.errors @ np.append(phi**2, 1.0)
        return np.where(whole > 0, whole, 1.0) / np.maximum(self.counts, 1.0)

    def noise_moments(self, phi: Array) -> Array:
        """Return what noise adds to the sums of squares of [A b] in `balanced`, shape (11,).

        The bounds say how noise is divided between A and b; how large a channel's is, its rows'
        residuals say. In units of that noise only the division remains. Up to a common factor.
        """
        whole = self.errors @ np.append(phi**2, 1.0)
        share = np.divide(self.counts, whole, out=np.zeros(len(whole)), where=whole > 0)
        return np.asarray(share @ self.errors)

    def row_variance(self) -> float:
        """Return the variance of the weighted rows that the residual of a free fit suggests."""
        if self.rows - self.p - 10 < LEAST_FREEDOM:
            return UNIFORM_VARIANCE
        # Some parameters only occur in sums: the factor is singular, and its corner no residual.
        Q, R, _ = scipy.linalg.qr(self.weighted[:, :-1], mode="economic", pivoting=True)
        diagonal = np.abs(np.diag(R))
        Q = Q[:, diagonal > DEPENDENT * diagonal[0]]
        b = self.weighted[:, -1]
        squares = float(np.sum((b - Q @ (Q.T @ b)) ** 2))
        freedom = self.rows - Q.shape[1]
        return float(np.clip(squares / freedom, LEAST_VARIANCE, UNIFORM_VARIANCE))

    def _eliminated(self, factor: Array, pull: float) -> NormalForm:
        """Return the problem in phi that is left when u, drawn to zero, is estimated along."""
        p = self.p
        prior = np.hstack([pull * np.eye(p), np.zeros((p, 11))])
        return normal_form(factor_of(factor, prior)[p:, p:], self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists; `Statistics.from_dict` reads them back."""
        return {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in vars(self).items()
        }

    @classmethod
    def from_dict(cls, entries: dict[str, Any]) -> Statistics:
        """Build from plain numbers, as `to_dict` gives them."""
        empty = cls.empty(len(entries["weighted"]) - 11)
        arrays = {
            name: np.reshape(value, (-1, *getattr(empty, name).shape[1:]))
            for name, value in entries.items()
            if name not in ("rows", "blended")
        }
        blended = None if entries["blended"] is None else np.array(entries["blended"])
        return cls(rows=entries["rows"], blended=blended, **arrays)


def _shrunk(squares: Array, free: Array) -> Array:
    """Return the variances of channels, drawn to their geometric mean as if it were rows.

    Args:
        squares: Sums of squared residuals, shape (C,).
        free: Degrees of freedom of each, shape (C,).
    """
    if free.sum() < LEAST_FREEDOM:
        return np.full(len(free), UNIFORM_VARIANCE)
    logs = np.log(np.maximum(squares / np.maximum(free, 1e-9), LEAST_VARIANCE))
    mean = float(free @ logs / free.sum())
    return np.exp((free * logs + POOLED_ROWS * mean) / (free + POOLED_ROWS))
