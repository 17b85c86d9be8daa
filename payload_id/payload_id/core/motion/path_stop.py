r"""Coming to rest on the path of a motion.

q(t) = motion(s(t)), where the speed along the path changes from 1 to 0 within the ramp T. With
u = t / T it is

    ds/dt = 1 - 3 u^2 + 2 u^3,

so that position, velocity and acceleration are continuous where the motion is left:

    dq/dt = s' q',     d^2q/dt^2 = s'' q' + s'^2 q''.

Nowhere is the arm faster than on the motion itself, and it passes no other pose.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.optimize import brentq

from ..errors import InputError
from .limits import MotionLimits
from .motion_sequence import pieces_between
from .piece import EVEN, SLOWING, Piece, bernstein
from .trajectory import Trajectory

SHORTEST, LONGEST = 0.2, 5.0  # [s] of the ramps tried
FINER = 1.05  # ratio of the ramps tried


@dataclass(frozen=True)
class PathStop(Trajectory):
    """From full speed along the path to rest on it.

    Attributes:
        motion: Whose path it is.
        leaves: Time on the motion at which it begins [s].
        ramp: T, in which it comes to rest [s].
    """

    motion: Trajectory
    leaves: float
    ramp: float
    duration: float = field(init=False)

    family: ClassVar[str] = "path_stop"

    def __post_init__(self) -> None:
        left = self.motion.duration - self.leaves
        if not (self.leaves >= 0.0 and 0.0 < self.ramp <= 2.0 * left):
            raise InputError(
                f"A stop begins on the motion's {self.motion.duration:g} s and takes at most twice "
                f"what is left of them; found {self.ramp!r} s from {self.leaves!r} s."
            )
        object.__setattr__(self, "duration", self.ramp)

    @classmethod
    def within(cls, motion: Trajectory, leaves: float, limits: MotionLimits) -> PathStop:
        """Return the shortest stop that keeps limits of velocity and acceleration.

        Raises:
            InputError: There is none: the motion's end comes before.
        """
        longest = min(LONGEST, 2.0 * (motion.duration - leaves))
        ramp = SHORTEST
        while ramp <= longest:
            stop = cls(motion, leaves, ramp)
            if stop._keeps(limits):
                return stop
            ramp *= FINER
        raise InputError(
            f"No stop of {SHORTEST:g} to {longest:g} s on the path, from {leaves:g} s on the "
            "motion, keeps the acceleration limits; follow the motion to its end."
        )

    def _keeps(self, limits: MotionLimits) -> bool:
        """Whether it keeps limits of velocity and acceleration."""
        found = self.ranges(np.array([0.0, self.ramp]))
        slow = (found.speed <= limits.velocity).all()
        return bool(slow and (found.acceleration <= limits.acceleration).all())

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """What is left of the motion's pieces, along paths that slow down to rest.

        Raises:
            InputError: The motion slows down along its path already.
        """
        passed = pieces_between(self.motion, self.leaves, self.place(self.ramp))
        if any(piece.path != EVEN for piece in passed):
            raise InputError("A stop cannot be stopped once more; stop the motion before it.")
        begins = np.concatenate([[0.0], np.cumsum([piece.length for piece in passed])])
        # v of the ramp at which each piece is entered, and 1
        v = [0.0, *(_place_of(x / self.ramp) for x in begins[1:-1]), 1.0]
        found = []
        for piece, begin, first, last in zip(passed, begins, v, v[1:], strict=False):
            along = self.ramp * np.array(SLOWING) - begin  # since it would be entered at even speed
            path = tuple(float(x) for x in piece.begin + piece.rate * along)
            length = self.ramp * (last - first)
            found.append(Piece(piece.curve, path, first, last, 1.0 / self.ramp, length))
        return tuple(found)

    @property
    def end(self) -> float:
        """Time on the motion at which it ends [s]."""
        return self.place(self.duration)

    def place(self, time: float) -> float:
        """Return the time on the motion at a time [s]."""
        along = self.ramp * bernstein(SLOWING, np.array([time / self.ramp]))
        return float(np.clip(self.leaves + along[0], self.leaves, self.motion.duration))


def _place_of(s: float) -> float:
    """Return v at which a ramp of 1 s has come to s, which is less than 1/2 [s]."""
    return float(brentq(lambda v: bernstein(SLOWING, np.array([v]))[0] - s, 0.0, 1.0, xtol=1e-15))
