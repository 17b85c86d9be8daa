"""Filters and delays between a quantity and its published value, on an even grid of time."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.signal import lfilter

from ...arrays import Array


@dataclass(frozen=True)
class Lag:
    """A first-order low-pass and a pure delay behind it.

    Attributes:
        cut_off: Frequency at which 3 dB are lost [Hz]; infinite: no filter.
        delay: [s].
        level: Of the low-pass at the last instant, shape (n,); None: at rest so far.
        past: What is still in the delay, oldest first, shape (K, n); None: at rest so far.
    """

    cut_off: float
    delay: float
    level: Array | None = None
    past: Array | None = None

    def through(self, signal: Array, step: float) -> tuple[Array, Lag]:
        """Return the late signal, shape (N, n), and the lag as that leaves it.

        Between instants the delayed signal is linear.

        Args:
            signal: Shape (N, n).
            step: Time between two instants [s].
        """
        smooth = self._smoothed(signal, step)
        whole, part = divmod(self.delay / step, 1.0)
        held = int(whole) + 1
        past = np.repeat(smooth[:1], held, axis=0) if self.past is None else self.past
        line = np.concatenate([past, smooth])
        newer, older = line[1 : 1 + len(signal)], line[: len(signal)]
        late = (1.0 - part) * newer + part * older
        return np.asarray(late), replace(self, level=smooth[-1], past=line[-held:])

    def _smoothed(self, signal: Array, step: float) -> Array:
        """Return the signal behind the low-pass."""
        if not np.isfinite(self.cut_off):
            return signal
        level = signal[0] if self.level is None else self.level
        keep = float(np.exp(-2.0 * np.pi * self.cut_off * step))
        begin = keep * level[np.newaxis]
        return np.asarray(lfilter([1.0 - keep], [1.0, -keep], signal, axis=0, zi=begin)[0])


def quantised(signal: Array, step: Array) -> Array:
    """Return a signal (N, n) in whole multiples of a step (n,); a step of 0: as it is."""
    size = np.where(step > 0, step, 1.0)
    return np.where(step > 0, np.round(signal / size) * size, signal)
