r"""A motion backwards, and there and back: every pose is passed in both directions.

    back(t) = path(T - t),   dq -> -dq,  ddq -> ddq  at the same pose.

What moves links and payload is even under this: T = M(q) ddq + C(q, dq) dq + g(q) is the same at a
pose on both ways. Friction is odd, whatever its curve and however it grows with the load, and so
are errors of first order of delays and filters, tau(t - e) = tau - e dtau/dt. A least squares fit
with the same weights on both ways therefore leaves what is odd out of the payload: sums of even
coefficients times odd errors vanish. docs/excitation.md says what does not cancel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import InputError
from .bezier import BezierPiece
from .motion_sequence import MotionSequence
from .motion_state import AT_REST, MotionState
from .trajectory import Motion, MotionRanges, Trajectory, checked_edges

FAMILY = "reversed"


@dataclass(frozen=True)
class Reversed:
    """q(t) = motion(duration - t).

    Attributes:
        motion: What is gone through backwards.
    """

    motion: Trajectory

    @property
    def duration(self) -> float:
        """Length of the motion [s]."""
        return self.motion.duration

    def at(self, time: Array) -> Motion:
        """Return the motion at times in [0, duration], shape (N,) [s]."""
        time = np.asarray(time, dtype=float)
        there = self.motion.at(self._mirrored(time))
        return Motion(time, there.q, -there.dq, there.ddq)

    def ranges(self, edges: Array) -> MotionRanges:
        """Return rigorous extrema on the slices between edges, shape (K + 1,) [s].

        Raises:
            InputError: The edges do not increase or leave [0, duration].
        """
        edges = checked_edges(edges, self.duration)
        mirrored = self._mirrored(edges)
        inner = np.unique(mirrored)  # edges closer than rounding may fall together
        if len(inner) == 1:
            inner = np.array([np.nextafter(inner[0], 0.0), np.nextafter(inner[0], np.inf)])
            inner = np.unique(np.clip(inner, 0.0, self.duration))
        found = self.motion.ranges(inner)
        owner = np.minimum(np.searchsorted(inner, mirrored[1:]), len(inner) - 2)
        lower = found.q_lower[owner], -found.dq_upper[owner], found.ddq_lower[owner]
        upper = found.q_upper[owner], -found.dq_lower[owner], found.ddq_upper[owner]
        ends = (end for pair in zip(lower, upper, strict=True) for end in pair)
        return MotionRanges(edges, *ends)

    def _mirrored(self, time: Array) -> Array:
        """Return the times on the motion, shape (N,) [s]."""
        return np.clip(self.duration - time, 0.0, self.duration)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists."""
        return {"family": FAMILY, "motion": self.motion.to_dict()}


def there_and_back(path: Trajectory, rest: float) -> MotionSequence:
    """Return a path from rest to rest, a rest at its end, and the same path backwards.

    Args:
        path: The path.
        rest: How long the arm rests where it turns, above 0 [s].

    Raises:
        InputError: The path does not begin and end at rest, or the rest takes no time.
    """
    ends = path.at(np.array([0.0, path.duration]))
    moving = max(float(np.abs(ends.dq).max()), float(np.abs(ends.ddq).max()))
    if moving > AT_REST or not (rest > 0.0 and np.isfinite(rest)):
        raise InputError(
            "There and back takes a path that begins and ends at rest, and a rest of more than 0 s "
            f"between; found a largest speed or acceleration of {moving:.2g} at its ends, and "
            f"{rest!r} s."
        )
    end = MotionState.at_rest(ends.q[1])
    still = BezierPiece(end, np.zeros(end.n), rest)
    return MotionSequence((path, still, Reversed(path)), (path.duration, rest, path.duration))
