"""Sufficient statistics of the rows: triangular factors whose size does not grow with the data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..arrays import Array
from ..errors import InputError
from ..rows.row_block import RowBlock
from .normal_form import NormalForm, normal_form
from .nuisance_fit import (
    NuisanceFit,
    box_fit,
    box_of,
    linearised,
    nuisance_fit,
    without_nuisance,
)
from .triangular_factor import channels_with, factor_of
from .variance_components import UNIFORM_VARIANCE, row_variance


@dataclass(frozen=True)
class Statistics:
    """Triangular factors of all rows so far.

    Attributes:
        plain: R factor of [A b], rows as they are, shape (11, 11).
        rows: Number of rows.
        channels: R factors of each channel's rows [B A b], each row divided by its bound, shape
            (C, p + 11, p + 11).
        counts: Number of rows of each channel, shape (C,).
        errors: Sum of the squares of [A_error d] / bound over the rows of each channel, shape
            (C, 11).
        gain: How the error of a channel's rows grows with the nuisance parameters, as
            `RowSource.growth` says it, shape (C, p).
        blended: As `channels`, for rows that are mixed of the full and the gravity-only model by
            their `full_share` [NGK, eq. 8]; None as long as all rows are of the full model.
    """

    plain: Array
    rows: int
    channels: Array
    counts: Array
    errors: Array
    gain: Array
    blended: Array | None = None

    @classmethod
    def empty(cls, p: int, gain: Array | None = None) -> Statistics:
        """Return the statistics of no rows, for p nuisance parameters.

        Args:
            p: Their number.
            gain: How the error of each channel's rows grows with them, shape (C, p); None: not.
        """
        gain = np.zeros((0, p)) if gain is None else gain
        none = np.zeros((len(gain), p + 11, p + 11))
        counts, errors = np.zeros(len(gain)), np.zeros((len(gain), 11))
        return cls(np.zeros((11, 11)), 0, none, counts, errors, gain)

    @property
    def p(self) -> int:
        """Number of nuisance parameters."""
        return int(self.gain.shape[1])

    @cached_property
    def weighted(self) -> Array:
        """R factor of all rows [B A b], each divided by its bound, shape (p + 11, p + 11)."""
        return factor_of(self.channels.reshape(-1, self.p + 11))

    def add(self, block: RowBlock, phi_max: Array) -> Statistics:
        """Return the statistics with more rows.

        Args:
            block: The rows.
            phi_max: Largest |phi| expected, shape (10,): it sets the rows' weights only.

        Raises:
            InputError: A row holds a number that is not finite.
        """
        bound = block.bound(phi_max)[:, None]
        B, b = block.unbiased()
        plain = np.column_stack([block.A, b])
        weighted = np.column_stack([B, plain]) / bound
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
            self.rows + len(block),
            channels,
            counts,
            errors,
            np.pad(self.gain, ((0, len(counts) - len(self.gain)), (0, 0))),
            self._blend_with(block, weighted, bound),
        )

    def joined(self, other: Statistics) -> Statistics:
        """Return the statistics of the rows of both, which have the same nuisance parameters."""
        number = max(len(self.counts), len(other.counts))
        one, two = self._with_channels(number), other._with_channels(number)
        blended = None
        if one.blended is not None or two.blended is not None:
            blended = _each_under(one._mixed_channels, two._mixed_channels)
        return Statistics(
            factor_of(one.plain, two.plain),
            one.rows + two.rows,
            _each_under(one.channels, two.channels),
            one.counts + two.counts,
            one.errors + two.errors,
            np.where(one.gain != 0.0, one.gain, two.gain),
            blended,
        )

    @property
    def _mixed_channels(self) -> Array:
        """Factors of the mixed rows; those of the full model where none are mixed."""
        return self.channels if self.blended is None else self.blended

    def _with_channels(self, number: int) -> Statistics:
        """Return the same with more channels, which have no rows."""
        more = number - len(self.counts)
        if not more:
            return self

        def padded(array: Array) -> Array:
            return np.pad(array, [(0, more)] + [(0, 0)] * (array.ndim - 1))

        return replace(
            self,
            channels=padded(self.channels),
            counts=padded(self.counts),
            errors=padded(self.errors),
            blended=None if self.blended is None else padded(self.blended),
            gain=padded(self.gain),
        )

    def thinned(self, part: float) -> Statistics:
        """Return the statistics of as much data as a part of the rows, which are all alike."""
        root = float(np.sqrt(part))
        return replace(
            self,
            plain=root * self.plain,
            channels=root * self.channels,
            counts=part * self.counts,
            errors=part * self.errors,
            blended=None if self.blended is None else root * self.blended,
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
        w = block.full_share[:, None]
        if self.blended is None and (w == 1.0).all():
            return None
        before = self._mixed_channels
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
            self.rows,
            self._each_without_phi(self.channels),
            self.counts,
            errors,
            self.gain,
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
        """Return the u in its box that goes with phi, as `marginal` estimates it, shape (p,)."""
        p, factor = self.p, self._linear()
        known = factor.copy()
        known[:, -1] -= factor[:, p : p + 10] @ phi
        known[:, p : p + 10] = 0.0
        return box_fit(known, self._pull(factor), *box_of(self.gain))[0][:p]

    def nominal(self) -> NormalForm:
        """Return the unweighted problem with every nuisance parameter at the middle of its box."""
        return normal_form(self.plain, self.rows)

    def marginal(self) -> NormalForm:
        """Return the weighted problem with the nuisance parameters estimated along.

        They are drawn to the middle of their boxes as strongly as their boxes and the rows'
        residual suggest: minimise |rows|^2 + lambda^2 |u|^2, lambda^2 the ratio of the variances.
        They do not leave their boxes, and gains count as `nuisance_fit` says.
        """
        factor = self._linear()
        x, held, with_prior = box_fit(factor, self._pull(factor), *box_of(self.gain))
        return normal_form(without_nuisance(with_prior, x[: self.p], held), self.rows)

    def _linear(self) -> Array:
        """Return `weighted`, with gains on the model's side."""
        if not self.gain.any():
            return self.weighted
        fit = self._fit(self.channels)
        return factor_of(*linearised(self.channels, self.gain, fit.x))

    def _pull(self, factor: Array) -> float:
        """Return how strongly nuisance parameters are drawn to the middle of their boxes."""
        return float(np.sqrt(row_variance(factor, self.rows) / UNIFORM_VARIANCE))

    def mixed(self) -> NormalForm:
        """Return `marginal` for the rows mixed by their dynamism, in units of what a fit leaves.

        That holds what the gravity-only model leaves out, beside the noise.
        """
        return self._balanced(self._mixed_channels)

    def balanced(self) -> NormalForm:
        """Return `marginal` with each channel weighted by its own noise, in units of the noise.

        The noise of a channel is what a free fit leaves of its rows (estimated generalised least
        squares).
        """
        return self._balanced(self.channels)

    def _balanced(self, factors: Array) -> NormalForm:
        """Return the problem of the channels' factors (C, p + 11, p + 11), each by its noise."""
        return normal_form(self._fit(factors).of_phi(), self.rows)

    def _fit(self, factors: Array) -> NuisanceFit:
        """Return the fit of u and phi to the channels' factors."""
        return nuisance_fit(factors, self.counts, self.errors, self.gain)

    def noise_moments(self, phi: Array) -> Array:
        """Return what noise adds to the sums of squares of [A b] in `balanced`, shape (11,).

        The bounds say how noise is divided between A and b; how large a channel's is, its rows'
        residuals say. In units of that noise only the division remains. Up to a common factor.
        """
        whole = self.errors @ np.append(phi**2, 1.0)
        share = np.divide(self.counts, whole, out=np.zeros(len(whole)), where=whole > 0)
        return np.asarray(share @ self.errors)


def _each_under(above: Array, below: Array) -> Array:
    """Return the factors of each channel's rows, shape (C, k, k), of two lots of them."""
    return np.asarray(np.linalg.qr(np.concatenate([above, below], axis=1), mode="r"))
