"""Which payload's intervals the pieces of a receding horizon are certified for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from payload_id_msgs.msg import PayloadEstimate

from .payload_intervals import check_payload
from .planning.request import Goal


@dataclass
class PieceGoals:
    """The goals of pieces, from when they are asked for until another piece has taken over.

    Attributes:
        estimate: Returns the estimator's newest; None before the first.
    """

    estimate: Callable[[], PayloadEstimate | None]
    _asked: dict[int, Goal] = field(default_factory=dict)
    _followed: list[tuple[float, Goal]] = field(default_factory=list)

    def ask(self, index: int, goal: Goal) -> None:
        """Note what a piece is asked for with."""
        self._asked[index] = goal

    def check(self, index: int) -> None:
        """Raise unless what the estimator says now agrees with the intervals of a piece.

        Raises:
            NotReadyError: The data are inconsistent, or it may be another payload.
        """
        check_payload(self.estimate(), self._asked[index])

    def follow(self, index: int, begins: float) -> None:
        """Note that a piece takes over at a time on the motion [s]; at 0 it begins from rest."""
        kept = [entry for entry in self._followed if entry[0] < begins] if begins > 0.0 else []
        self._followed = [*kept, (begins, self._asked[index])]

    def in_force(self, time: float) -> tuple[Goal, ...]:
        """Return the goals of the piece at a time on the motion [s], and of those after it."""
        ends = [begins for begins, _ in self._followed[1:]] + [float("inf")]
        return tuple(
            goal for (_, goal), end in zip(self._followed, ends, strict=True) if end > time
        )

    @property
    def newest(self) -> Goal:
        """The goal of the piece that was asked for last."""
        return next(reversed(self._asked.values()))
