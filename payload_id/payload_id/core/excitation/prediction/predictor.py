"""What predicts the rows that motions would give, whatever measures them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ...arm.arm_model import ArmModel
from ...arrays import Array
from ...motion.trajectory import Motion
from .candidate_rows import CandidateRows


class Predictor(Protocol):
    """Predicts rows for one arm, uncertainty and expected payload."""

    @property
    def model(self) -> ArmModel:
        """The arm."""

    @property
    def payload(self) -> Array:
        """Expected phi in the payload frame, shape (10,)."""

    @property
    def window(self) -> float:
        """Length of a row's window [s]."""

    @property
    def p(self) -> int:
        """Number of nuisance parameters."""

    def instants(self, horizon: float, points: int) -> Array:
        """Return the Gauss-Legendre points of all full windows within [0, horizon] [s]."""

    def rows(
        self,
        motion: Callable[[Array], Motion],
        horizon: float,
        nuisance: bool = True,
        points: int = 2,
    ) -> CandidateRows:
        """Return the rows of all full windows within [0, horizon].

        Args:
            motion: Gives the candidates' motion: times (N,) to q, dq, ddq of shape (C, N, n).
            horizon: Until when the candidates' motion counts [s].
            nuisance: Whether B is wanted; it is empty otherwise.
            points: Gauss-Legendre points of each window, 1 or 2.
        """

    def slope(self, motion: Motion, by: CandidateRows) -> Array:
        """Return the derivatives of a number by q, dq, ddq at each instant, shape (N, 3, n).

        Args:
            motion: The motion of one candidate at these N instants, one a window.
            by: Derivatives of that number by the rows' A, B and d, one candidate.
        """
