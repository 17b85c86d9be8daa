"""What is noted of a run's samples, to explain why there may be no window, or few."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ..arrays import Array
from ..rows.quadrature import LEAST_SAMPLES
from ..rows.windows import GAP_FRACTION, TimedSamples

PAUSE = 10.0  # windows: what is longer between two samples is a pause: nobody expects data of it
WORTH_A_WORD = 0.1  # part of the time, that is in no window
NEARLY_ALL = 0.95  # of the steps between samples
STEPS = 1000  # newest steps between samples that are kept
ENOUGH = 20.0  # windows of time, of which this is a part


@dataclass(frozen=True)
class TimeUsed:
    """How much of a run's time, up to its newest window, is in windows: live as in a replay.

    Attributes:
        used: Time in windows [s].
        left_out: Time between windows, without pauses [s].
        end: Of the newest window [s]; None before the first.
        pauses: Ends and lengths of those since then [s].
    """

    used: float = 0.0
    left_out: float = 0.0
    end: float | None = None
    pauses: tuple[tuple[float, float], ...] = ()

    def with_samples(self, before: float | None, stamp: Array, length: float) -> TimeUsed:
        """Return the note with newer samples, for windows of some length [s].

        Args:
            before: Stamp of the sample before them [s]; None: there was none.
            stamp: Theirs, shape (N,) [s].
            length: Of a window [s].
        """
        steps = np.diff(stamp, prepend=stamp[:1] if before is None else [before])
        long = np.flatnonzero(steps > PAUSE * length)
        found = tuple((float(stamp[k]), float(steps[k])) for k in long)
        return replace(self, pauses=self.pauses + found) if found else self

    def with_window(self, stamp: Array) -> TimeUsed:
        """Return the note with a newer window, its stamps of shape (N,) [s]."""
        start, end = float(stamp[0]), float(stamp[-1])
        before = [(to, seconds) for to, seconds in self.pauses if to <= start]
        later = self.pauses[len(before) :]
        between = 0.0 if self.end is None else start - self.end
        missed = max(between - sum(seconds for _, seconds in before), 0.0)
        return TimeUsed(self.used + end - start, self.left_out + missed, end, later)

    def remark(self, window: float) -> str:
        """Say how much of the time is in no window of some length [s]; empty if little is."""
        whole = self.used + self.left_out
        if whole < ENOUGH * window or self.left_out <= WORTH_A_WORD * whole:
            return ""
        return (
            f"Only {self.used:.1f} s of {whole:.1f} s could be used: steps between samples of "
            f"more than {GAP_FRACTION * window:.3g} s end a window of {window:g} s, which has "
            f"{LEAST_SAMPLES} samples at least. A longer window would use more."
        )


@dataclass(frozen=True, eq=False)
class SamplesSeen:
    """Number and pace of samples.

    Attributes:
        count: How many.
        longest_step: Longest time between two of them [s].
        newest: Stamp of the newest [s]; None before the first.
        steps: The newest steps [s].
    """

    count: int = 0
    longest_step: float = 0.0
    newest: float | None = None
    steps: Array = field(default_factory=lambda: np.zeros(0))

    def with_samples(self, samples: TimedSamples) -> SamplesSeen:
        """Return the note with newer samples."""
        if not len(samples):
            return self
        first = samples.stamp[:0] if self.newest is None else [self.newest]
        steps = np.diff(samples.stamp, prepend=first)
        longest = max(self.longest_step, float(steps.max(initial=0.0)))
        return SamplesSeen(
            self.count + len(samples), longest, float(samples.stamp[-1]),
            np.concatenate([self.steps, steps])[-STEPS:],
        )  # fmt: skip

    @property
    def usual_step(self) -> float:
        """What nearly all of the newest steps do not exceed [s]: pauses are no steps."""
        return float(np.quantile(self.steps, NEARLY_ALL))

    def why_no_window(self, window: float) -> str:
        """Say why no window of some length [s] could be formed."""
        if self.count < LEAST_SAMPLES:
            return f"Only {self.count} samples; a window needs at least {LEAST_SAMPLES}."
        allowed = GAP_FRACTION * window
        if (usual := self.usual_step) > allowed:
            return (
                f"No window of {window:g} s is free of gaps: steps between samples reach "
                f"{usual:.3g} s and may be at most {allowed:.3g} s. "
                f"Record faster, or use a window of at least {5 * usual:.2g} s."
            )
        if self.longest_step > allowed:
            return (
                f"Samples without a gap of more than {allowed:.3g} s do not fill one window of "
                f"{window:g} s; the longest gap is of {self.longest_step:.3g} s. Record longer "
                "without one."
            )
        return f"The samples do not fill one window of {window:g} s; record longer."
