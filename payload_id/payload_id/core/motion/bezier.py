r"""Bezier pieces of degree 5 for receding horizons [ZZV Sec. V, after ARMOUR].

    q_j(t) = sum_i beta_ji B_i(t / duration),   B_i(s) = (5 over i) s^i (1 - s)^(5 - i).

The first three control points follow from position, velocity and acceleration at the start, the
last three are the same point, so that the piece ends there at rest:

    beta_0 = q0,  beta_1 = q0 + T dq0 / 5,  beta_2 = q0 + 2 T dq0 / 5 + T^2 ddq0 / 20,
    beta_3 = beta_4 = beta_5 = q0 + k.

k, one number for each joint, is free. Motion is linear in it. Bounds of its extrema need powers of
time, which SciPy's BPoly does not have.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import InputError
from .motion_state import MotionState
from .polynomial import PolynomialMotion

FAMILY = "bezier"
# Rows: what each control point contributes to 1, s, ..., s^5.
BERNSTEIN = np.array(
    [
        [1, -5, 10, -10, 5, -1],
        [0, 5, -20, 30, -20, 5],
        [0, 0, 10, -30, 30, -10],
        [0, 0, 0, 10, -20, 10],
        [0, 0, 0, 0, 5, -5],
        [0, 0, 0, 0, 0, 1],
    ],
    dtype=float,
)


@dataclass(frozen=True)
class BezierPiece(PolynomialMotion):
    """A piece from a state to rest.

    Attributes:
        start: MotionState at time 0.
        k: Displacement of the end from the start, shape (n,) [rad or m].
        duration: T [s].
    """

    start: MotionState
    k: Array
    duration: float

    def __post_init__(self) -> None:
        if not (self.duration > 0 and np.isfinite(self.duration)):
            raise InputError(f"A piece needs a duration above 0 s; found {self.duration!r}.")
        if np.shape(self.k) != self.start.q.shape or not np.isfinite(self.k).all():
            raise InputError(
                f"A Bezier piece needs one finite displacement for each of {self.start.n} joints; "
                f"found {self.k!r}."
            )

    @property
    def control(self) -> Array:
        """Control points beta, shape (6, n) [rad or m]."""
        q0, T = self.start.q, self.duration
        first = q0 + T * self.start.dq / 5
        second = q0 + 2 * T * self.start.dq / 5 + T**2 * self.start.ddq / 20
        end = q0 + self.k
        return np.stack([q0, first, second, end, end, end])

    @cached_property
    def coefficients(self) -> Array:
        """Coefficients of powers of t / T, shape (n, 6) [rad or m]."""
        return self.control.T @ BERNSTEIN

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists."""
        return {
            "family": FAMILY,
            "start": self.start.to_dict(),
            "k": np.asarray(self.k).tolist(),
            "duration": float(self.duration),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> BezierPiece:
        """Return the motion that `to_dict` wrote."""
        start = MotionState.from_dict(data["start"])
        return cls(start, np.array(data["k"], dtype=float), float(data["duration"]))
