"""Cutting a stream of samples into windows, the same way however the stream is chopped up."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..errors import InputError
from ..samples import Samples
from .momentum import LEAST_SAMPLES

# A pause longer than this part of a window is a gap: nothing is integrated over it.
GAP_FRACTION = 0.25
STAMP_TOLERANCE = 1e-6  # [s] by which a window may be too short, or a pause too long
SHORTEST = 10 * STAMP_TOLERANCE  # [s]


@dataclass
class WindowCutter:
    """Collects samples and gives out those of each window as soon as it is full.

    Neighbouring windows share the sample between them. After a gap a new window begins.

    Attributes:
        length: Length of a window [s].
        gaps: Number of gaps met so far.
    """

    length: float
    gaps: int = 0
    _pending: Samples | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not (np.isfinite(self.length) and self.length >= SHORTEST):
            raise InputError(
                f"window must be a length of time of at least {SHORTEST:g} s; found "
                f"{self.length!r}."
            )

    def add(self, samples: Samples) -> list[Samples]:
        """Take in samples newer than all before; return the windows that became full."""
        if self._pending is not None:
            samples = _join(self._pending, samples)
        windows: list[Samples] = []
        start = 0
        stamp = samples.stamp
        pause = GAP_FRACTION * self.length + STAMP_TOLERANCE
        breaks = np.flatnonzero(np.diff(stamp) > pause) + 1
        self.gaps += len(breaks)
        for stop in [*breaks, len(stamp)]:
            start = self._cut(samples, start, int(stop), windows)
            if stop < len(stamp):
                start = int(stop)
        self._pending = samples.part(start, len(stamp))
        return windows

    def _cut(self, samples: Samples, start: int, stop: int, windows: list[Samples]) -> int:
        """Append the full windows of samples [start, stop); return where the rest begins."""
        stamp = samples.stamp[:stop]
        while start < stop:
            full = stamp[start] + self.length - STAMP_TOLERANCE
            end = int(np.searchsorted(stamp, full))
            if end >= stop:
                break
            if end - start + 1 >= LEAST_SAMPLES:
                windows.append(samples.part(start, end + 1))
            start = end
        return start


def _join(first: Samples, second: Samples) -> Samples:
    """Return the samples of both; what is not newer than the first is dropped and counted."""
    return Samples(
        np.concatenate([first.stamp, second.stamp]),
        np.concatenate([first.q, second.q]),
        np.concatenate([first.dq, second.dq]),
        np.concatenate([first.tau, second.tau]),
        second.dropped,
    )
