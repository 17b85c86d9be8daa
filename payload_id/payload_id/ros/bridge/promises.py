"""Which payload's intervals the parts of a motion in progress are certified for."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..certifying.prover import Proved


@dataclass
class Promises:
    """What the parts of a motion were proved for, each from when it takes over."""

    _parts: list[tuple[float, Proved]] = field(default_factory=list)

    def follow(self, begins: float, proved: Proved) -> None:
        """Note that a part takes over at a time on the motion [s]; at 0 it begins from rest."""
        kept = [entry for entry in self._parts if entry[0] < begins] if begins > 0.0 else []
        self._parts = [*kept, (begins, proved)]

    def in_force(self, time: float) -> tuple[Proved, ...]:
        """Return the part at a time on the motion [s], and those after it."""
        ends = [begins for begins, _ in self._parts[1:]] + [float("inf")]
        return tuple(
            proved for (_, proved), end in zip(self._parts, ends, strict=True) if end > time
        )
