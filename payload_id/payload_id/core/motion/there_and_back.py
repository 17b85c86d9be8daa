r"""A motion backwards, and there and back: every pose is passed in both directions.

    back(t) = path(T - t),   dq -> -dq,  ddq -> ddq  at the same pose.

What moves links and payload is even under this: T = M(q) ddq + C(q, dq) dq + g(q) is the same at a
pose on both ways. Friction is odd, whatever its curve and however it grows with the load, and so
are errors of first order of delays and filters, tau(t - e) = tau - e dtau/dt. A least squares fit
with the same weights on both ways therefore leaves what is odd out of the payload: sums of even
coefficients times odd errors vanish. docs/motion.md says what does not cancel.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..errors import InputError
from .bezier import BezierPiece
from .motion_sequence import MotionSequence
from .motion_state import AT_REST, MotionState
from .piece import Piece
from .trajectory import Trajectory


@dataclass(frozen=True)
class Reversed(Trajectory):
    """q(t) = motion(duration - t).

    Attributes:
        motion: What is gone through backwards.
    """

    motion: Trajectory
    duration: float = field(init=False)

    family: ClassVar[str] = "reversed"

    def __post_init__(self) -> None:
        object.__setattr__(self, "duration", self.motion.duration)

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Those of the motion, the last one first, each from its end to its beginning."""
        return tuple(
            replace(x, begin=x.end, end=x.begin, rate=-x.rate) for x in self.motion.pieces[::-1]
        )


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
