"""Filters: no delay, the right derivatives, and windows that follow the motion's bandwidth."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from payload_id.core.errors import InputError, RecordingError
from payload_id.core.samples.filters import (
    angular_velocity,
    bandwidth_of,
    butterworth,
    interpolated_rotation,
    resampled,
    savitzky_golay,
    savitzky_golay_window,
    smoothed_rotation,
)
from payload_id.core.samples.kalman_smoother import kalman_smoother, rotation_kalman_smoother
from wrench_motion import motion

T = np.arange(0, 6, 0.005)
SLOW = np.sin(2 * np.pi * 0.7 * T)
INNER = slice(100, -100)


def noisy(values, size, seed=0):
    return values + size * np.random.default_rng(seed).normal(size=np.shape(values))


def test_butterworth_keeps_slow_removes_fast_and_shifts_nothing():
    both = SLOW + np.sin(2 * np.pi * 40 * T)
    np.testing.assert_allclose(butterworth(T, both, 8.0)[INNER], SLOW[INNER], atol=2e-2)
    half = butterworth(T, np.sin(2 * np.pi * 8 * T), 8.0)[INNER]
    assert np.abs(half).max() == pytest.approx(0.5, abs=0.02)
    columns = butterworth(T, np.stack([both, -both], axis=1), 8.0)
    np.testing.assert_allclose(columns[:, 0], -columns[:, 1])


def test_butterworth_refuses_what_it_cannot_filter():
    with pytest.raises(InputError, match="half the sampling rate, 100 Hz"):
        butterworth(T, SLOW, 120.0)
    with pytest.raises(RecordingError, match="equal steps"):
        butterworth(np.concatenate([T, [20.0]]), np.append(SLOW, 0), 8.0)
    with pytest.raises(RecordingError, match="5 samples"):
        butterworth(T[:3], SLOW[:3], 8.0)


def test_savitzky_golay_differentiates_cubics_exactly():
    cubic = 1 + 2 * T - 3 * T**2 + 0.5 * T**3
    np.testing.assert_allclose(savitzky_golay(T, cubic, 2.0), cubic, atol=1e-9)
    np.testing.assert_allclose(
        savitzky_golay(T, cubic, 2.0, derivative=1), 2 - 6 * T + 1.5 * T**2, atol=1e-8
    )
    np.testing.assert_allclose(savitzky_golay(T, cubic, 2.0, derivative=2), -6 + 3 * T, atol=1e-6)


def test_window_follows_the_bandwidth_of_the_motion():
    assert bandwidth_of(T, noisy(SLOW, 0.02)) == pytest.approx(0.7, abs=0.4)
    windows = [savitzky_golay_window(f, 0.005, 10_000) for f in (0.5, 1.0, 2.0, 4.0)]
    assert windows == sorted(windows, reverse=True) and all(w % 2 for w in windows)
    assert savitzky_golay_window(90.0, 0.005, 10_000) == 5
    assert savitzky_golay_window(0.01, 0.005, 101) == 101
    rough = noisy(SLOW, 0.01)
    smooth = savitzky_golay(T, rough, derivative=2)
    true = -((2 * np.pi * 0.7) ** 2) * SLOW
    naive = np.gradient(np.gradient(rough, T), T)
    assert np.std((smooth - true)[INNER]) < 0.1 * np.std(true) < np.std((naive - true)[INNER])


def test_kalman_smoother_finds_rates():
    rough = noisy(np.stack([SLOW, 2 * SLOW], axis=1), 0.01)
    found = kalman_smoother(T, rough, noise=0.01, jerk=50.0)
    w = 2 * np.pi * 0.7
    speed, acceleration = w * np.cos(w * T), -(w**2) * SLOW
    assert np.std((found.value[:, 0] - SLOW)[INNER]) < 0.004
    assert np.std((found.velocity[:, 0] - speed)[INNER]) < 0.02 * w
    assert np.std((found.acceleration[:, 1] - 2 * acceleration)[INNER]) < 0.1 * 2 * w**2
    assert kalman_smoother(T, rough[:, 0], 0.01, 50.0).value.shape == T.shape


def test_kalman_smoother_takes_uneven_steps():
    t = np.sort(np.random.default_rng(1).uniform(0, 6, 900))
    parabola = 1 + 2 * t - 1.5 * t**2
    found = kalman_smoother(t, parabola, noise=1e-3, jerk=1.0)
    np.testing.assert_allclose(found.velocity, 2 - 3 * t, atol=0.05)


def test_orientation_is_interpolated_with_its_rates():
    fine = T[100:900:7] + 1.3e-3
    rotation, omega, alpha, _ = motion(T)
    wanted_rotation, wanted_omega, wanted_alpha, _ = motion(fine)
    found = interpolated_rotation(T, rotation.as_matrix(), fine)
    np.testing.assert_allclose(found.rotation, wanted_rotation.as_matrix(), atol=1e-7)
    np.testing.assert_allclose(found.velocity, wanted_omega, atol=1e-5)
    np.testing.assert_allclose(found.acceleration, wanted_alpha, atol=1e-2)
    np.testing.assert_allclose(
        angular_velocity(T, rotation.as_matrix())[1:-1], omega[1:-1], atol=2e-4
    )
    with pytest.raises(RecordingError, match="samples run from"):
        interpolated_rotation(T, rotation.as_matrix(), np.array([7.0]))
    with pytest.raises(RecordingError, match="samples run from"):
        resampled(T, SLOW, np.array([-1.0]))


def test_noise_of_orientations_is_smoothed():
    rotation, omega, alpha, _ = motion(T)
    jitter = Rotation.from_rotvec(1e-3 * np.random.default_rng(2).normal(size=(len(T), 3)))
    measured = (rotation * jitter).as_matrix()

    def error(matrices):
        return (rotation.inv() * Rotation.from_matrix(matrices)).magnitude()[INNER].mean()

    assert error(smoothed_rotation(T, measured, 5.0)) < 0.5 * error(measured)
    found = rotation_kalman_smoother(T, measured, noise=1e-3, jerk=20.0)
    assert error(found.rotation) < 0.5 * error(measured)
    assert np.std((found.velocity - omega)[INNER]) < 0.02
    naive = angular_velocity(T, measured)
    twice = np.gradient(naive, T, axis=0)
    assert np.std((twice - alpha)[INNER]) > 20 * np.std((found.acceleration - alpha)[INNER])
    assert np.std((naive - omega)[INNER]) > 5 * np.std((found.velocity - omega)[INNER])
