"""What can be said of an estimate: a verdict, and the sentence that goes with it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import numpy as np

from ..arrays import Array
from ..body.inertial import PARAMETERS
from ..bounds import Bounds, Interval
from ..bounds.interval import MENTIONED
from ..number_format import short
from .headline import PROOF, Enough, Headline


class Status(str, Enum):
    """Verdict on an estimate; the value is the name of the message's constant."""

    GOOD = "GOOD"
    TOO_WIDE = "TOO_WIDE"
    SMALL_LOAD = "SMALL_LOAD"
    NOT_IDENTIFIABLE = "NOT_IDENTIFIABLE"
    INCONSISTENT = "INCONSISTENT"
    NO_DATA = "NO_DATA"
    SOLVER_FAILED = "SOLVER_FAILED"
    WAITING = "WAITING"

    @property
    def words(self) -> str:
        """The verdict as people are told it."""
        return self.value.replace("_", " ")


USABLE = (Status.GOOD, Status.TOO_WIDE, Status.SMALL_LOAD)  # with intervals of a known mass
FAILED = (Status.INCONSISTENT, Status.NO_DATA, Status.SOLVER_FAILED)  # no intervals to be used

NO_NUMBER = (Status.NOT_IDENTIFIABLE, Status.INCONSISTENT)  # of which no estimate is printed

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


def verdict(
    found: Interval,
    number: Headline | None,
    prior: Interval,
    enough: Enough,
    advice: Sequence[str] = (),
    width: str = "",
) -> tuple[Status, str]:
    """Return the status of consistent data and what to say of it: cause and remedy.

    No status that sounds as if the payload were known is given while its mass is not identified.

    Args:
        found: Proved bounds on phi.
        number: The strongest that the data have earned; None: none.
        prior: Bounds on phi before any data.
        enough: How near it must be known.
        advice: Sentences that say which motion would help.
        width: What makes the proved interval of the mass wide, and what would narrow it.
    """
    known = identifiable(found, prior)
    weak = [name for name, good in zip(PARAMETERS, known, strict=True) if not good]
    motion = " ".join(advice)
    if number is None or not number.half_width[0] <= IDENTIFIED * prior.half_width[0]:
        return Status.NOT_IDENTIFIABLE, _nothing_known(found, weak, motion, width)
    lower, upper = number.lower[0], number.upper[0]
    may_be_none = lower <= 0.0 and upper / 2 <= enough.of_mass(prior.upper[0])
    if may_be_none or upper <= enough.mass:
        return Status.SMALL_LOAD, (
            f"The mass is between {max(lower, 0.0):.3g} and {upper:.3g} kg ({number.name}): there "
            "is no load, or one too small to be told from none; a tare run narrows that. Or its "
            "weight is taken out of what is measured: switch such a compensation off."
        )
    said = [_how_near(number, enough)]
    if number.kind != PROOF:
        said.append(f"Proved is a mass between {found.lower[0]:.3g} and {found.upper[0]:.3g} kg.")
    good = number.suffices(enough)
    said += [width] if width and not (good and number.kind == PROOF) else []
    if weak:
        remedy = motion or "Turn the payload about more axes, and faster."
        said.append(f"Not told by these data: {', '.join(weak)}. {remedy}")
    return Status.GOOD if good else Status.TOO_WIDE, " ".join(said)


def _nothing_known(found: Interval, weak: Sequence[str], motion: str, width: str) -> str:
    """Say that the mass is not known, what is, and what would help."""
    if len(weak) == len(PARAMETERS):
        remedy = motion or "Move more joints, over a wider range and faster."
        said = f"No parameter is bounded tighter than the prior did. {remedy}"
        return f"{said} {width or 'Or state smaller bounds, if they are true.'}"
    remedy = motion or "Move joints that lift the payload, over a wider range."
    known = ", ".join(name for name in PARAMETERS if name not in weak)
    return " ".join(filter(None, (
        f"The mass is not identified: that it is between {found.lower[0]:.3g} and "
        f"{found.upper[0]:.3g} kg says little more than the prior did.",
        f"Identified: {known}." if known else "", remedy, width,
    )))  # fmt: skip


def _how_near(number: Headline, enough: Enough) -> str:
    """Say how near mass and centre of mass are known, and how near is enough."""
    half = number.half_width
    asked = f"± {short(enough.of_mass(number.value[0]))} kg and ± {short(1e3 * enough.com)} mm"
    com = 1e3 * half[1:].max()
    known = np.isfinite(com)
    of_com = f"the centre of mass to ± {short(com)} mm" if known else "its centre is not"
    return (
        f"The mass is known to ± {short(half[0])} kg, {of_com} ({number.name}); enough is {asked}."
    )


def times_as_large(factor: float) -> str:
    """Return how much larger bounds would have to be, in words; never "1 times as large".

    Args:
        factor: By which bounds must be multiplied, above 1.
    """
    if factor >= 1.05:
        return f"{factor:.3g} times as large"
    part = 100.0 * (factor - 1.0)
    return f"{short(part)} % larger" if part >= 0.01 else "larger by less than 0.01 %"


def inconsistent(bounds: Bounds, joints: Sequence[str]) -> str:
    """Say how far from consistent the rows are, and who asks for it."""
    asking = [
        joints[j] for j, share in bounds.blame.items() if share >= MENTIONED and j < len(joints)
    ]
    factor = (
        f"all bounds on the data would have to be {times_as_large(bounds.noise_factor)}"
        if np.isfinite(bounds.noise_factor)
        else "no bounds on the data, however large, would help"
    )
    by = f" (asked for by {', '.join(asking)})" if asking else ""
    return f"No payload explains the data within the stated bounds: {factor}{by}."
