"""Estimates for what shows them."""

import numpy as np

from payload_id.core.identification.estimate import Estimate
from payload_id.core.identification.status import Status


def estimate_at(seconds=1.0, status=Status.GOOD, half_width=1.0):
    """Return an estimate of 1 everywhere, from so much data [s]."""
    return Estimate(
        phi=np.ones(10), lower=np.full(10, 1.0 - half_width), upper=np.full(10, 1.0 + half_width),
        identifiable=np.ones(10, dtype=bool), status=status, message="", estimator="lmi",
        intervals="bounded", samples=10, windows=1, seconds=seconds, residual_rms=0.0,
        condition_number=1.0, noise_factor=np.nan, cause="", payload_frame="tool",
    )  # fmt: skip
