r"""Bezier pieces of degree 5 for receding horizons [ZZV Sec. V, after ARMOUR].

    q_j(t) = sum_i beta_ji B_i(t / duration),   B_i(s) = (5 over i) s^i (1 - s)^(5 - i).

The first three control points follow from position, velocity and acceleration at the start, the
last three are the same point, so that the piece ends there at rest:

    beta_0 = q0,  beta_1 = q0 + T dq0 / 5,  beta_2 = q0 + 2 T dq0 / 5 + T^2 ddq0 / 20,
    beta_3 = beta_4 = beta_5 = q0 + k.

k, one number for each joint, is free. Motion is linear in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..errors import InputError
from .motion_state import MotionState
from .piece import Piece
from .polynomial import Polynomial
from .trajectory import Trajectory


@dataclass(frozen=True)
class BezierPiece(Trajectory):
    """A piece from a state to rest.

    Attributes:
        start: MotionState at time 0.
        k: Displacement of the end from the start, shape (n,) [rad or m].
        duration: T [s].
    """

    start: MotionState
    k: Array
    duration: float

    family: ClassVar[str] = "bezier"

    def __post_init__(self) -> None:
        if not (self.duration > 0 and np.isfinite(self.duration)):
            raise InputError(f"A piece needs a duration above 0 s; found {self.duration!r}.")
        if np.shape(self.k) != self.start.q.shape or not np.isfinite(self.k).all():
            raise InputError(
                f"A Bezier piece needs one finite displacement for each of {self.start.n} joints; "
                f"found {self.k!r}."
            )

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The polynomial."""
        return (Piece.whole(to_rest(self.start, self.k, self.duration), self.duration),)


def to_rest(start: MotionState, k: Array, duration: float) -> Polynomial:
    """Return the polynomial from a state to rest at a displacement k after a duration [s]."""
    T, still = duration, np.zeros_like(start.q)
    begin = np.stack([start.q, T * start.dq, T**2 * start.ddq])
    return Polynomial.through(begin, np.stack([start.q + k, still, still]))
