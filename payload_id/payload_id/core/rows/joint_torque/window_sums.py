"""What of windows' samples enters their equations: sums over them, and what is next to the ends.

K windows with as many samples each are handled at once, with one operation on an array for all.

Momentum telescopes and integrals add up: the sums of neighbouring windows make those of the window
that they fill together, and errors at the samples that they share cancel. So windows of several
lengths cost little more than one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from ...arrays import Array
from ..nuisance import Effect
from ..quadrature import end_correction, end_weights, trapezoid_weights
from .kinematic_error import SECOND_ORDER, Sensitivity

# Fields that are the sums of those of neighbouring windows.
ADDED = (
    "signs", "unknown", "travel", "reading", "size", "rough", "impulse", "stamp_error", "still",
    "motion",
)  # fmt: skip


@dataclass(frozen=True)
class WindowSums:
    """Sums over K windows of N samples, and what is next to their ends.

    Attributes:
        stamp: Of the samples, shape (K, N) [s].
        signs: Integral of the sign of the velocities where it is known, shape (K, n) [s].
        unknown: Time during which it is not, shape (K, n) [s].
        travel: Integral of the velocities, shape (K, n) [rad or m].
        reading: Integral of the torques, shape (K, n) [N m s].
        size: Integral of their magnitudes, shape (K, n) [N m s].
        lowest: Lowest of them, shape (K, n) [N m].
        highest: Highest of them, shape (K, n) [N m].
        rough: What is left of them where they bend or jump between samples, shape (K, n) [N m s].
        impulse: Integral of W_c, shape (K, n + 1, n, 10).
        stamp_error: What errors of the stamps do to the coefficients, shape (K, n + 1, n, 10).
        still: Coefficients of the payload in gravity alone, shape (K, n, 10); (K, 0, 10) where they
            are of no use.
        motion: Integral of the payload's dynamism, shape (K,) [s].
        momentum: W_m at `end_samples`, shape (K, 8, n + 1, n, 10).
        speed: Joint velocities there, shape (K, 8, n) [rad/s or m/s].
        sensitivity: What errors of positions and velocities do; its `force` is a mean.
        of_run: What each block of what is unknown of a run does.
    """

    stamp: Array
    signs: Array
    unknown: Array
    travel: Array
    reading: Array
    size: Array
    lowest: Array
    highest: Array
    rough: Array
    impulse: Array
    stamp_error: Array
    still: Array
    motion: Array
    momentum: Array
    speed: Array
    sensitivity: Sensitivity
    of_run: tuple[Effect, ...]

    @cached_property
    def weight(self) -> Array:
        """Of the samples in an integral, shape (K, N) [s]."""
        return trapezoid_weights(self.stamp)

    @property
    def duration(self) -> Array:
        """Length of the windows, shape (K, 1) [s]."""
        return np.asarray(self.weight.sum(axis=1, keepdims=True))

    @property
    def least(self) -> Array:
        """Least magnitude of torques that keep their sign, 0 if they do not, (K, n) [N m]."""
        return np.asarray(np.maximum(0.0, np.maximum(self.lowest, -self.highest)))

    def regressor(self) -> tuple[Array, Array]:
        """Return the coefficients of all bodies and their error bound, (K, n + 1, n, 10) each."""
        change = self.momentum[:, -1] - self.momentum[:, 0]
        size = change[0].size
        correction, remainder = (part[:, :size].reshape(change.shape) for part in self._correction)
        ends = self.sensitivity.at_ends(tuple(_wide(x) for x in self._end_weights))
        whole = _wide(self.duration[:, 0]) * self.sensitivity.force
        error = remainder + SECOND_ORDER * (ends + whole) + self.stamp_error
        return change + correction - self.impulse, error

    def speed_change(self, speed_error: Array) -> tuple[Array, Array]:
        """Return the integral of each joint's acceleration and a bound on its error, (K, n) each.

        Args:
            speed_error: Of the measured velocities, shape (n,) [rad/s or m/s].
        """
        change = self.speed[:, -1] - self.speed[:, 0]
        correction, remainder = (part[:, -change.shape[1] :] for part in self._correction)
        ends = np.add(*self._end_weights)[:, None]
        return change + correction, remainder + ends * speed_error

    @cached_property
    def _correction(self) -> tuple[Array, Array]:
        """`end_correction` of momentum, row by row, and then speed, (K, 10 n (n + 1) + n) each."""
        momentum = self.momentum.reshape(*self.momentum.shape[:2], -1)
        return end_correction(self.stamp, np.concatenate([momentum, self.speed], axis=2))

    @cached_property
    def _end_weights(self) -> tuple[Array, Array]:
        """By how much errors at the ends enter, shape (K,) each."""
        return end_weights(self.stamp)


def _wide(of_windows: Array) -> Array:
    """Return a number of each window, to multiply regressors, shape (K, 1, 1, 1)."""
    return of_windows[:, None, None, None]


def joined(parts: Sequence[WindowSums]) -> WindowSums:
    """Return the sums of the window that neighbours fill, each sharing a sample with the next.

    What is left out of them adds up, but for errors at the samples that they share, which cancel.

    Args:
        parts: Of one window each.
    """
    first, last = parts[0], parts[-1]
    share = np.concatenate([part.duration for part in parts])
    share = _wide(share[:, 0] / share.sum())
    forces = np.concatenate([part.sensitivity.force for part in parts])
    return WindowSums(
        stamp=np.concatenate([first.stamp, *(part.stamp[:, 1:] for part in parts[1:])], axis=1),
        lowest=np.min([part.lowest for part in parts], axis=0),
        highest=np.max([part.highest for part in parts], axis=0),
        momentum=np.concatenate([first.momentum[:, :4], last.momentum[:, 4:]], axis=1),
        speed=np.concatenate([first.speed[:, :4], last.speed[:, 4:]], axis=1),
        sensitivity=Sensitivity(
            (share * forces).sum(axis=0, keepdims=True),
            first.sensitivity.first,
            last.sensitivity.last,
        ),
        of_run=tuple(
            Effect(*(_sum(effects, entry.name) for entry in fields(Effect)))
            for effects in zip(*(part.of_run for part in parts), strict=True)
        ),
        **{name: _sum(parts, name) for name in ADDED},
    )


def _sum(parts: Sequence[Any], name: str) -> Array:
    """Return the sum of one array of all parts."""
    return np.asarray(np.sum([getattr(part, name) for part in parts], axis=0))
