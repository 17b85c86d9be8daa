"""What every estimator is: a function from statistics to a point estimate."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from ..arrays import Array
from ..body.shape import Shape
from ..knowledge.knowledge import NOTHING, Knowledge
from ..statistics.statistics import Statistics


@dataclass(frozen=True, eq=False)
class Estimator(ABC):
    """Finds one phi from the statistics of the rows.

    Attributes:
        name: How it is chosen and reported.
        physical: Whether every estimate it returns is physically consistent.
        citation: Where the method comes from, a key of docs/proofs.md.
        shape: What is known of the payload's shape; methods that have no use for it ignore it.
        stated: What else is stated of the payload; likewise.
    """

    name: ClassVar[str]
    physical: ClassVar[bool]
    citation: ClassVar[str]

    shape: Shape | None = None
    stated: Knowledge = NOTHING

    @abstractmethod
    def estimate(self, statistics: Statistics, lower: Array, upper: Array) -> Array:
        """Return phi, shape (10,).

        Args:
            statistics: Of all rows so far.
            lower: Bounds that phi is known to keep, shape (10,).
            upper: Likewise from above.
        """
