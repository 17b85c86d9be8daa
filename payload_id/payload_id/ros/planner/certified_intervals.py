"""The payload's intervals: which ones a motion is certified for."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from payload_id_msgs.msg import ExcitationGoal, PayloadEstimate

from ...core.arrays import Array
from ...core.body.inertial import PARAMETERS
from ...core.body.payload_prior import PayloadPrior
from ...core.errors import InputError
from ..execution.payload_intervals import estimate_intervals, is_usable

NEVER_NEGATIVE = ("m", "Ixx", "Iyy", "Izz")
ESTIMATED = "the estimator's newest intervals"  # where intervals come from


def intervals_from(
    message: ExcitationGoal, estimate: PayloadEstimate | None, prior: PayloadPrior
) -> tuple[Array, Array, str]:
    """Return the payload's intervals, shape (10,) each, and where they come from.

    Raises:
        InputError: Given ones are incomplete, or no body has such parameters.
    """
    if message.intervals == ExcitationGoal.INTERVALS_GIVEN:
        given = _given(message.phi_lower, message.phi_upper, prior)
        return *given, "given with the goal, within the prior"
    if message.intervals not in (
        ExcitationGoal.INTERVALS_CURRENT,
        ExcitationGoal.INTERVALS_PRIOR,
    ):
        raise InputError(
            f"The goal's 'intervals' must be 0 (current), 1 (prior) or 2 (given); found "
            f"{message.intervals}."
        )
    if message.intervals == ExcitationGoal.INTERVALS_CURRENT and is_usable(estimate):
        lower, upper = estimate_intervals(estimate)
        return *_possible(lower, upper, "that the estimator says"), ESTIMATED
    return *prior.box(), "the prior box of the robot file or the parameters"


def _given(
    lower: Iterable[float], upper: Iterable[float], prior: PayloadPrior
) -> tuple[Array, Array]:
    """Return intervals that a goal gives, as far as the prior allows."""
    low, high = np.array(list(lower), dtype=float), np.array(list(upper), dtype=float)
    if low.shape != (10,) or high.shape != (10,):
        raise InputError(
            "Intervals given with a goal need ten numbers in phi_lower and ten in phi_upper; found "
            f"{len(low)} and {len(high)}."
        )
    _possible(low, high, "given")
    least, most = prior.box()
    return _possible(np.maximum(low, least), np.minimum(high, most), "given, within the prior,")


def _possible(low: Array, high: Array, whose: str) -> tuple[Array, Array]:
    """Return intervals, unless no body has such parameters."""
    for name, a, b in zip(PARAMETERS, low, high, strict=True):
        if not a <= b:
            raise InputError(
                f"The interval {whose} for {name} is inverted or not a number: {a:g} to {b:g}."
            )
        if name in NEVER_NEGATIVE and b < 0.0:
            raise InputError(f"No body has a {name} of {a:g} to {b:g}: it is never below 0.")
    return low, high
