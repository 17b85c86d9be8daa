r"""Bezier pieces with waves on them: more to choose, the same ends.

    q(t) = bezier(t) + sum_i wave_i w_i(s),
    w_i(s) = 64 s^3 (1 - s)^3 (1 - 2 s)^i,  s = t / duration.

The waves vanish at both ends together with their first two derivatives, so that the piece continues
its start state and ends at rest as the Bezier piece does. Without waves it is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.polynomial import Polynomial as Powers

from ..arrays import Array
from ..errors import InputError
from .bezier import BezierPiece, to_rest
from .motion_state import MotionState
from .piece import Piece
from .polynomial import Polynomial
from .trajectory import Trajectory


def wave_coefficients(count: int) -> Array:
    """Return the coefficients of powers of s of the first waves, shape (count, 6 + count)."""
    hump = 64.0 * Powers([0.0, 1.0]) ** 3 * Powers([1.0, -1.0]) ** 3
    found = np.zeros((count, 6 + count))
    for i in range(count):
        coefficients = (hump * Powers([1.0, -2.0]) ** i).coef
        found[i, : len(coefficients)] = coefficients
    return found


@dataclass(frozen=True)
class WavePiece(Trajectory):
    """A piece from a state to rest.

    Attributes:
        start: MotionState at time 0.
        k: Displacement of the end from the start, shape (n,) [rad or m].
        wave: Sizes of the waves, shape (n, W) [rad or m].
        duration: T [s].
    """

    start: MotionState
    k: Array
    wave: Array
    duration: float

    family: ClassVar[str] = "wave"

    def __post_init__(self) -> None:
        BezierPiece(self.start, self.k, self.duration)  # checks what they share
        wave = np.asarray(self.wave)
        if wave.ndim != 2 or len(wave) != self.start.n or not np.isfinite(wave).all():
            raise InputError(
                f"A wave piece needs finite sizes of its waves, a row for each of {self.start.n} "
                f"joints; found {self.wave!r}."
            )

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The polynomial."""
        waves = wave_coefficients(self.wave.shape[1])
        found = self.wave @ waves if len(waves) else np.zeros((self.start.n, 6))
        found[:, :6] += to_rest(self.start, self.k, self.duration).coefficients
        return (Piece.whole(Polynomial(found), self.duration),)
