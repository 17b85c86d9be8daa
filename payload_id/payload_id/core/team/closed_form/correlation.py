r"""Errors of neighbouring windows hang together; rows that are freed of it count as independent.

Play, compliance and friction change slowly against the stride of the windows, which overlap, too.
With e_k the errors of one channel in units of its noise,

    e_k = c e_{k-1} + sqrt(1 - c^2) n_k,

c from the residuals, the rows r_k - c r_{k-1} over sqrt(1 - c^2) have independent errors n_k, and
least squares of them is the best linear estimate [Prais1954]. What such errors spoil least, quick
motion, then counts most.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array, BoolArray

LARGEST = 0.95  # of |c|: what is as slow as the run is an offset, and no correlation
LEAST_PAIRS = 8  # that a correlation is estimated from


@dataclass(frozen=True)
class Correlation:
    """How the errors of C channels hang together from one window to the next.

    Attributes:
        follows: Whether a window is one stride behind the one before it, shape (W,).
        c: Of each channel, shape (C,).
    """

    follows: BoolArray
    c: Array

    @classmethod
    def none(cls, start: Array, channels: int) -> Correlation:
        """Return no correlation of windows that begin at some times, shape (W,) [s]."""
        step = np.diff(start)
        usual = float(np.median(step)) if len(step) else 0.0
        follows = np.concatenate([[False], np.abs(step - usual) <= 1e-3 * usual])
        return cls(follows[: len(start)], np.zeros(channels))

    def seen_in(self, residual: Array) -> Correlation:
        """Return that of residuals in units of their noise, shape (W, C)."""
        if np.count_nonzero(self.follows) < LEAST_PAIRS:
            return self
        later, before = residual[self.follows], residual[np.flatnonzero(self.follows) - 1]
        size = 0.5 * (later**2 + before**2).sum(axis=0)
        both = (later * before).sum(axis=0)
        c = np.divide(both, size, out=np.zeros_like(both), where=size > 0)
        return Correlation(self.follows, np.clip(c, -LARGEST, LARGEST))

    def freed(self, rows: Array) -> Array:
        """Return rows with independent errors, shape (..., W, C, k), from such in units of noise.

        The first one of a stretch stays as it is.
        """
        before = np.roll(rows, 1, axis=-3)
        c = np.where(self.follows[:, None], self.c, 0.0)[..., None]
        return np.asarray((rows - c * before) / np.sqrt(1.0 - c**2))
