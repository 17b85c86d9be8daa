"""Velocities from positions."""

import numpy as np

from payload_id.core.samples.differentiation import velocities


def test_exact_for_parabolas_on_irregular_stamps():
    stamp = np.cumsum(1e-3 * np.random.default_rng(1).uniform(0.6, 1.4, 400))
    a, b, c = np.array([[0.3, -1.0], [2.0, 0.5], [-4.0, 30.0]])
    t = stamp[:, None]
    np.testing.assert_allclose(velocities(stamp, a + b * t + c * t**2), b + 2 * c * t, atol=1e-9)


def test_error_stays_below_the_stated_bias_and_noise_is_smoothed():
    rng = np.random.default_rng(2)
    stamp = np.cumsum(1e-3 * rng.uniform(0.6, 1.4, 2000))[:, None]
    exact, true = velocities(stamp[:, 0], np.sin(3.0 * stamp)), 3.0 * np.cos(3.0 * stamp)
    bias = 0.01**2 / 10 * 27.0  # half_width^2 / 10 |q'''|
    assert np.abs(exact - true)[20:-20].max() < 1.5 * bias
    q = np.sin(3.0 * stamp) + rng.uniform(-1e-5, 1e-5, stamp.shape)
    plain = np.gradient(q[:, 0], stamp[:, 0])
    assert np.std(velocities(stamp[:, 0], q) - true) < 0.2 * np.std(plain - true[:, 0])


def test_wrapped_angles_do_not_jump():
    stamp = np.arange(1000) * 1e-2
    wrapped = (2.0 * stamp + np.pi) % (2 * np.pi) - np.pi
    np.testing.assert_allclose(velocities(stamp, wrapped[:, None]), 2.0, atol=1e-9)


def test_nothing_is_fitted_across_a_gap_and_of_a_single_sample():
    stamp = np.concatenate([np.arange(50), np.arange(150, 200), [300.0]]) * 1e-3
    q = np.where(stamp < 0.1, stamp, 2.0 - 5.0 * stamp)[:, None]
    dq = velocities(stamp, q)[:, 0]
    np.testing.assert_allclose(dq[:100], np.repeat([1.0, -5.0], 50), atol=1e-9)
    assert np.isnan(dq[100])
    assert np.isnan(velocities(np.zeros(1), np.zeros((1, 2)))).all()
    np.testing.assert_allclose(velocities(np.array([0.0, 0.5]), np.array([[0.0], [1.0]])), 2.0)
