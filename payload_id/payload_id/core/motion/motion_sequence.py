"""Motions one after the other: a piece up to the time of the next one, then its stop."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import real_numbers
from ..errors import InputError
from .bezier import BezierPiece
from .motion_state import MotionState
from .piece import Piece
from .trajectory import Trajectory

JUMP = 1e-9  # [rad, rad/s, rad/s2] or [m, ...] allowed between neighbours


@dataclass(frozen=True)
class MotionSequence(Trajectory):
    """Motions joined without jumps of position, velocity or acceleration.

    Attributes:
        parts: The motions, each from its own time 0.
        until: How long each is followed, at most its duration, shape (P,) [s].
    """

    parts: tuple[Trajectory, ...]
    until: tuple[float, ...]
    duration: float = field(init=False)

    family: ClassVar[str] = "sequence"

    def __post_init__(self) -> None:
        if not self.parts or len(self.parts) != len(self.until):
            raise InputError(
                f"A sequence needs motions and as many times; found {len(self.parts)} and "
                f"{len(self.until)}."
            )
        for part, until in zip(self.parts, self.until, strict=True):
            if not 0.0 < until <= part.duration:
                raise InputError(
                    f"A part of a sequence is followed for more than 0 s and at most for its "
                    f"duration of {part.duration:g} s; found {until!r}."
                )
        for i in range(len(self.parts) - 1):
            _check_joint(MotionState.of(self.parts[i], self.until[i]), self.parts[i + 1], i)
        object.__setattr__(self, "duration", float(np.cumsum(self.until)[-1]))

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Those of the parts, up to where each is left."""
        return tuple(
            piece
            for part, until in zip(self.parts, self.until, strict=True)
            for piece in pieces_between(part, 0.0, until)
        )


def pieces_between(motion: Trajectory, start: float, end: float) -> list[Piece]:
    """Return what a motion is made of between two times on it [s]."""
    found, begin = [], 0.0
    for piece in motion.pieces:
        a, b = max(0.0, start - begin), min(piece.length, end - begin)
        if b > a:
            found.append(piece.between(a, b))
        begin += piece.length
    return found


def motion_through(waypoints: ArrayLike, seconds: ArrayLike) -> Trajectory:
    """Return a motion from rest to rest; no jump of the acceleration anywhere.

    Args:
        waypoints: Poses, shape (K + 1, n) [rad or m]; the first is where the arm stands.
        seconds: Time for each way, shape (K,), or one number for all of them [s].

    Raises:
        InputError: There are fewer than two waypoints, or as many times as there are not ways.
    """
    q = real_numbers(waypoints, "waypoints")
    if q.ndim != 2 or len(q) < 2 or not q.shape[1]:
        raise InputError(
            f"A motion needs two waypoints or more, one position for each joint; found {q.shape}."
        )
    times = real_numbers(seconds, "seconds")
    if times.shape not in ((), (len(q) - 1,)):
        raise InputError(
            f"A motion with {len(q)} waypoints needs one time, or {len(q) - 1} for its ways; "
            f"found {times.shape}."
        )
    ways = zip(q[:-1], q[1:], np.broadcast_to(times, len(q) - 1), strict=True)
    parts = tuple(
        BezierPiece(MotionState.at_rest(begin), end - begin, float(t)) for begin, end, t in ways
    )
    if len(parts) == 1:
        return parts[0]
    return MotionSequence(parts, tuple(part.duration for part in parts))


def _check_joint(state: MotionState, following: Trajectory, index: int) -> None:
    """Raise unless a motion continues from a state."""
    begin = MotionState.of(following, 0.0)
    for name in ("q", "dq", "ddq"):
        before, after = getattr(state, name), getattr(begin, name)
        jump = np.abs(after - before)
        if (jump > JUMP * (1.0 + np.abs(before))).any():
            raise InputError(
                f"Part {index + 2} of a sequence does not begin where part {index + 1} is left: "
                f"{name} jumps by {jump.max():.3g}."
            )
