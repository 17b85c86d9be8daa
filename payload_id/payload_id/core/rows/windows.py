"""Cutting a stream of samples into windows, the same way however the stream is chopped up."""

from __future__ import annotations

from collections.abc import Iterable, Sized
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np

from ..arrays import Array
from ..errors import InputError
from .quadrature import LEAST_SAMPLES

# A pause longer than this part of a window is a gap: nothing is integrated over it.
GAP_FRACTION = 0.25
STAMP_TOLERANCE = 1e-6  # [s] by which a window may be too short, or a pause too long
SHORTEST = 10 * STAMP_TOLERANCE  # [s]
AT_ONCE = 16  # windows: the arrays of more do not stay in a processor's cache
Window = TypeVar("Window", bound=Sized)


class TimedSamples(Protocol):
    """Samples of any kind of measurement, at increasing instants."""

    @property
    def stamp(self) -> Array:
        """Time of each sample, shape (N,) [s]."""
        ...

    def __len__(self) -> int: ...

    def part(self, start: int, stop: int) -> Any:
        """Return samples number start to stop - 1, of the same kind."""
        ...

    def joined(self, newer: Any) -> Any:
        """Return these and newer ones of the same kind."""
        ...


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
    _pending: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not (np.isfinite(self.length) and self.length >= SHORTEST):
            raise InputError(
                f"window must be a length of time of at least {SHORTEST:g} s; found "
                f"{self.length!r}."
            )

    @property
    def pause(self) -> float:
        """Longest time between neighbouring samples that is no gap [s]."""
        return GAP_FRACTION * self.length + STAMP_TOLERANCE

    def add(self, samples: TimedSamples) -> list[Any]:
        """Take in samples newer than all before; return the windows that became full."""
        if self._pending is not None:
            samples = self._pending.joined(samples)
        windows: list[Any] = []
        start = 0
        stamp = samples.stamp
        breaks = np.flatnonzero(np.diff(stamp) > self.pause) + 1
        self.gaps += len(breaks)
        for stop in [*breaks, len(stamp)]:
            start = self._cut(samples, start, int(stop), windows)
            if stop < len(stamp):
                start = int(stop)
        self._pending = samples.part(start, len(stamp))
        return windows

    def _cut(self, samples: TimedSamples, start: int, stop: int, windows: list[Any]) -> int:
        """Append the full windows of samples [start, stop); return where the rest begins."""
        stamp = samples.stamp[:stop]
        while start < stop:
            full = stamp[start] + self.length - STAMP_TOLERANCE
            end = int(np.searchsorted(stamp, full))
            if end >= stop:
                break
            if end - start + 1 >= LEAST_SAMPLES:
                windows.append(samples.part(start, end + 1))
            start = max(end, start + 1)  # which end is where stamps leave the length no digit
        return start


def alike_windows(windows: Iterable[Window]) -> list[list[Window]]:
    """Return neighbours with as many samples together, `AT_ONCE` at the most."""
    found: list[list[Window]] = []
    for samples in windows:
        if found and len(found[-1]) < AT_ONCE and len(found[-1][0]) == len(samples):
            found[-1].append(samples)
        else:
            found.append([samples])
    return found
