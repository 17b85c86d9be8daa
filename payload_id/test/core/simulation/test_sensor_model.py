"""Sensor errors and link deviations stay within their bounds and follow the seed."""

from __future__ import annotations

import numpy as np

from payload_id.core.body.inertial import is_physical
from payload_id.core.samples.joint_samples import Samples
from payload_id.core.simulation.perturbation import perturb_links
from payload_id.core.simulation.sensors import (
    SensorModel,
    effort_from_torque,
    measure,
)

N, n = 4000, 3
RNG = np.random.default_rng(5)
TRUE = Samples(np.arange(N) * 1e-3, *RNG.normal(scale=3.0, size=(3, N, n)))
ROWS = (TRUE.stamp, TRUE.q, TRUE.dq, TRUE.tau)
NOISY = SensorModel(
    torque_relative=(0.01, 0.02, 0.03),
    torque_absolute=0.2,
    torque_gain=(0.05, 0.0, -0.05),
    torque_offset=(1.0, -1.0, 0.0),
    position_resolution=1e-3,
    velocity_noise=0.01,
    stamp_jitter=2e-4,
    loss=0.2,
)


def test_errors_fill_their_bounds_and_never_leave_them():
    """Each error reaches at least 95 % of its bound somewhere, and nowhere exceeds it."""
    seen = measure(NOISY, np.random.default_rng(1), *ROWS)
    systematic = TRUE.tau * np.array(NOISY.torque_gain) + np.array(NOISY.torque_offset)
    bound = np.array(NOISY.torque_relative) * np.abs(TRUE.tau) + NOISY.torque_absolute
    shares = (
        np.abs(seen.tau - TRUE.tau - systematic) / bound,
        np.abs(seen.q - TRUE.q) / (0.5 * NOISY.position_resolution),
        np.abs(seen.dq - TRUE.dq) / NOISY.velocity_noise,
        np.abs(seen.stamp - TRUE.stamp) / NOISY.stamp_jitter,
    )
    for share in shares:
        assert 0.95 < share.max() <= 1.0 + 1e-9, f"{share.max()=}"
    assert abs(seen.lost.mean() - NOISY.loss) < 4 * np.sqrt(NOISY.loss * (1 - NOISY.loss) / N)


def test_effort_is_what_the_sampler_undoes():
    """Tau = sign * effort - offset."""
    sign, offset = np.array([-1.0, 1.0, -1.0]), np.array([0.5, 0.0, -2.0])
    effort = effort_from_torque(TRUE.tau, sign, offset)
    np.testing.assert_allclose(sign * effort - offset, TRUE.tau, atol=1e-12)


def test_links_stay_within_the_bound_and_physical():
    """Element-wise within +-relative, J > 0, zeros stay zero, the seed decides."""
    body = np.array([2.0, 0.1, 0.0, -0.3, 0.2, 0.01, 0.0, 0.25, 0.0, 0.12])
    rod = np.array([1.0, 0.0, 0.0, 0.5, 1 / 3, 0.0, 0.0, 1 / 3, 0.0, 1e-9])
    nominal = np.array([body, rod, np.zeros(10)])
    for seed in range(20):
        links = perturb_links(nominal, 0.05, np.random.default_rng(seed))
        again = perturb_links(nominal, 0.05, np.random.default_rng(seed))
        np.testing.assert_array_equal(links, again)
        assert (np.abs(links - nominal) <= 0.05 * np.abs(nominal) + 1e-15).all()
        assert is_physical(links[0])
        assert is_physical(links[1])
        assert not links[2].any()
    given = body != 0
    assert len(np.unique((links[0][given] / body[given]).round(12))) == given.sum()
