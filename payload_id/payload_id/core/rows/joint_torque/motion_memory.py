"""What of a window's equations its motion alone determines, remembered from one window to the next.

Where rows are made anew with other torques, delays or units of torques, the motion is the same, and
what errors of positions and velocities do to its coefficients takes most of the time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from ...arrays import Array
from ...samples.joint_samples import Samples

MOST = 2000  # that are remembered: some 50 MB
Found = TypeVar("Found")


@dataclass(frozen=True)
class MotionMemory:
    """Results by motion; exact: what is recalled is what would be computed again.

    Attributes:
        kept: Results, the oldest first.
    """

    kept: dict[tuple[str, bytes], object] = field(default_factory=dict)

    def recalled(
        self, what: str, samples: Samples, other: tuple[Array, ...], make: Callable[[], Found]
    ) -> Found:
        """Return a result for a motion; it is computed the first time.

        Args:
            what: Name of the result.
            samples: Their stamps, positions and velocities count.
            other: What else it depends on.
            make: Computes it.
        """
        parts = (samples.stamp, samples.q, samples.dq, *other)
        key = what, b"".join(part.tobytes() for part in parts)
        if key not in self.kept:
            while len(self.kept) >= MOST:
                self.kept.pop(next(iter(self.kept)))
            self.kept[key] = make()
        return self.kept[key]  # type: ignore[return-value]  # made for this key
