"""What a run knows of its payload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..arrays import Array
from ..bounds import Bounds, Interval, Memory

TYPICAL = 0.1  # part of the prior that is a typical payload; sets weights, not bounds


@dataclass(frozen=True)
class KnownPayload:
    """Bounds on the payload's parameters, which later data can only tighten.

    Attributes:
        prior: Before any data.
        interval: That the run has established.
        memory: Of the last solution.
    """

    prior: Interval
    interval: Interval
    memory: Memory = field(default_factory=Memory)

    @classmethod
    def beforehand(cls, prior: Interval) -> KnownPayload:
        """Return what is known before any data."""
        return cls(prior, prior)

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
