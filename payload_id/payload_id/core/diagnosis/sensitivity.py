"""What an identified mass rests on: of each assumption the error that harms it first, unnoticed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..number_format import short
from .hypotheses import ASSUMPTIONS
from .hypothesis import Hypothesis
from .identified_mass import IdentifiedMass

NOTICED = 0.98  # part of the size at which an error is noticed, above which it is so in time
NEGLIGIBLE = 1e-5  # part of the size looked at; errors that are noticed below it hide nowhere


@dataclass(frozen=True)
class Sensitivity:
    """An assumption of which an error would not be noticed before the mass is false.

    Attributes:
        assumption: What is assumed, in words.
        error: What the error would be, in words.
        doubtful_from: Size at which it moves the mass by half the width of its interval: half of
            `false_from`, as an error moves what rows allow about in proportion to its size.
        false_from: Size from which on the interval of the mass is false for certain.
        noticed_from: Size from which on the data contradict it; infinite if that is not known.
        unit: Of the three.
    """

    assumption: str
    error: str
    doubtful_from: float
    false_from: float
    noticed_from: float
    unit: str

    def sentence(self) -> str:
        """Return it in words, the assumption first."""
        unit, noticed = self.unit, ", not noticed at any size looked at"
        if np.isfinite(self.noticed_from):
            noticed = f", noticed from {short(self.noticed_from)} {unit}"
        return (
            f"{self.assumption} (doubtful from {short(self.doubtful_from)} {unit} {self.error}, "
            f"false from {short(self.false_from)} {unit}{noticed})"
        )


def sensitivities(found: IdentifiedMass) -> tuple[Sensitivity, ...]:
    """Return the assumptions that a mass rests on, one error of each at the most."""
    worst = (_worst(found, hypothesis) for hypothesis in ASSUMPTIONS)
    return tuple(each for each in worst if each is not None)


def _worst(found: IdentifiedMass, hypothesis: Hypothesis) -> Sensitivity | None:
    """Return the smallest error of one kind that makes the mass false, unnoticed."""
    worst: Sensitivity | None = None
    for error in hypothesis.errors(found):
        if not error.column.any():
            continue
        largest = found.room(error.column, error.largest)
        for sign, words in ((-1.0, error.less), (1.0, error.more)):
            kept = largest(sign, True)
            if kept == 0.0 or (worst is not None and kept >= worst.false_from):
                continue
            every = largest(sign, False)
            if every > NEGLIGIBLE * error.largest and kept < NOTICED * every:
                noticed = every if every < NOTICED * error.largest else float("inf")
                worst = Sensitivity(
                    hypothesis.assumption, words, kept / 2, kept, noticed, error.unit
                )
    return worst


def sensitivity_in_words(found: Sequence[Sensitivity]) -> str:
    """Return one sentence; empty if there is nothing to be said."""
    if not found:
        return ""
    return f"The mass rests on: {'; '.join(each.sentence() for each in found)}."
