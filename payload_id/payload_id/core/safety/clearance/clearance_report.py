"""What a search for clearances found: proved distances, or one that is not kept."""

from __future__ import annotations

from dataclasses import dataclass

from ..margins.margin import Refusal


@dataclass(frozen=True)
class Clearance:
    """A proved distance, or one that is not kept.

    Attributes:
        group: One of `GROUPS`.
        pair: Names of the two bodies.
        value: Distance beyond the required one, tube included [m]; negative: missing.
        start: Beginning of the slice of time to which it belongs [s].
        end: End of the slice [s].
        nominal: Distance of the two bodies on the desired motion, without tube, at `start` of a
            refused slice [m]; NaN for a proved one.
    """

    group: str
    pair: tuple[str, str]
    value: float
    start: float
    end: float
    nominal: float = float("nan")


@dataclass(frozen=True)
class ClearanceReport:
    """What was proved.

    Attributes:
        smallest: The smallest clearance of each group that has pairs.
        refused: The earliest clearance that is not kept or cannot be proved; None if all are.
    """

    smallest: tuple[Clearance, ...]
    refused: Clearance | None


def clearance_refusal(found: Clearance, required: float) -> Refusal:
    """Return a clearance that is not kept as a refusal."""
    certain = bool(found.nominal <= required)
    pair = " and ".join(found.pair)
    when = f"at {(found.start + found.end) / 2:.3f} s"
    if found.nominal <= 0.0:
        what = f"{pair} collide {when} on the desired motion"
    elif certain:
        what = f"{pair} come as close as {found.nominal:.4g} m {when} on the desired motion"
    elif found.start == found.end:
        what = (
            f"{pair} are {found.nominal:.4g} m apart {when}, which tracking errors within the tube "
            "can use up"
        )
    else:
        what = f"no proof was found that {pair} stay apart {when}, even on the finest slices"
    sentence = (
        f"Refused ({found.group}): {what}; {-found.value:.4g} m are missing to the required "
        f"{required:.4g} m."
    )
    time = (found.start + found.end) / 2
    return Refusal(found.group, found.pair, time, -found.value, certain, sentence)
