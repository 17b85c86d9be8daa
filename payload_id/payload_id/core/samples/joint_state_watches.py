"""What is watched in joint states: their pace, efforts that are all zero, velocities that are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, BoolArray
from .stamps import GAP_STEPS, seconds_since

# Positions that move by more than this while every velocity is exactly zero [rad or m]: the driver
# does not measure velocity.
MOTION = 1e-2
STEPS = 200  # newest steps between samples that are kept for statistics


class PaceWatch:
    """Measures steps between samples and counts gaps; it changes with every sample.

    Attributes:
        newest_ns: Stamp of the newest sample [ns]; None before the first.
        step: Typical step, as of the last `measure` [s].
        gaps: Number of pauses longer than `GAP_STEPS` typical steps.
        longest_gap: Longest of them [s].
    """

    def __init__(self, rate: float) -> None:
        """Begin with an expected rate of samples [Hz]."""
        self.newest_ns: int | None = None
        self.step = 1.0 / rate
        self.gaps, self.longest_gap = 0, 0.0
        self._steps = np.full(STEPS, self.step)  # the newest, in turn
        self._count = 0

    @property
    def jitter(self) -> float:
        """Standard deviation of the newest steps [s]; NaN with too few."""
        count = min(STEPS, self._count)
        return float(np.std(self._steps[:count])) if count > 1 else float("nan")

    def see(self, stamp_ns: int) -> None:
        """Note one more sample."""
        if self.newest_ns is not None:
            step = seconds_since(stamp_ns, self.newest_ns)
            if step > GAP_STEPS * self.step:
                self.gaps += 1
                self.longest_gap = max(self.longest_gap, step)
            self._steps[self._count % STEPS] = step
            self._count += 1
        self.newest_ns = stamp_ns

    def measure(self) -> None:
        """Let the newest steps tell what a typical one is."""
        self.step = float(np.median(self._steps[: max(1, min(STEPS, self._count))]))


@dataclass(frozen=True)
class EffortWatch:
    """How long every effort has been exactly zero.

    Attributes:
        since_ns: Stamp of the first of these samples [ns]; None if the newest is none of them.
        seconds: How long [s].
    """

    since_ns: int | None = None
    seconds: float = 0.0

    def with_samples(self, stamp_ns: NDArray[np.int64], zero: BoolArray) -> EffortWatch:
        """Return the watch after more samples; `zero` tells where all efforts were, (N,)."""
        before = self
        measured = np.flatnonzero(~zero)
        if len(measured):
            before, stamp_ns = EffortWatch(), stamp_ns[measured[-1] + 1 :]
        if not len(stamp_ns):
            return before
        since = int(stamp_ns[0]) if before.since_ns is None else before.since_ns
        return EffortWatch(since, seconds_since(int(stamp_ns[-1]), since))


@dataclass(frozen=True)
class VelocityWatch:
    """Whether a driver moves but reports no velocity.

    Attributes:
        since: Position when every velocity began to be exactly zero, shape (n,); None if not.
        missing: Whether the joints have moved since.
    """

    since: Array | None = None
    missing: bool = False

    def with_samples(self, q: Array, dq: Array) -> VelocityWatch:
        """Return the watch after more samples, at least one, of positions and velocities (N, n)."""
        if (dq != 0.0).any():
            return VelocityWatch()
        since = q[0] if self.since is None else self.since
        turned = np.abs(np.angle(np.exp(1j * (q - since))))
        return VelocityWatch(since, self.missing or bool(turned.max() > MOTION))
