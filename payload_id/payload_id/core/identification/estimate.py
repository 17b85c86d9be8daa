"""The answer: a point estimate, intervals, and everything needed to judge them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from ..arrays import Array, real_numbers
from ..body.inertial import PARAMETERS, UNITS, is_physical
from ..bounds.confidence import Confidence
from ..codec import as_json
from ..diagnosis import Sensitivity, sensitivity_in_words
from ..errors import InputError
from ..history import CalibratedInterval
from ..views import Viewed
from .headline import Headline
from .status import Status
from .width import WidthShare


@dataclass(frozen=True)
class Estimate(Viewed):
    """What is known of the payload.

    Attributes:
        phi: Point estimate, shape (10,), NaN if there is none.
        lower: Lower ends of the intervals, shape (10,), -inf where nothing is known.
        upper: Upper ends, shape (10,), inf where nothing is known.
        identifiable: Which parameters the data bound clearly tighter than the prior, shape (10,).
        status: The verdict.
        message: One sentence: cause and remedy.
        estimator: Name of the estimator.
        intervals: Name of the interval method.
        samples: Number of samples taken in before the update, with those of a window that is not
            full yet; how many these are depends on how the samples came in pieces.
        false_samples: Number of those that were left out before it as false, by cause.
        windows: Number of windows used.
        seconds: Time that the data cover [s].
        residual_rms: Root mean square of what the estimate leaves unexplained, as a mean torque
            over a window [N m].
        condition_number: Of the payload's regressor.
        noise_factor: Smallest common factor on all bounds that makes the data consistent; NaN if
            they are consistent.
        payload_frame: Frame of phi.
        bound_factor: How many times as large as stated the bounds of each channel are that the
            intervals are for, shape (C,); None: as stated.
        interval_overhead: By how much the proven intervals are wider than the solver's own, the
            largest part of a half-width; NaN if nothing was solved.
        cause: Likely cause of inconsistent data, such as "torque sign"; empty if none is known.
        blame: Which joints' data ask for a larger noise factor, and when: joint, start [s],
            end [s] and share of all that is asked for.
        calibrated: Intervals with a probability from the arm's history, beside `lower` and
            `upper`; None where they were not asked for.
        confidence: Intervals with a probability from the data themselves, constants anywhere in
            their stated boxes; None where there are too few data, or they are inconsistent.
        rests_on: What the mass rests on that the data would not show to be false in time; empty
            where that was not asked for, or the mass is not identified.
        width: Which stated bound makes how much of the intervals' widths, that of the mass first.
        headline: Mass and centre of mass by the strongest kind of interval that the data have
            earned; None where there is no number.
        since: When this payload came into the hand, after the run's begin [s]; NaN where that is
            not told.
    """

    phi: Array
    lower: Array
    upper: Array
    identifiable: Array
    status: Status
    message: str
    estimator: str
    intervals: str
    samples: int = 0
    false_samples: Mapping[str, int] = field(default_factory=dict)
    windows: int = 0
    seconds: float = 0.0
    residual_rms: float = float("nan")
    condition_number: float = float("inf")
    noise_factor: float = float("nan")
    payload_frame: str = ""
    bound_factor: Array | None = None
    interval_overhead: float = float("nan")
    cause: str = ""
    blame: tuple[tuple[str, float, float, float], ...] = ()
    calibrated: CalibratedInterval | None = None
    confidence: Confidence | None = None
    rests_on: tuple[Sensitivity, ...] = ()
    width: tuple[WidthShare, ...] = ()
    headline: Headline | None = None
    since: float = float("nan")

    @property
    def half_width(self) -> Array:
        """Half the width of each interval, shape (10,)."""
        return (self.upper - self.lower) / 2

    @property
    def reach(self) -> Array:
        """Distance of phi to the farther end of each interval, shape (10,)."""
        return np.asarray(np.maximum(self.upper - self.phi, self.phi - self.lower))

    @property
    def bounds(self) -> Array:
        """Estimate, lower and upper ends, shape (3, 10)."""
        return np.array([self.phi, self.lower, self.upper])

    @property
    def mass_identified(self) -> bool:
        """Whether the mass may be used: the data bound it clearly tighter than the prior did."""
        return bool(self.identifiable[0])

    @property
    def physically_consistent(self) -> bool:
        """Whether some mass distribution has these parameters: J(phi) > 0."""
        return bool(np.isfinite(self.phi).all()) and is_physical(self.phi)

    def contains(self, phi: Array) -> Array:
        """Return which elements of phi lie in their intervals, shape (10,).

        Raises:
            InputError: phi is not ten real numbers.
        """
        phi = real_numbers(phi, "phi")
        if phi.shape != self.lower.shape:
            raise InputError(f"phi must have shape {self.lower.shape}; found {phi.shape}.")
        return np.asarray((self.lower <= phi) & (phi <= self.upper))

    def of_any_measurement(self) -> Estimate:
        """Return what an estimate of every kind of measurement has, for files."""
        return Estimate(**{each.name: getattr(self, each.name) for each in fields(Estimate)})

    def with_status(self, status: Status, message: str) -> Estimate:
        """Return the estimate with another verdict."""
        return replace(self, status=status, message=message)

    def resting_on(self, found: tuple[Sensitivity, ...]) -> Estimate:
        """Return the estimate with what its mass rests on, and the message that says so."""
        message = " ".join(filter(None, (self.message, sensitivity_in_words(found))))
        return replace(self, message=message, rests_on=found)

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values; None stands for a number that is not known."""
        return {
            "parameters": list(PARAMETERS),
            "units": list(UNITS),
            "physically_consistent": self.physically_consistent,
            **as_json(self),
        }
