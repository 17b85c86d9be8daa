"""What is noted of a run's samples, to explain why there may be no window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..rows.quadrature import LEAST_SAMPLES
from ..rows.windows import GAP_FRACTION, TimedSamples


@dataclass(frozen=True)
class SamplesSeen:
    """Number and pace of samples.

    Attributes:
        count: How many.
        longest_step: Longest time between two of them [s].
        newest: Stamp of the newest [s]; None before the first.
    """

    count: int = 0
    longest_step: float = 0.0
    newest: float | None = None

    def with_samples(self, samples: TimedSamples) -> SamplesSeen:
        """Return the note with newer samples."""
        if not len(samples):
            return self
        first = samples.stamp[:1] if self.newest is None else [self.newest]
        steps = np.diff(samples.stamp, prepend=first)
        longest = max(self.longest_step, float(steps.max()))
        return SamplesSeen(self.count + len(samples), longest, float(samples.stamp[-1]))

    def why_no_window(self, window: float) -> str:
        """Say why no window of some length [s] could be formed."""
        if self.count < LEAST_SAMPLES:
            return f"Only {self.count} samples; a window needs at least {LEAST_SAMPLES}."
        if self.longest_step > GAP_FRACTION * window:
            return (
                f"No window of {window:g} s is free of gaps: steps between samples reach "
                f"{self.longest_step:.3g} s and may be at most {GAP_FRACTION * window:.3g} s. "
                f"Record faster, or use a window of at least {5 * self.longest_step:.2g} s."
            )
        return f"The samples do not fill one window of {window:g} s; record longer."
