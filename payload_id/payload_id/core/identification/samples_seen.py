"""What is noted of a run's samples, to explain why there may be no window, or few."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..rows.quadrature import LEAST_SAMPLES
from ..rows.windows import GAP_FRACTION, TimedSamples

PAUSE = 10.0  # windows: longer steps are pauses, of which nobody expects data
WORTH_A_WORD = 0.1  # part of the time, that is in no window
ENOUGH = 20.0  # windows of time, of which this is a part


@dataclass(frozen=True)
class SamplesSeen:
    """Number and pace of samples.

    Attributes:
        count: How many.
        longest_step: Longest time between two of them [s].
        newest: Stamp of the newest [s]; None before the first.
        seconds: Time that they cover, without pauses [s].
    """

    count: int = 0
    longest_step: float = 0.0
    newest: float | None = None
    seconds: float = 0.0

    def with_samples(self, samples: TimedSamples, window: float) -> SamplesSeen:
        """Return the note with newer samples, for windows of some length [s]."""
        if not len(samples):
            return self
        first = samples.stamp[:1] if self.newest is None else [self.newest]
        steps = np.diff(samples.stamp, prepend=first)
        longest = max(self.longest_step, float(steps.max()))
        covered = self.seconds + float(steps[steps <= PAUSE * window].sum())
        return SamplesSeen(self.count + len(samples), longest, float(samples.stamp[-1]), covered)

    def unused(self, window: float, windows: int) -> str:
        """Say how much of the time is in none of the windows of some length [s]; empty if little.

        Args:
            window: Length of a window [s].
            windows: Number of windows.
        """
        used = windows * window
        if self.seconds < ENOUGH * window or used >= (1.0 - WORTH_A_WORD) * self.seconds:
            return ""
        return (
            f"Only {used:.1f} s of {self.seconds:.1f} s could be used: steps between samples of "
            f"more than {GAP_FRACTION * window:.3g} s end a window of {window:g} s, which has "
            f"{LEAST_SAMPLES} samples at least. A longer window would use more."
        )

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
