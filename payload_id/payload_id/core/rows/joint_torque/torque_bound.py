"""From measured to true torque: what the bounds on the sensors' noise leave open."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from ...arrays import Array
from ..windows import STAMP_TOLERANCE
from .uncertainty import Uncertainty

ROWS_OF_A_RUN = 100_000  # for which `coverage` holds: 24 minutes of 7 joints in 0.1 s windows


@dataclass(frozen=True)
class TorqueNoise:
    """What is stated of the noise of n joints' torques.

    It may be relative to the joint's torque T or to the reading (1 + gain) T + offset.

    Attributes:
        largest_gain: How many times the noise-free reading the torque can be, shape (n,).
        relative: Bound relative to the noise-free reading, shape (n,) [-].
        own: Bound on the absolute part alone, shape (n,) [N m].
        shifted: What the relative part of the offset adds to it, shape (n,) [N m].
        gaussian: What independent Gaussian noise of one sample is held to, shape (n,) [N m].
        means: Lengths over which the mean of the absolute part is bounded, with the bounds, shape
            (n,) [s], [N m].
    """

    largest_gain: Array
    relative: Array
    own: Array
    shifted: Array
    gaussian: Array
    means: tuple[tuple[float, Array], ...]

    @classmethod
    def of(cls, uncertainty: Uncertainty, n: int) -> TorqueNoise:
        """Return what an uncertainty states.

        A weighted sum of independent Gaussian samples has the standard deviation sigma |weights|.
        No row of `ROWS_OF_A_RUN` exceeds `quantile` of them with the stated probability (union
        bound).
        """
        gain = largest_gain(uncertainty.per_joint("torque_gain", n))
        relative = uncertainty.per_joint("torque_relative", n) * gain
        quantile = -ndtri((1.0 - uncertainty.coverage) / (2.0 * ROWS_OF_A_RUN))
        return cls(
            largest_gain=gain,
            relative=relative,
            own=uncertainty.per_joint("torque_absolute", n),
            shifted=relative * uncertainty.per_joint("torque_offset", n),
            gaussian=np.asarray(quantile * uncertainty.per_joint("torque_sigma", n)),
            means=uncertainty.means(n),
        )

    def of_samples(self, size: Array) -> Array:
        """Return what the noise can be at samples with |reading| = size, shape (..., n) [N m].

        With r the relative and a the absolute bound, |noise| <= r max(|reading|, |noise-free
        reading|) + a, and the latter is at most (|reading| + a) / (1 - r).
        """
        whole = self.relative * size + self.own + self.shifted
        return np.asarray(whole / (1.0 - self.relative) + self.gaussian)

    def of_windows(self, weight: Array, size: Array, least: Array) -> Array:
        """Return what the noise can add to integrals of the reading over windows, (K, n) [N m s].

        As at a sample, with o the relative part of the offset and x, the least bound of
        `torque_mean` for windows so long, in place of a where that is added:

            |int noise dt| <= r / (1 - r) (int |reading| dt + (a + o) L) + (x + o) L.

        Where noise cannot have turned the sign of any reading, int |noise-free reading| dt is the
        magnitude of int (reading - noise) dt, in which the noise averages out: x in place of a.

        Args:
            weight: Of the samples in an integral, shape (K, N) [s].
            size: Integral of |reading|, shape (K, n) [N m s].
            least: Least |reading| of readings of one sign, 0 for others, shape (K, n) [N m].
        """
        duration, mean = weight.sum(axis=1, keepdims=True), np.broadcast_to(self.own, size.shape)
        for length, bound in self.means:
            long = duration >= length - STAMP_TOLERANCE
            mean = np.where(long, np.minimum(mean, bound), mean)
        part = self.relative / (1.0 - self.relative)
        kept = least * (1.0 - self.relative) > self.own + self.shifted + self.gaussian
        beside = np.where(kept, mean, self.own) + self.shifted
        bound = part * (size + beside * duration)
        bound += (self.shifted + mean) * duration
        return bound + self.gaussian * np.linalg.norm(weight, axis=1, keepdims=True)


def largest_gain(gain: Array) -> Array:
    """Return how many times the noise-free reading the torque can be, offsets apart, shape (n,).

    A sensor of gain 1 + g shows (1 + g) T, so that T = reading / (1 + g), |g| <= gain < 1.
    """
    return 1.0 / (1.0 - gain)
