"""What can be said of an estimate: a verdict, and the sentence that goes with it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import numpy as np

from ..arrays import Array
from ..body.inertial import PARAMETERS
from ..bounds import Bounds, Interval


class Status(str, Enum):
    """Verdict on an estimate; the value is the name of the message's constant."""

    GOOD = "GOOD"
    USABLE = "USABLE"
    SMALL_LOAD = "SMALL_LOAD"
    NOT_IDENTIFIABLE = "NOT_IDENTIFIABLE"
    INCONSISTENT = "INCONSISTENT"
    NO_DATA = "NO_DATA"
    SOLVER_FAILED = "SOLVER_FAILED"
    WAITING = "WAITING"


FAILED = (Status.INCONSISTENT, Status.NO_DATA, Status.SOLVER_FAILED)  # no intervals to be used

# A parameter counts as identifiable once its interval is at most this part of what the prior
# leaves for a payload of the largest mass that is still possible.
IDENTIFIED = 0.5


def identifiable(interval: Interval, prior: Interval) -> Array:
    """Return which parameters the data bound clearly tighter than the prior did, shape (10,).

    First moments and inertia are compared with the prior of a payload no heavier than the interval
    of the mass allows: a bound on the mass alone does not make them identifiable.
    """
    part = np.clip(interval.upper[0] / prior.upper[0], 0.0, 1.0)
    left = prior.half_width * np.where(np.arange(10) > 0, part, 1.0)
    with np.errstate(invalid="ignore"):
        return np.asarray(interval.half_width <= IDENTIFIED * left)


def verdict(bounds: Bounds, prior: Interval, advice: Sequence[str] = ()) -> tuple[Status, str]:
    """Return the status of consistent bounds and one sentence or two of cause and remedy.

    No status that sounds as if the payload were known is given while its mass is not identified.

    Args:
        bounds: Those found.
        prior: Bounds on phi before any data.
        advice: Sentences that say which motion would help.
    """
    found = identifiable(bounds.interval, prior)
    weak = [name for name, good in zip(PARAMETERS, found, strict=True) if not good]
    if len(weak) == len(PARAMETERS):
        remedy = " ".join(advice) or "Move more joints, over a wider range and faster."
        return Status.NOT_IDENTIFIABLE, (
            f"No parameter is bounded tighter than the prior did. {remedy} Or state smaller sensor "
            "and link uncertainties if they are true."
        )
    lower, upper = bounds.interval.lower[0], bounds.interval.upper[0]
    if not found[0]:
        remedy = " ".join(advice) or "Move joints that lift the payload, over a wider range."
        known = [name for name, good in zip(PARAMETERS, found, strict=True) if good]
        return Status.NOT_IDENTIFIABLE, (
            f"The mass is not identified: that it is between {lower:.3g} and {upper:.3g} kg says "
            f"little more than the prior did. Identified: {', '.join(known)}. {remedy}"
        )
    if lower <= 0.0:
        return Status.SMALL_LOAD, (
            f"The mass interval [0, {upper:.3g}] kg contains zero: there is no load, or one too "
            "small for the stated uncertainties; a tare run narrows them."
        )
    if weak:
        remedy = " ".join(advice) or "Turn the payload about more axes, and faster."
        return Status.USABLE, (
            f"Not identifiable from these data: {', '.join(weak)}; their intervals come from the "
            f"prior and physical consistency. {remedy}"
        )
    return Status.GOOD, "All ten parameters are bounded by the data."


def times_as_large(factor: float) -> str:
    """Return how much larger bounds would have to be, in words; never "1 times as large".

    Args:
        factor: By which bounds must be multiplied, above 1.
    """
    if factor >= 1.05:
        return f"{factor:.3g} times as large"
    part = 100.0 * (factor - 1.0)
    return f"{part:.2g} % larger" if part >= 0.01 else "larger by less than 0.01 %"


def inconsistent(bounds: Bounds, joints: Sequence[str]) -> str:
    """Say how far from consistent the rows are, and who asks for it."""
    asking = [joints[j] for j, share in bounds.blame.items() if share >= 0.1 and j < len(joints)]
    factor = (
        f"all bounds on the data would have to be {times_as_large(bounds.noise_factor)}"
        if np.isfinite(bounds.noise_factor)
        else "no bounds on the data, however large, would help"
    )
    by = f" (asked for by {', '.join(asking)})" if asking else ""
    return f"No payload explains the data within the stated bounds: {factor}{by}."
