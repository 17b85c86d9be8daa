"""Taking a delay of the wrench out of samples as they arrive."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from .wrench_samples import WrenchSamples


class DelayLine:
    """Gives the wrench as it was shown a fixed time later, by cubic interpolation of four readings.

    What it gives does not depend on how the samples were cut into parts. Samples whose four
    readings have a gap between them are left out. A spline would depend on all readings.
    """

    def __init__(self, seconds: float, longest_step: float) -> None:
        """Begin with nothing.

        Args:
            seconds: How late the wrench is against the motion [s].
            longest_step: Longest step between readings to interpolate over [s].
        """
        self.seconds, self._longest = seconds, longest_step
        self._held: WrenchSamples | None = None
        self._after = -np.inf  # stamp of the last sample handed out or left out

    def push(self, samples: WrenchSamples) -> WrenchSamples:
        """Take in newer samples; return those whose wrench is now known."""
        if self._held is not None:
            samples = self._held.joined(samples)
        stamp = samples.stamp
        if len(stamp) < 4:
            self._held = samples
            return samples.part(0, 0)
        at = stamp + self.seconds
        before = np.searchsorted(stamp, at, side="right") - 1  # reading just before
        due = stamp > self._after
        known = due & (before >= 1) & (before <= len(stamp) - 3)
        over = due & (before < 1)  # at the very beginning: there is no earlier reading
        chosen = np.flatnonzero(known)
        first = before[chosen] - 1
        steps = np.stack([stamp[first + k + 1] - stamp[first + k] for k in range(3)])
        whole = steps.max(axis=0, initial=0.0) <= self._longest
        chosen, first = chosen[whole], first[whole]
        wrench = _cubic(stamp, samples.wrench, first, at[chosen])
        done = np.flatnonzero(known | over)
        if len(done):
            self._after = float(stamp[done[-1]])
        rest = int(np.searchsorted(stamp, min(self._after, self._after + self.seconds)))
        self._held = samples.part(max(0, rest - 3), len(samples))
        return samples.chosen(chosen, wrench)


def _cubic(stamp: Array, value: Array, first: Array, at: Array) -> Array:
    """Return the cubic through four neighbours, the first of them numbered, shape (K, 6)."""
    nodes = [stamp[first + k] for k in range(4)]
    total = np.zeros((len(at), value.shape[1]))
    for k in range(4):
        weight = np.ones(len(at))
        for j in range(4):
            if j != k:
                weight = weight * (at - nodes[j]) / (nodes[k] - nodes[j])
        total = total + weight[:, None] * value[first + k]
    return total
