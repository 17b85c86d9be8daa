"""Smoothing and differentiation of recorded motion: pure functions around SciPy's.

All of them use samples from both sides (they are for recordings), so that they shift nothing in
time. Equal steps are expected; `resampled` and `interpolated_rotation` make them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from ..arrays import Array
from ..errors import RecordingError
from .stamps import stretches

EVEN = 0.2  # largest part of a step by which steps may differ for filters that need equal ones
POLYNOMIAL = 3  # degree of the Savitzky-Golay filter: flat to third order, first two derivatives
ENERGY = 0.999  # part of the motion's energy (its variance) that lies within its bandwidth
STANDS_OUT = 20.0  # times the floor of the spectrum: 1 in 1e6 frequencies of white noise is above
HEADROOM = 5.0  # half-power frequency of the Savitzky-Golay filter over the motion's bandwidth
LEAST_WINDOW = 5  # samples of the Savitzky-Golay filter


def savitzky_golay(
    stamp: Array, value: Array, bandwidth: float | None = None, derivative: int = 0
) -> Array:
    """Return values, or a derivative of theirs, from cubics fitted around each sample.

    Args:
        stamp: Times, equal steps, shape (N,) [s].
        value: Shape (N,) or (N, k).
        bandwidth: Highest frequency of the motion to be kept [Hz]; None: `bandwidth_of` the values.
        derivative: 0, 1 or 2.

    Raises:
        RecordingError: Steps are not equal, or there are too few samples.
    """
    step = even_step(stamp)
    if bandwidth is None:
        bandwidth = bandwidth_of(stamp, value, derivative)
    window = savitzky_golay_window(bandwidth, step, len(stamp))
    return np.asarray(
        scipy.signal.savgol_filter(
            value, window, POLYNOMIAL, deriv=derivative, delta=step, axis=0, mode="interp"
        )
    )


def savitzky_golay_window(bandwidth: float, step: float, samples: int) -> int:
    """Return the longest window (odd number of samples) that keeps a motion of this bandwidth.

    The half-power frequency of the filter of degree n over 2 M + 1 samples is about
    (n + 1) / (3.2 M - 4.6) of half the sampling rate (Schafer 2011, eq. 12); `HEADROOM` times the
    motion's bandwidth leaves the motion and its derivatives unharmed.
    """
    wanted = HEADROOM * bandwidth * 2.0 * step  # of half the sampling rate
    half = ((POLYNOMIAL + 1) / max(wanted, 1e-9) + 4.6) / 3.2
    half = min(half, (samples - 1) // 2)
    return max(LEAST_WINDOW, 2 * int(half) + 1)


def bandwidth_of(stamp: Array, value: Array, derivative: int = 0) -> float:
    """Return the frequency below which nearly all of a signal's motion lies [Hz].

    What stands out of the floor of the spectrum (its median, which is taken for noise) is motion,
    weighed as it counts in the derivative: a small fast motion accelerates as much as a large slow
    one.

    Args:
        stamp: Times, equal steps, shape (N,) [s].
        value: Shape (N,) or (N, k).
        derivative: Of which the variance counts: 0, 1 or 2.
    """
    step = even_step(stamp)
    columns = np.asarray(value, dtype=float).reshape(len(stamp), -1)
    frequency, power = scipy.signal.periodogram(
        columns, fs=1.0 / step, axis=0, window="hann", detrend="linear"
    )
    total = power.sum(axis=1)
    floor = np.median(total)
    motion = np.where(total > STANDS_OUT * floor, total - floor, 0.0)
    motion *= frequency ** (2 * derivative)
    if not motion.any():
        return float(frequency[1])
    share = np.cumsum(motion) / motion.sum()
    return float(max(frequency[np.searchsorted(share, ENERGY)], frequency[1]))


def even_step(stamp: Array) -> float:
    """Return the step of evenly spaced stamps [s].

    Raises:
        RecordingError: The steps differ too much, or there are too few samples.
    """
    if len(stamp) < LEAST_WINDOW:
        raise RecordingError(
            f"A filter needs {LEAST_WINDOW} samples at the least; found {len(stamp)}."
        )
    steps = np.diff(stamp)
    step = float(np.median(steps))
    worst = float(np.abs(steps - step).max())
    if worst > EVEN * step:
        raise RecordingError(
            f"A filter needs equal steps between samples; found {step:.4g} s typically and a "
            f"deviation of {worst:.4g} s. Resample first (filters.resampled)."
        )
    return step


def resampled(stamp: Array, value: Array, at: Array) -> Array:
    """Return values at other instants by a cubic spline through the samples.

    Args:
        stamp: Times, shape (N,) [s].
        value: Shape (N,) or (N, k).
        at: Instants within the stamps, shape (M,) [s].
    """
    _require_within(stamp, at)
    return np.asarray(
        scipy.interpolate.make_interp_spline(stamp, value, k=min(3, len(stamp) - 1))(at)
    )


def resampled_between_gaps(stamp: Array, value: Array, at: Array) -> Array:
    """Return values at instants that `covered` tells, by a spline through each stretch by itself.

    Args:
        stamp: Times, shape (N,) [s].
        value: Shape (N, k).
        at: Instants, none of them in a gap, shape (M,) [s].
    """
    found = np.empty((len(at), *value.shape[1:]))
    for part in stretches(stamp):
        own, inside = stamp[part], (at >= stamp[part][0]) & (at <= stamp[part][-1])
        if inside.any():
            found[inside] = (
                value[part] if len(own) == 1 else resampled(own, value[part], at[inside])
            )
    return found


@dataclass(frozen=True)
class AngularMotion:
    """Orientation and its rates, in the axes of the moving frame.

    Attributes:
        rotation: Axes in the world, shape (N, 3, 3).
        velocity: Shape (N, 3) [rad/s].
        acceleration: Shape (N, 3) [rad/s2].
    """

    rotation: Array
    velocity: Array
    acceleration: Array


def interpolated_rotation(stamp: Array, rotation: Array, at: Array) -> AngularMotion:
    """Return orientation and rates at other instants, by a spline with continuous acceleration.

    Args:
        stamp: Times of the orientations, shape (N,) [s].
        rotation: Axes in the world, shape (N, 3, 3).
        at: Instants within the stamps, shape (M,) [s].
    """
    _require_within(stamp, at)
    spline = scipy.spatial.transform.RotationSpline(
        stamp, scipy.spatial.transform.Rotation.from_matrix(rotation)
    )
    return AngularMotion(
        rotation=spline(at).as_matrix(),
        velocity=np.asarray(spline(at, 1)),
        acceleration=np.asarray(spline(at, 2)),
    )


def fitted_turning(
    stamp: Array, rotation: Array, at: Array, bandwidth: float | None = None
) -> AngularMotion:
    """Return orientation at other instants, and rates from cubics fitted around each sample.

    They are fitted to the rotation vectors of the steps, added up; the orientations are those
    measured.

    Args:
        stamp: Times, equal steps, shape (N,) [s].
        rotation: Axes in the world, shape (N, 3, 3).
        at: Instants within the stamps, shape (M,) [s].
        bandwidth: Highest frequency of the motion to be kept [Hz]; None: told from it.
    """
    theta = turned_by(scipy.spatial.transform.Rotation.from_matrix(rotation))
    if bandwidth is None:
        bandwidth = bandwidth_of(stamp, theta, derivative=2)
    omega, alpha = (savitzky_golay(stamp, theta, bandwidth, order) for order in (1, 2))
    return AngularMotion(
        interpolated_rotation(stamp, rotation, at).rotation,
        resampled(stamp, omega, at),
        resampled(stamp, alpha, at),
    )


def turned_by(rotation: scipy.spatial.transform.Rotation) -> Array:
    """Return the rotation vectors of all steps added up, shape (N, 3); their rate is omega."""
    steps = (rotation[:-1].inv() * rotation[1:]).as_rotvec()
    return np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])


def angular_velocity(stamp: Array, rotation: Array) -> Array:
    """Return the angular velocity in the moving frame from orientations, shape (N, 3) [rad/s].

    Rotation vectors (logarithm) of the steps to both neighbours, the derivative of the parabola
    through them; one-sided at the ends.

    Args:
        stamp: Times, shape (N,) [s], two at the least.
        rotation: Axes in the world, shape (N, 3, 3).
    """
    turned = scipy.spatial.transform.Rotation.from_matrix(rotation)
    rates = (turned[:-1].inv() * turned[1:]).as_rotvec() / np.diff(stamp)[:, None]
    if len(rates) == 1:
        return np.repeat(rates, 2, axis=0)
    before, after = np.diff(stamp)[:-1, None], np.diff(stamp)[1:, None]
    middle = (after * rates[:-1] + before * rates[1:]) / (before + after)
    return np.concatenate([rates[:1], middle, rates[-1:]])


def _require_within(stamp: Array, at: Array) -> None:
    """Raise unless instants lie within the stamps."""
    if not len(at):
        return
    if len(stamp) < 2 or at.min() < stamp[0] or at.max() > stamp[-1]:
        raise RecordingError(
            f"Values are wanted from {at.min():.6g} to {at.max():.6g} s, but samples run from "
            f"{stamp.min(initial=np.inf):.6g} to {stamp.max(initial=-np.inf):.6g} s "
            f"({len(stamp)} of them). Cut to the time that both cover."
        )
