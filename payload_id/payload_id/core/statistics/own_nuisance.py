"""What a run says of the arm alone: all that is the run's own is estimated along."""

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
    x = np.concatenate([fit.u, fit.phi])
    noise = np.sqrt(fit.variance[: len(run.counts)])[:, None, None]
    rows = (linearised(run.channels, run.gain, x) / noise).reshape(-1, p + 11)
    rows[:, -1] -= rows[:, p:-1][:, known] @ phi[known]
    mine = np.concatenate([own, ~known, [False]])
    kept = np.concatenate([~own, np.zeros(10, dtype=bool), [True]])
    prior = np.diag(np.concatenate([np.full(own.sum(), PRIOR), 1.0 / largest[~known]]))
    count = len(prior)
    prior = np.hstack([prior, np.zeros((count, kept.sum()))])
    left = factor_of(np.hstack([rows[:, mine], rows[:, kept]]), prior)[count:, count:]
    whole = np.zeros((p + 11, p + 11))
    whole[: len(left), kept] = left
    return in_one_channel(whole, max(float(run.counts.sum()) - count, 0.0), len(run.counts))


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
    return Statistics(np.zeros((11, 11)), factor, round(count), factors, counts, errors)
