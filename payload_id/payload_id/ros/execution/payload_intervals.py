"""The payload's intervals in force: whether motions that are certified for others may go on."""

from __future__ import annotations

import numpy as np
from payload_id_msgs.msg import PayloadEstimate

from ...core.arrays import Array
from .start_check import NotReadyError

USABLE = (PayloadEstimate.GOOD, PayloadEstimate.TOO_WIDE, PayloadEstimate.SMALL_LOAD)


def is_usable(estimate: PayloadEstimate | None) -> bool:
    """Tell whether an estimate's intervals may be relied on."""
    return estimate is not None and estimate.status in USABLE


def estimate_intervals(estimate: PayloadEstimate | None) -> tuple[Array, Array]:
    """Return the intervals of an estimate, shape (10,) each."""
    if estimate is None:
        return np.full(10, -np.inf), np.full(10, np.inf)
    return np.array(estimate.lower, dtype=float), np.array(estimate.upper, dtype=float)


def check_payload(estimate: PayloadEstimate | None, lower: Array, upper: Array) -> None:
    """Raise unless what the estimator says now agrees with certified intervals.

    Args:
        estimate: Its newest; None before the first.
        lower: Least phi that was certified for, shape (10,).
        upper: Largest, shape (10,).

    Raises:
        NotReadyError: The data are inconsistent, or it may be another payload.
    """
    if estimate is not None and estimate.status == PayloadEstimate.INCONSISTENT:
        raise NotReadyError(f"The estimator finds the data inconsistent: {estimate.message}")
    if is_usable(estimate) and not is_within(estimate, lower, upper):
        raise NotReadyError(
            "The estimator's intervals are not within those of this plan: it was made for another "
            "payload. Plan again."
        )


def is_within(estimate: PayloadEstimate | None, lower: Array, upper: Array) -> bool:
    """Tell whether an estimate's intervals lie within certified ones, shape (10,) each."""
    low, high = estimate_intervals(estimate)
    slack = 1e-9 * (1.0 + upper - lower)
    return bool(((low >= lower - slack) & (high <= upper + slack)).all())
