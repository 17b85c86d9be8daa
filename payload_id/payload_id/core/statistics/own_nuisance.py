"""What a run says of what it shares with others: all that is the run's own is estimated along."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, BoolArray
from .nuisance_fit import PRIOR, linearised
from .posterior import Posterior
from .statistics import Statistics
from .triangular_factor import factor_of
from .variance_components import UNIFORM_VARIANCE


def of_the_arm(
    run: Statistics, own: BoolArray, phi: Array, largest: Array, fit: Posterior
) -> Statistics:
    """Return what rows say of the nuisance parameters that runs share, as rows of one channel.

    The run's own parameters, and what is not known of its payload, are estimated along, with their
    boxes as prior. Gains count as at the fit; rows are in units of its noise.

    Args:
        run: Statistics of one run, C channels.
        own: Which nuisance parameters are the run's, shape (p,).
        phi: Its payload, NaN where unknown, shape (10,).
        largest: Largest magnitudes of phi, shape (10,).
        fit: To the rows of this run, and of others or not.

    Returns:
        statistics: C + 1 channels, rows in the last one alone.
    """
    p, known = run.p, np.isfinite(phi)
    rows = _in_units_of_noise(run, fit)
    rows[:, -1] -= rows[:, p:-1][:, known] @ phi[known]
    rows[:, p:-1][:, known] = 0.0
    weight = np.concatenate([np.full(p, PRIOR), 1.0 / largest, [0.0]])
    mine = np.concatenate([own, ~known, [False]])
    left = _without(rows, mine, weight[mine])
    count = max(float(run.counts.sum()) - mine.sum(), 0.0)
    return in_one_channel(left, count, len(run.counts))


def of_payload_and_arm(run: Statistics, own: BoolArray, fit: Posterior) -> Statistics:
    """Return what rows say of the payload and of what runs share, as rows of one channel alone.

    Args:
        run: Statistics of one run.
        own: Which nuisance parameters are the run's, shape (p,); estimated along as in
            `of_the_arm`.
        fit: To the rows of this run.
    """
    mine = np.concatenate([own, np.zeros(11, dtype=bool)])
    left = _without(_in_units_of_noise(run, fit), mine, np.full(int(own.sum()), PRIOR))
    return in_one_channel(left, max(float(run.counts.sum()) - mine.sum(), 0.0), 0)


def in_one_channel(factor: Array, count: float, channels: int) -> Statistics:
    """Return statistics whose rows, in units of their noise, are those of one more channel.

    Args:
        factor: R factor of [B A b], shape (p + 11, p + 11).
        count: Number of rows.
        channels: Number of channels before it, which have no rows.
    """
    p = len(factor) - 11
    factors = np.zeros((channels + 1, p + 11, p + 11))
    factors[-1] = factor
    errors = np.zeros((channels + 1, 11))
    errors[-1, 10] = count / UNIFORM_VARIANCE  # bounds of which the noise is a typical part
    counts = np.zeros(channels + 1)
    counts[-1] = count
    gain = np.zeros((channels + 1, p))
    return Statistics(np.zeros((11, 11)), round(count), factors, counts, errors, gain)


def _in_units_of_noise(run: Statistics, fit: Posterior) -> Array:
    """Return rows [B A b] that stand for all rows of a run, shape (C (p + 11), p + 11)."""
    noise = np.sqrt(fit.variance[: len(run.counts)])[:, None, None]
    x = np.concatenate([fit.u, fit.phi])
    return np.asarray(
        (linearised(run.channels, run.gain, x) / noise).reshape(-1, run.p + 11), dtype=float
    )


def _without(rows: Array, mine: BoolArray, weight: Array) -> Array:
    """Return the R factor of rows with some columns estimated along, zeros in their places.

    Args:
        rows: [B A b], shape (m, p + 11).
        mine: Which columns are estimated along, shape (p + 11,).
        weight: Of each of these, as its prior.
    """
    count, size = int(mine.sum()), len(mine)
    kept = ~mine
    prior = np.hstack([np.diag(weight), np.zeros((count, size - count))])
    left = factor_of(np.hstack([rows[:, mine], rows[:, kept]]), prior)[count:, count:]
    whole = np.zeros((size, size))
    whole[: len(left), kept] = left
    return whole
