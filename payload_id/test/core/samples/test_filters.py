"""Filters: no delay, the right derivatives, and windows that follow the motion's bandwidth."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from payload_id.core.errors import RecordingError
from payload_id.core.samples.filters import (
    angular_velocity,
    bandwidth_of,
    fitted_turning,
    interpolated_rotation,
    resampled,
    savitzky_golay,
    savitzky_golay_window,
)
from wrench_motion import motion

T = np.arange(0, 6, 0.005)
W = 2 * np.pi * 0.7
SLOW = np.sin(W * T)
INNER = slice(100, -100)
ROTATION, OMEGA, ALPHA, _ = motion(T)


def noisy(values, size):
    return values + size * np.random.default_rng(0).normal(size=np.shape(values))


def spread(found, true):
    """Return the standard deviation of what is found, away from the ends."""
    return np.std((found - true)[INNER])


def test_what_cannot_be_filtered_or_interpolated_is_refused():
    gap, ended = np.append(T, 20.0), ROTATION.as_matrix()
    for error, words, call in (
        (RecordingError, "steps", lambda: savitzky_golay(gap, np.append(SLOW, 0), 8.0)),
        (RecordingError, "samples", lambda: savitzky_golay(T[:3], SLOW[:3], 8.0)),
        (RecordingError, "run from", lambda: interpolated_rotation(T, ended, np.array([7.0]))),
        (RecordingError, "run from", lambda: resampled(T, SLOW, np.array([-1.0]))),
    ):
        with pytest.raises(error, match=words):
            call()


def test_savitzky_golay_differentiates_cubics_exactly():
    cubic = np.polynomial.Polynomial([1.0, 2.0, -3.0, 0.5])
    for order in range(3):
        found = savitzky_golay(T, cubic(T), 2.0, derivative=order)
        np.testing.assert_allclose(found, cubic.deriv(order)(T), atol=1e-6)


def test_window_follows_the_bandwidth_of_the_motion():
    assert bandwidth_of(T, noisy(SLOW, 0.02)) == pytest.approx(0.7, abs=0.4)
    windows = [savitzky_golay_window(f, 0.005, 10_000) for f in (0.5, 1.0, 2.0, 4.0)]
    assert windows == sorted(windows, reverse=True) and all(w % 2 for w in windows)
    assert savitzky_golay_window(90.0, 0.005, 10_000) == 5
    assert savitzky_golay_window(0.01, 0.005, 101) == 101
    rough, true = noisy(SLOW, 0.01), -(W**2) * SLOW
    naive = np.gradient(np.gradient(rough, T), T)
    smooth = savitzky_golay(T, rough, derivative=2)
    assert spread(smooth, true) < 0.1 * np.std(true) < spread(naive, true)


def test_orientation_is_interpolated_with_its_rates():
    fine = T[100:900:7] + 1.3e-3
    rotation, omega, alpha, _ = motion(fine)
    found = interpolated_rotation(T, ROTATION.as_matrix(), fine)
    np.testing.assert_allclose(found.rotation, rotation.as_matrix(), atol=1e-7)
    np.testing.assert_allclose(found.velocity, omega, atol=1e-5)
    np.testing.assert_allclose(found.acceleration, alpha, atol=1e-2)
    rates = angular_velocity(T, ROTATION.as_matrix())
    np.testing.assert_allclose(rates[1:-1], OMEGA[1:-1], atol=2e-4)


def test_rates_of_noisy_orientations_are_those_of_the_bandwidth_that_is_asked_for():
    measured = (ROTATION * Rotation.from_rotvec(noisy(np.zeros((len(T), 3)), 1e-3))).as_matrix()

    def error(bandwidth):
        return spread(fitted_turning(T, measured, T, bandwidth).acceleration, ALPHA)

    assert error(2.0) < 0.1 * error(20.0) and error(None) < 0.2 * error(20.0)
