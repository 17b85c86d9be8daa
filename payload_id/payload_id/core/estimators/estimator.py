"""What every estimator is: a function from statistics to a point estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..arrays import Array
from ..body.shape import Shape
from ..knowledge.knowledge import NOTHING, Knowledge
from ..statistics.statistics import Statistics


class Estimator(Protocol):
    """Finds one phi from the statistics of the rows.

    Attributes:
        name: How it is chosen and reported.
        physical: Whether every estimate it returns is physically consistent.
        citation: Where the method comes from, a key of docs/references.md.
    """

    name: str
    physical: bool
    citation: str

    def __init__(self, shape: Shape | None = None, stated: Knowledge = NOTHING) -> None:
        """Prepare for payloads of that shape, of which something is stated."""
        ...

    def estimate(self, statistics: Statistics, lower: Array, upper: Array) -> Array:
        """Return phi, shape (10,).

        Args:
            statistics: Of all rows so far.
            lower: Bounds that phi is known to keep, shape (10,).
            upper: Likewise from above.
        """
        ...


@dataclass(frozen=True, eq=False)
class ShapeAware:
    """What estimators have in common.

    Attributes:
        shape: What is known of the payload's shape; methods that have no use for it ignore it.
        stated: What else is stated of the payload; likewise.
    """

    shape: Shape | None = None
    stated: Knowledge = NOTHING
