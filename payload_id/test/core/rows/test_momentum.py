"""Rows of the momentum form: exact where nothing is uncertain; the parts that they are made of."""

from dataclasses import replace

import numpy as np
import pytest

from arms import ARMS, Motion, arm, record, rows_of
from payload_id.core.rows.joint_torque.torque_bound import TorqueNoise
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.quadrature import (
    end_correction,
    end_samples,
    sign_integral,
    trapezoid_weights,
)

EVERY_ARM = pytest.mark.parametrize("name", ARMS)
KNOWN = Uncertainty()
SAMPLING = (  # rate, jitter, length of windows, time of the first stamp
    (1000.0, 0.3, 0.1, 1.7e9),  # stamps of this size are rounded to 2.4e-7 s
    (250.0, 0.45, 0.02, 0.0),
    (100.0, 0.0, 0.1, 0.0),
    (50.0, 0.0, 0.1, 0.0),
    (25.0, 0.3, 0.5, 0.0),
)


@EVERY_ARM
def test_truth_is_within_the_bound_without_any_error(name):
    for seed, (rate, jitter, length, epoch) in enumerate(SAMPLING):
        run = record(arm(name), seed, rate=rate, jitter=jitter, seconds=min(2.0, 400 / rate))
        rows = rows_of(arm(name), KNOWN, replace(run.true, stamp=run.true.stamp + epoch), length)
        assert (np.abs(rows.A @ run.phi - rows.b) < rows.bound(np.abs(run.phi))).all()


@EVERY_ARM
def test_remainder_of_the_integration_is_of_third_order(name):
    # The corrected trapezoid rule would be of fourth order; second differences a step inside the
    # window make it third. The uncorrected rule is of second order.
    motion, left = Motion.draw(arm(name), np.random.default_rng(3)), []
    for rate in (125.0, 250.0, 500.0):
        run = record(arm(name), 3, rate=rate, seconds=1.6, motion=motion, phi=np.zeros(10))
        left.append(np.linalg.norm(rows_of(arm(name), KNOWN, run.true).b))
    np.testing.assert_allclose(np.array(left[:-1]) / left[1:], 8.0, rtol=0.15)


@EVERY_ARM
def test_gravity_alone_is_mixed_in_at_rest_and_not_in_motion_or_without_a_scale(name):
    run = record(arm(name), 5, rate=250.0, seconds=0.4)
    slow = replace(run.true, q=run.true.q[:1] + 0.0 * run.true.q, dq=0.0 * run.true.dq)
    for samples, scale, share in ((slow, 1.0, 0.0), (run.true, 1e-9, 1.0), (slow, 0.0, 1.0)):
        rows = rows_of(arm(name), Uncertainty(dynamism_scale=scale), samples, 0.1)
        np.testing.assert_array_equal(rows.full_share, share)
        still = np.abs(rows.A - rows.A_static).max()
        assert still < 1e-9 if samples is slow else still > 1e-3


def test_correction_is_exact_for_parabolas_and_bounds_the_rest():
    t = np.cumsum(np.random.default_rng(4).uniform(0.6, 1.4, 40)) * 1e-2
    w = trapezoid_weights(t)
    assert w.sum() == pytest.approx(t[-1] - t[0])
    assert w @ t == pytest.approx((t[-1] ** 2 - t[0] ** 2) / 2)
    for value, rate, exact in (
        (lambda x: 3 * x**2 - x, lambda x: 6 * x - 1, True),
        (lambda x: x**3, lambda x: 3 * x**2, False),
        (lambda x: np.sin(5 * x), lambda x: 5 * np.cos(5 * x), False),
    ):
        correction, remainder = end_correction(t, value(t)[end_samples(len(t)), None])
        error = abs(w @ rate(t) - (value(t[-1]) - value(t[0])) - correction)
        assert error <= (0.0 if exact else remainder) + 1e-14


def test_noise_of_a_sample_is_what_either_reading_of_relative_allows():
    tau = np.array([0.0, 0.1, 7.0])
    noise = TorqueNoise.of(Uncertainty(torque_relative=0.2, torque_absolute=0.5), 3)
    candidate = np.linspace(-12, 12, 24001)[:, None]
    error = np.abs(tau - candidate)
    allowed = error <= 0.2 * np.maximum(np.abs(candidate), tau) + 0.5
    largest = np.where(allowed, error, 0.0).max(axis=0)
    np.testing.assert_allclose(noise.of_samples(tau), largest, atol=2e-3)


def test_integral_of_the_sign():
    t = np.array([0.0, 0.1, 0.3, 0.6, 1.0, 1.5])
    dq = np.array([0.5, 0.2, -0.3, -0.005, -0.2, -0.4])[:, None]
    both = sign_integral(np.diff(t), np.hstack([dq, -dq, dq]), np.array([0.01, 0.01, 10.0]))
    np.testing.assert_allclose(both, [[-0.4, 0.4, 0.0], [0.9, 0.9, 1.5]])
