"""A motion along the same path at a fraction of its speed, for dry runs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

from ..errors import InputError
from .piece import Piece
from .trajectory import Trajectory


@dataclass(frozen=True)
class TimeScaled(Trajectory):
    """q(t) = motion(scale t): speeds become `scale`, accelerations `scale`^2 times as large.

    Attributes:
        motion: What is slowed.
        scale: Above 0, at most 1 [-].
    """

    motion: Trajectory
    scale: float
    duration: float = field(init=False)

    family: ClassVar[str] = "slowed"

    def __post_init__(self) -> None:
        if not 0.0 < self.scale <= 1.0:
            raise InputError(
                f"A speed scale must be above 0 and at most 1; found {self.scale!r}. "
                "(10 % is written 0.1.)"
            )
        object.__setattr__(self, "duration", self.motion.duration / self.scale)

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Those of the motion, each longer."""
        scale = self.scale
        return tuple(
            replace(x, rate=scale * x.rate, length=x.length / scale) for x in self.motion.pieces
        )
