"""Motions one after the other: a piece up to the time of the next one, then its stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array, real_numbers
from ..errors import InputError
from .bezier import BezierPiece
from .motion_state import MotionState
from .trajectory import Motion, MotionRanges, Trajectory, checked_edges

FAMILY = "sequence"
JUMP = 1e-9  # [rad, rad/s, rad/s2] or [m, ...] allowed between neighbours


@dataclass(frozen=True)
class MotionSequence:
    """Motions joined without jumps of position, velocity or acceleration.

    Attributes:
        parts: The motions, each from its own time 0.
        until: How long each is followed, at most its duration, shape (P,) [s].
    """

    parts: tuple[Trajectory, ...]
    until: tuple[float, ...]

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

    @property
    def duration(self) -> float:
        """Length of the motion [s]."""
        return float(self._begins[-1])

    @property
    def _begins(self) -> Array:
        """When each part begins, and the end, shape (P + 1,) [s]."""
        return np.concatenate([[0.0], np.cumsum(self.until)])

    def at(self, time: Array) -> Motion:
        """Return the motion at times in [0, duration], shape (N,) [s]."""
        time, begins = np.asarray(time, dtype=float), self._begins
        which = np.clip(np.searchsorted(begins, time, side="right") - 1, 0, len(self.parts) - 1)
        n = self.parts[0].at(np.zeros(1)).q.shape[1]
        found = np.empty((3, len(time), n))
        for i, part in enumerate(self.parts):
            chosen = which == i
            local = np.clip(time[chosen] - begins[i], 0.0, self.until[i])
            motion = part.at(local)
            found[:, chosen] = motion.q, motion.dq, motion.ddq
        return Motion(time, *found)

    def ranges(self, edges: Array) -> MotionRanges:
        """Return rigorous extrema on the slices between edges, shape (K + 1,) [s].

        Raises:
            InputError: The edges do not increase or leave [0, duration].
        """
        edges, begins = checked_edges(edges, self.duration), self._begins
        found: list[MotionRanges] = []
        owner: list[Array] = []  # slice of `edges` to which each found slice belongs
        for i, part in enumerate(self.parts):
            local = np.clip(edges - begins[i], 0.0, self.until[i])
            here = np.flatnonzero(np.diff(local) > 0.0)
            if not len(here):
                continue
            cuts = np.append(local[here], local[here[-1] + 1])
            found.append(part.ranges(cuts))
            owner.append(here)
        return _merged(edges, found, np.concatenate(owner))

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists."""
        parts = [part.to_dict() for part in self.parts]
        return {"family": FAMILY, "parts": parts, "until": list(self.until)}


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


def _merged(edges: Array, found: list[MotionRanges], owner: Array) -> MotionRanges:
    """Return the union of the ranges that belong to each slice."""
    K = len(edges) - 1
    columns = []
    for name in ("q_lower", "q_upper", "dq_lower", "dq_upper", "ddq_lower", "ddq_upper"):
        values = np.concatenate([getattr(x, name) for x in found])
        lower = name.endswith("lower")
        whole = np.full((K, values.shape[1]), np.inf if lower else -np.inf)
        (np.minimum if lower else np.maximum).at(whole, owner, values)
        columns.append(whole)
    return MotionRanges(edges, *columns)
