r"""The fit of (u, phi) that estimators start from: gains on the model's side, u inside its box.

A sensor of unknown gain makes rows in which the reading stands on both sides,

    A phi + B u - b = (1 + gain u) e,

e the reading's noise. Squares of the left side are least where 1 + gain u is small: they draw
gains, and with them links and payload, to zero, the more rows there are the more. Divided by
1 + gain u the rows are those of a model that is scaled by a gain and compared with the reading as
it is,

    rho(u, phi) = (A phi + B u - b) / (1 + gain u) = e,

and their squares are least at the truth [Fuller1987]. Gauss-Newton steps minimise

    sum over the channels |rho|^2 / variance + 3 |u|^2,  u in its box.

rho's derivative is a linear map of the columns [B A b], the same for all rows of a channel: it acts
on their triangular factors, so that the rows are not needed. The proof is in docs/proofs.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from scipy.optimize import lsq_linear

from ..arrays import Array, BoolArray
from .triangular_factor import factor_of
from .variance_components import HARDLY_SEEN, UNIFORM_VARIANCE, residual_variance, stated_variance

STEPS = 20  # Gauss-Newton steps at the most
SETTLED = 1e-7  # of a box's half-width: a smaller step is the last
VARIANCES = 4  # steps after which the channels' variances may change
LEAST_SCALE = 0.5  # of 1 + gain u = 1 / (1 + g): a sensor's g is below 1
LEAST_WIDTH = 1e-12  # of a box that the solver takes
CHANGES = 10  # of the ends that u are held at, for each of them, at the most
PRIOR = float(np.sqrt(1.0 / UNIFORM_VARIANCE))  # weight of u


@dataclass(frozen=True)
class NuisanceFit:
    """What the data say of u and phi together.

    Attributes:
        x: u and phi, shape (p + 10,).
        held: Which u are at an end of their box, shape (p,).
        factor: R factor of [B A b] and of u's prior under it, linearised at x, in units of the
            noise, shape (p + 11, p + 11).
        variance: Of each channel's rows, in units of their bounds, shape (C,).
    """

    x: Array
    held: BoolArray
    factor: Array
    variance: Array

    def of_phi(self) -> Array:
        """Return the factor of [A b] with u estimated along, shape (11, 11).

        What is at an end of its box stays there.
        """
        return without_nuisance(self.factor, self.x[: len(self.held)], self.held)


def nuisance_fit(
    factors: Array, counts: Array, errors: Array, gain: Array, size: float = 1.0
) -> NuisanceFit:
    """Return the fit to the rows of all channels, each in units of its noise.

    Args:
        factors: R factors of the channels' rows [B A b], each row divided by its bound, shape
            (C, p + 11, p + 11).
        counts: Number of rows of each channel, shape (C,).
        errors: As `Statistics.errors`, shape (C, 11).
        gain: As in `linearised`.
        size: Of u's box, in units of the stated one; inf leaves u to the rows and its prior.
    """
    p, x = gain.shape[1], np.zeros(gain.shape[1] + 10)
    variance = stated_variance(counts, errors, np.zeros(10)) * UNIFORM_VARIANCE
    lower, upper = box_of(gain, size)
    gains = gain.any(axis=0)
    ends = np.where(gains, 0.0, lower), np.where(gains, 0.0, upper)  # of the first step
    settled = False
    for step in range(STEPS):
        weighted = linearised(factors, gain, x) / np.sqrt(variance)[:, None, None]
        before = x
        x, held, factor = box_fit(weighted, PRIOR, *ends)
        ends = lower, upper
        moved = float(np.abs(x - before)[:p].max(initial=0.0))
        if settled and (moved < SETTLED or not gains.any()):
            break
        if not settled:
            left = linearised(factors, gain, x) @ np.append(x, -1.0)
            new = residual_variance(left, weighted, seen(factor), x[p:], counts, errors)
            settled = step + 1 >= VARIANCES or bool(np.allclose(new, variance, rtol=1e-3, atol=0.0))
            variance = new
    return NuisanceFit(x, held, factor, variance)


def box_fit(
    weighted: Array, pull: float, lower: Array, upper: Array
) -> tuple[Array, BoolArray, Array]:
    """Minimise |rows|^2 + pull^2 |u|^2 over phi, and u in a box.

    Args:
        weighted: R factors of rows [B A b], shape (..., p + 11).
        pull: Weight of u.
        lower: Shape (p,).
        upper: Shape (p,).

    Returns:
        x: u and phi, shape (p + 10,).
        held: Which u are at an end of the box, shape (p,).
        factor: R factor of the rows and of u's prior, shape (p + 11, p + 11).
    """
    p = len(lower)
    prior = np.hstack([pull * np.eye(p), np.zeros((p, 11))])
    factor = factor_of(weighted.reshape(-1, p + 11), prior)
    full = seen(factor)
    x = scipy.linalg.solve_triangular(full[:-1, :-1], full[:-1, -1])
    if ((lower <= x[:p]) & (x[:p] <= upper)).all():
        return x, np.zeros(p, dtype=bool), factor
    order = np.r_[p : p + 10, :p, p + 10]
    turned = factor_of(full[:, order])  # phi first: what is left below tells u
    ends = lower, np.maximum(upper, lower + LEAST_WIDTH)
    found = lsq_linear(
        turned[10:-1, 10:-1], turned[10:-1, -1], ends, method="bvls", max_iter=CHANGES * p
    )
    u, held = np.minimum(found.x, upper), found.active_mask != 0
    right = turned[:10, -1] - turned[:10, 10:-1] @ u
    phi = scipy.linalg.solve_triangular(turned[:10, :10], right)
    return np.concatenate([u, phi]), held, factor


def seen(factor: Array) -> Array:
    """Return the factor of [B A b] with phi's columns of full rank, shape (p + 11, p + 11)."""
    p = len(factor) - 11
    hold = HARDLY_SEEN * np.linalg.norm(factor[:, p:-1], axis=0) + 1e-150
    full = factor.copy()
    full[p:, p:] = factor_of(factor[p:, p:], np.column_stack([np.diag(hold), np.zeros(10)]))
    return full


def without_nuisance(factor: Array, u: Array, held: BoolArray) -> Array:
    """Return the factor of [A b] when u is estimated along, shape (11, 11).

    Args:
        factor: R factor of [B A b] and u's prior, shape (p + 11, p + 11).
        u: Shape (p,); counts where it is held.
        held: Which u are known, shape (p,).
    """
    p = len(u)
    if not held.any():
        return factor[p:, p:]
    b = factor[:, -1:] - factor[:, :p][:, held] @ u[held][:, None]
    free = int((~held).sum())
    return factor_of(np.hstack([factor[:, :p][:, ~held], factor[:, p:-1], b]))[free:, free:]


def box_of(gain: Array, size: float = 1.0) -> tuple[Array, Array]:
    """Return the ends of u's box, shape (p,) each.

    Args:
        gain: Shape (C, p).
        size: In units of the stated one.
    """
    largest = np.maximum(gain.max(axis=0, initial=0.0), 1e-9)
    lower = np.maximum(-size, -(1.0 - LEAST_SCALE) / largest)
    return lower, np.full(gain.shape[1], size)


def linearised(factors: Array, gain: Array, x: Array) -> Array:
    """Return the factors of rho's linear expansion about x: their residual there is rho.

    Args:
        factors: R factors of the channels' rows [B A b], shape (C, p + 11, p + 11).
        gain: How 1 + gain u grows with u, shape (C, p).
        x: u and phi, shape (p + 10,).
    """
    p = gain.shape[1]
    if not gain.any():
        return factors
    grown = gain @ x[:p]
    scale = (1.0 + grown)[:, None]
    rho = factors @ np.append(x, -1.0) / scale
    result = factors / scale[:, :, None]
    result[:, :, :p] -= rho[:, :, None] * (gain / scale)[:, None, :]
    result[:, :, -1] -= rho * (grown[:, None] / scale)
    return result
