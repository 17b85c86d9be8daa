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

    @property
    def absolute(self) -> Array:
        """Bound on the absolute part, with the relative part of the offset, shape (n,) [N m]."""
        return self.own + self.shifted

    def noise_free(self, tau: Array) -> tuple[Array, Array]:
        """Return what the sensors would show without noise: middle and half width, (N, n) [N m].

        Args:
            tau: Measured torques, shape (N, n) [N m].
        """
        return true_torque(tau, self.relative, self.absolute)

    def mean(self, duration: Array, size: Array, least: Array) -> Array:
        """Return what the noise can add to integrals of the reading over windows, (K, n) [N m s].

        As in `weighted`, x the least bound of `torque_mean` for windows so long. Infinite for
        joints of which no mean over so short a time is stated.

        Args:
            duration: L, shape (K, 1) [s].
            size: Integral of |reading|, shape (K, n) [N m s].
            least: As in `weighted`.
        """
        mean = np.full(size.shape, np.inf)
        for length, bound in self.means:
            long = duration >= length - STAMP_TOLERANCE
            mean = np.where(long, np.minimum(mean, bound), mean)
        return self.weighted(duration, size, least, mean)

    def weighted(self, total: Array, size: Array, least: Array, mean: Array) -> Array:
        """Return what the noise can add to  int w reading dt,  w >= 0, (K, n) [N m s].

        With r the relative and a the absolute bound of a sample, o that of the offset, x that on
        the weighted mean of the absolute part and W = int w dt: |relative part| <= r (o + the
        larger of |reading| and |noise-free reading|), the latter at most (|reading| + a) / (1 - r),
        so that

            |int w noise| <= r / (1 - r) (int w |reading| + a W) + (r o + x) W.

        Where noise cannot have turned the sign of any reading, |reading| > (a + r o) / (1 - r), and
        r is of the same of the two throughout, int w |noise-free reading| is the magnitude of
        int w (reading - noise) dt, in which the noise averages out as well: r o + x in place of a.

        Args:
            total: W, shape (K, 1) [s].
            size: Integral of w |reading|, shape (K, n) [N m s].
            least: Least |reading| of readings of one sign, 0 for others, shape (K, n) [N m].
            mean: x, shape (K, n) or (n,) [N m].
        """
        if np.isinf(mean).all():
            return mean
        relative, shifted, absolute = self.relative, self.shifted, self.absolute
        one_sign = least * (1.0 - relative) > absolute
        beside = np.where(one_sign, np.minimum(shifted + mean, absolute), absolute)
        part = relative / (1.0 - relative) * (size + beside * total)
        return np.asarray(part + (shifted + mean) * total)


def largest_gain(gain: Array) -> Array:
    """Return how many times the noise-free reading the torque can be, offsets apart, shape (n,).

    A sensor of gain 1 + g shows (1 + g) T, so that T = reading / (1 + g), |g| <= gain < 1.
    """
    return 1.0 / (1.0 - gain)


def true_torque(tau: Array, relative: Array, absolute: Array) -> tuple[Array, Array]:
    """Return the middle and half the width of the interval that holds the true torque.

    "Relative" may mean relative to the true or to the measured value; both readings are covered:
    |tau - true| <= r |true| + a  or  |tau - true| <= r |tau| + a.

    Args:
        tau: Measured torques, shape (N, n) [N m].
        relative: Fraction r < 1 for each joint, shape (n,) [-].
        absolute: a for each joint, shape (n,) [N m].

    Returns:
        middle, half_width: shape (N, n) [N m].
    """
    size = np.abs(tau)
    outer = (size + absolute) / (1.0 - relative)  # largest |true| with r of the true value
    inner = np.minimum(
        size * (1.0 - relative) - absolute,  # r of the measured value
        (size - absolute) / np.where(size > absolute, 1.0 + relative, 1.0 - relative),
    )
    return np.sign(tau) * (outer + inner) / 2, np.where(
        tau == 0.0, np.maximum(outer, -inner), (outer - inner) / 2
    )
