"""What an assumption gives: errors that it excludes, as columns; and what is said of the worst."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from ...arrays import Array
from .ground import Ground


@dataclass(frozen=True)
class Reliance:
    """An assumption that the mass rests on: an error of it would not be noticed before it harms.

    Attributes:
        assumption: What is assumed, in words.
        error: What the error would be, in words.
        doubtful_from: Size at which it moves the mass by half the width of its interval.
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
            noticed = f", noticed from {self.noticed_from:.2g} {unit}"
        return (
            f"{self.assumption} (doubtful from {self.doubtful_from:.2g} {unit} {self.error}, "
            f"false from {self.false_from:.2g} {unit}{noticed})"
        )


class Error(NamedTuple):
    """One error that an assumption excludes.

    Attributes:
        more: What it is when positive, in words.
        less: What it is when negative.
        column: Its coefficients for one unit, c of `ground.py`, shape (m,).
        unit: Its unit, where that is not the one of all errors of its kind; else empty.
    """

    more: str
    less: str
    column: Array
    unit: str = ""


class Assumption(Protocol):
    """One kind of error that data may not show.

    Attributes:
        name: What is assumed, in words.
        unit: Of the errors.
        largest: Size up to which is looked.
    """

    name: str
    unit: str
    largest: float

    def errors(self, ground: Ground) -> Iterator[Error]:
        """Give each error of this kind."""
        ...
