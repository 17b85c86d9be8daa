"""The number that a run has earned: mass and centre of mass, by the strongest kind of interval.

Three kinds, each by its name, none mixed with another:

    history     holds with a probability that earlier runs of this arm with known loads have shown
    proof       holds whenever the stated bounds on noise and model do
    confidence  holds with a probability that the data tell, for constants within the stated bounds

The first of them that says enough is the one to read. A history is better than a proof that is
wide, since nobody has to believe a stated bound for it; a proof counts before a confidence as soon
as it is narrow enough to be of use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..arm.centre_of_mass import com_interval
from ..arrays import Array
from ..body.inertial import mass_com_inertia
from ..errors import InputError
from ..number_format import with_ends
from ..stated import check_stated

if TYPE_CHECKING:
    from .estimate import Estimate

HISTORY, PROOF, CONFIDENCE = "history", "proof", "confidence"
IN_MM = np.array([1.0, 1e3, 1e3, 1e3])  # mass in kg, centre of mass in mm


@dataclass(frozen=True)
class Enough:
    """How near mass and centre of mass must be known to be good for something.

    Attributes:
        part: Of the mass: half the width of its interval [-].
        mass: The same for light payloads, whichever is more [kg].
        com: Half the width of the interval of each coordinate of the centre of mass [m].
    """

    part: float = 0.05
    mass: float = 0.05
    com: float = 0.01

    def __post_init__(self) -> None:
        check_stated(self, "enough,")

    def of_mass(self, mass: float) -> float:
        """Return how near a mass must be known [kg]."""
        return max(self.part * mass, self.mass)


ENOUGH = Enough()


def enough_of(numbers: Sequence[float]) -> Enough:
    """Return how near mass and centre of mass must be known, of three numbers.

    Raises:
        InputError: They are not three, or impossible.
    """
    if len(numbers) != 3:
        raise InputError(
            "enough must be three numbers: a part of the mass, kg, and m of the centre of mass; "
            f"found {len(numbers)}."
        )
    return Enough(*(float(x) for x in numbers))


@dataclass(frozen=True, eq=False)
class Headline:
    """Mass and centre of mass, with intervals of one kind.

    Attributes:
        kind: "history", "proof" or "confidence".
        value: Mass [kg] and centre of mass [m], shape (4,).
        lower: Shape (4,); -inf where nothing is known.
        upper: Shape (4,); inf there.
    """

    kind: str
    value: Array
    lower: Array
    upper: Array

    @property
    def half_width(self) -> Array:
        """Half the width of each interval, shape (4,)."""
        return np.asarray((self.upper - self.lower) / 2)

    @property
    def name(self) -> str:
        """Its kind, as people are told it."""
        return {PROOF: PROOF, CONFIDENCE: "confidence, no proof"}.get(self.kind, self.kind)

    @property
    def lines(self) -> tuple[str, str]:
        """Mass and centre of mass as people read them: 1.38 kg (1.36 to 1.40; proof)."""
        mass, *com = (
            with_ends(*ends)
            for ends in zip(self.value * IN_MM, self.lower * IN_MM, self.upper * IN_MM, strict=True)
        )
        told = ", ".join(f"{axis} {text}" for axis, text in zip("xyz", com, strict=True))
        return f"{mass.replace(' (', ' kg (')[:-1]}; {self.name})", f"[mm]: {told}"

    def __str__(self) -> str:
        mass, com = self.lines
        return f"mass {mass}\ncentre of mass {com}"

    def suffices(self, enough: Enough) -> bool:
        """Return whether all four are known as near as they must be."""
        half = self.half_width
        return bool(half[0] <= enough.of_mass(self.value[0]) and (half[1:] <= enough.com).all())


def headline(estimate: Estimate, enough: Enough, reach: float) -> Headline | None:
    """Return the strongest that an estimate has earned; None where there is no number.

    Args:
        estimate: The estimate.
        enough: How narrow a proof must be to count before a confidence.
        reach: No mass of a payload is farther from the payload frame, as the prior says [m].
    """
    number = _strongest(estimate, enough)
    if number is None:
        return None
    least = np.append(-np.inf, np.full(3, -reach))
    lower, upper = np.maximum(number.lower, least), np.minimum(number.upper, -least)
    return replace(number, lower=lower, upper=upper)


def _strongest(estimate: Estimate, enough: Enough) -> Headline | None:
    """Return the strongest number whatever is known of the payload's size."""
    if not np.isfinite(estimate.phi).all():
        return None
    calibrated, confidence = estimate.calibrated, estimate.confidence
    if calibrated is not None and np.isfinite(calibrated.lower[0]):
        return from_phi(HISTORY, calibrated.phi, calibrated.lower, calibrated.upper)
    proof = from_phi(PROOF, estimate.phi, estimate.lower, estimate.upper)
    if confidence is None or proof.suffices(enough):
        return proof
    ends = (
        np.append(confidence.lower[0], confidence.com_lower),
        np.append(confidence.upper[0], confidence.com_upper),
    )
    return Headline(CONFIDENCE, proof.value, *ends)


def from_phi(kind: str, phi: Array, lower: Array, upper: Array) -> Headline:
    """Return mass and centre of mass with the intervals that follow from those of phi."""
    mass, com, _ = mass_com_inertia(phi)
    unknown = np.full(3, np.inf)
    low, high = com_interval(lower, upper) or (-unknown, unknown)
    return Headline(kind, np.append(mass, com), np.append(lower[0], low), np.append(upper[0], high))
