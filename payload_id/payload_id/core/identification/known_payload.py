"""What a run knows of its payload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..arrays import Array
from ..body.payload_prior import TYPICAL
from ..bounds import Bounds, Interval, Memory


@dataclass(frozen=True)
class KnownPayload:
    """Bounds on the payload's parameters, which later data can only tighten.

    Attributes:
        prior: Before any data, and before anything is stated of the payload.
        beforehand: The same with what is stated.
        interval: That the run has established.
        memory: Of the last solution.
    """

    prior: Interval
    beforehand: Interval
    interval: Interval
    memory: Memory = field(default_factory=Memory)

    @classmethod
    def before_data(cls, prior: Interval, beforehand: Interval | None = None) -> KnownPayload:
        """Return what is known before any data; `beforehand` is the prior unless it is given."""
        start = prior if beforehand is None else beforehand
        return cls(prior, start, start)

    def forgotten(self) -> KnownPayload:
        """Return what was known before any data."""
        return KnownPayload.before_data(self.prior, self.beforehand)

    @property
    def typical(self) -> Array:
        """|phi| of a typical payload, shape (10,)."""
        return TYPICAL * self.prior.magnitude

    def with_bounds(self, found: Bounds) -> KnownPayload:
        """Return what is known with bounds that are guaranteed."""
        return replace(self, interval=self.interval.intersect(found.interval), memory=found.memory)

    def renumbered(self, number: Mapping[int, int]) -> KnownPayload:
        """Return the same after rows got other numbers."""
        return replace(self, memory=self.memory.renumbered(number))
