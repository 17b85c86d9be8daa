"""Candidates with all that samples tell of them, those worth asking for first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...arrays import Array, BoolArray

PART = 0.97  # of the limits that sampled candidates may take
APART = 0.15  # root mean square distance of parameters from which two candidates are two ...
OWN_SIZE = 0.3  # ... or this part of their own distance from the calm one


@dataclass(frozen=True)
class Pool:
    """Candidates, those worth asking for first.

    Attributes:
        x: Parameters, shape (C, P).
        value: Criterion, shape (C,); infinite where sampled limits are exceeded.
        usage: Largest part of each limit, over time: torque, position, velocity, acceleration of
            each joint, shape (C, 4, n).
        clear: Sampled clearance; minus infinity where nobody looked, shape (C,) [m].
    """

    x: Array
    value: Array
    usage: Array
    clear: Array

    def ordered(self) -> Pool:
        """Return the pool with clear candidates that keep the limits first, best first."""
        over = np.maximum(self.usage.max(axis=(1, 2)) - PART, 0.0)
        order = np.lexsort((self.value, np.maximum(-self.clear, 0.0), over))
        return Pool(self.x[order], self.value[order], self.usage[order], self.clear[order])

    def plus(self, other: Pool) -> Pool:
        """Return both pools as one, ordered."""
        names = ("x", "value", "usage", "clear")
        both = (np.concatenate([getattr(self, k), getattr(other, k)]) for k in names)
        return Pool(*both).ordered()

    @property
    def promising(self) -> BoolArray:
        """Which keep the limits, are clear, and have a value."""
        return np.isfinite(self.value) & (self.clear > 0.0)

    def distinct(self, count: int, calm: Array) -> Iterator[Array]:
        """Give out the first promising candidates that are not alike."""
        chosen: list[Array] = []
        for x in self.x[self.promising]:
            if len(chosen) == count:
                return
            if apart(x, chosen, calm):
                chosen.append(x)
                yield x


def apart(x: Array, others: list[Array], calm: Array) -> bool:
    """Tell whether a candidate is unlike others, by the size of its own motion."""
    least = min(APART, OWN_SIZE * _size(x - calm))
    return all(_size(x - other) > least for other in others)


def _size(x: Array) -> float:
    """Return the root mean square."""
    return float(np.sqrt(np.mean(x**2)))


def over_time(usage: Array) -> Array:
    """Return the largest parts of limits over time, shape (C, 4, n)."""
    return np.concatenate([usage[:, :-3].max(axis=1, keepdims=True), usage[:, -3:]], axis=1)
