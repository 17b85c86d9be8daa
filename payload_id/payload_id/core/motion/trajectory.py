"""What every motion is: pieces one after the other, with their rigorous extrema.

Families of motions differ in nothing but the pieces that they are made of, and in what is written
into files.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..arrays import Array, IntArray
from ..errors import InputError
from .piece import Piece

INSTANT = 1e-9  # [s] length of a slice that stands for one instant


@dataclass(frozen=True)
class Motion:
    """A trajectory at N instants.

    Attributes:
        time: Shape (N,) [s].
        q: Positions, shape (N, n) [rad or m].
        dq: Velocities, shape (N, n) [rad/s or m/s].
        ddq: Accelerations, shape (N, n) [rad/s2 or m/s2].
    """

    time: Array
    q: Array
    dq: Array
    ddq: Array


@dataclass(frozen=True)
class MotionRanges:
    """What position, velocity and acceleration stay within on each of K slices of time.

    Attributes:
        edges: Slice k is [edges[k], edges[k + 1]], shape (K + 1,) [s].
        q_lower: Least position at any time of the slice, shape (K, n) [rad or m].
        q_upper: Largest position.
        dq_lower: Least velocity, shape (K, n) [rad/s or m/s].
        dq_upper: Largest velocity.
        ddq_lower: Least acceleration, shape (K, n) [rad/s2 or m/s2].
        ddq_upper: Largest acceleration.
    """

    edges: Array
    q_lower: Array
    q_upper: Array
    dq_lower: Array
    dq_upper: Array
    ddq_lower: Array
    ddq_upper: Array

    def __len__(self) -> int:
        """Return the number of slices."""
        return len(self.q_lower)

    @classmethod
    def at_instants(cls, motion: Motion) -> MotionRanges:
        """Return the ranges of single instants, each a slice of `INSTANT` that holds one point."""
        q, dq, ddq = motion.q, motion.dq, motion.ddq
        return cls(INSTANT * np.arange(len(q) + 1), q, q, dq, dq, ddq, ddq)

    def take(self, which: IntArray) -> MotionRanges:
        """Return some of the slices, side by side as if they were joined."""
        edges = np.append(0.0, np.cumsum(np.diff(self.edges)[which]))
        return MotionRanges(edges, *(getattr(self, x.name)[which] for x in fields(self)[1:]))

    @property
    def speed(self) -> Array:
        """Largest |velocity| on each slice, shape (K, n) [rad/s or m/s]."""
        return np.maximum(-self.dq_lower, self.dq_upper)

    @property
    def acceleration(self) -> Array:
        """Largest |acceleration| on each slice, shape (K, n) [rad/s2 or m/s2]."""
        return np.maximum(-self.ddq_lower, self.ddq_upper)

    @property
    def middle(self) -> Motion:
        """Middle of each range, which is not a point of the motion, at the middle of its slice."""
        return Motion(
            time=(self.edges[1:] + self.edges[:-1]) / 2,
            q=(self.q_lower + self.q_upper) / 2,
            dq=(self.dq_lower + self.dq_upper) / 2,
            ddq=(self.ddq_lower + self.ddq_upper) / 2,
        )


class Trajectory(ABC):
    """A smooth motion of n joints over [0, duration]; members are frozen dataclasses.

    Attributes:
        duration: Length of the motion [s].
        family: Its name in files.
    """

    duration: float
    family: ClassVar[str]

    @property
    @abstractmethod
    def pieces(self) -> tuple[Piece, ...]:
        """What it is made of, asked for often."""

    @cached_property
    def _begins(self) -> Array:
        """When each piece begins, and the end, shape (P + 1,) [s]."""
        return np.concatenate([[0.0], np.cumsum([piece.length for piece in self.pieces])])

    @property
    def junctions(self) -> Array:
        """Times at which one piece gives way to the next, shape (P - 1,) [s]."""
        return self._begins[1:-1]

    def at(self, time: Array) -> Motion:
        """Return the motion at times in [0, duration], shape (N,) [s]."""
        time, begins, pieces = np.asarray(time, dtype=float), self._begins, self.pieces
        if len(pieces) == 1:
            return Motion(time, *pieces[0].at(time))
        which = np.clip(np.searchsorted(begins, time, side="right") - 1, 0, len(pieces) - 1)
        found = np.empty((3, len(time), pieces[0].curve.n))
        for i in np.unique(which):
            here = which == i
            found[:, here] = pieces[i].at(time[here] - begins[i])
        return Motion(time, *found)

    def ranges(self, edges: Array) -> MotionRanges:
        """Return rigorous extrema in continuous time on the slices between edges, (K + 1,) [s].

        Raises:
            InputError: The edges do not increase or leave [0, duration].
        """
        edges, begins = checked_edges(edges, self.duration), self._begins
        first = np.searchsorted(edges[1:], begins[:-1], side="right")  # slice in which each begins
        last = np.append(np.searchsorted(edges[:-1], begins[1:-1]), len(edges) - 1)
        whole = np.full((6, len(edges) - 1, self.pieces[0].curve.n), np.inf)
        whole[1::2] = -np.inf
        for piece, begin, a, b in zip(self.pieces, begins, first, last, strict=False):
            if a < b:
                found = np.array(piece.ranges(np.clip(edges[a : b + 1] - begin, 0.0, piece.length)))
                whole[0::2, a:b] = np.minimum(whole[0::2, a:b], found[0::2])
                whole[1::2, a:b] = np.maximum(whole[1::2, a:b], found[1::2])
        return MotionRanges(edges, *whole)

    def largest(self, order: int, begin: float = 0.0, end: float = np.inf) -> Array:
        """Return a bound on a derivative of the positions between junctions, shape (n,).

        Args:
            order: 1 to 6.
            begin: Time from which it shall hold [s].
            end: Time until which it shall hold [s].
        """
        spans = zip(self.pieces, self._begins[:-1], self._begins[1:], strict=True)
        found = [
            piece.largest(order)
            for piece, first, last in spans
            if first <= end + INSTANT and last >= begin - INSTANT
        ]
        return np.asarray(np.max(found, axis=0))

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists; `families.trajectory_from_dict` reads them."""
        own = {x.name: _plain(getattr(self, x.name)) for x in fields(self) if x.init}  # type: ignore[arg-type]
        return {"family": self.family, **own}


def _plain(value: Any) -> Any:
    """Return what a motion is made of as plain numbers and lists."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, tuple):
        return [_plain(x) for x in value]
    return np.asarray(value, dtype=float).tolist()


def sampled(trajectory: Trajectory, rate: float) -> Motion:
    """Return a motion at a rate [Hz], both ends included."""
    count = int(round(trajectory.duration * rate)) + 1
    return trajectory.at(np.linspace(0.0, trajectory.duration, count))


def even_edges(trajectory: Trajectory, step: float) -> Array:
    """Return the edges of equal slices of at most `step` [s] that cover a motion."""
    count = max(1, int(np.ceil(trajectory.duration / step - 1e-9)))
    return np.linspace(0.0, trajectory.duration, count + 1)


def checked_edges(edges: Array, duration: float) -> Array:
    """Return edges of slices as an array.

    Raises:
        InputError: They do not increase or leave [0, duration].
    """
    edges = np.asarray(edges, dtype=float)
    inside = edges.ndim == 1 and len(edges) > 1 and edges[0] >= 0.0 and edges[-1] <= duration
    if not (inside and (np.diff(edges) > 0).all()):
        raise InputError(
            f"Edges of slices must increase within [0, {duration:g}] s, at least two of them; "
            f"found {edges!r}."
        )
    return edges
