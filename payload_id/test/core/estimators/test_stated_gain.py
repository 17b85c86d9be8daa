"""Gains that are fitted beside the payload: consistent, in their box, linear to first order."""

import numpy as np

from payload_id.core.statistics.nuisance_fit import linearised, nuisance_fit

GAIN = 0.3


def gained(seed, channels=3, p=5, m=400, noise=0.3, known=2.0):
    """Return factors of rows of sensors with gains, the last columns of B, and the true x.

    A part of the torque is known, of that size: without one no data tell a common factor.
    """
    rng = np.random.default_rng(seed)
    A, B = rng.normal(size=(channels, m, 10)), rng.normal(size=(channels, m, p))
    phi, u = rng.normal(size=10), rng.uniform(-0.7, 0.7, p + channels)
    part = known * rng.normal(size=(channels, m))
    reading = (part + A @ phi + B @ u[:p]) / (1.0 + GAIN * u[p:])[:, None]
    reading += noise * rng.normal(size=reading.shape)
    gain = np.hstack([np.zeros((channels, p)), GAIN * np.eye(channels)])
    columns = -GAIN * reading[:, :, None] * np.eye(channels)[:, None]
    rows = np.concatenate([B, columns, A, (reading - part)[..., None]], axis=2)
    return np.linalg.qr(rows, mode="r"), gain, np.append(u, phi), rows


def divided(rows, gain, y):
    """Return what is left of the rows, over the gains."""
    left = np.einsum("cmk,k->cm", rows, np.append(y, -1.0))
    return left / (1.0 + gain @ y[: gain.shape[1]])[:, None]


def test_fit_of_gains_is_consistent_and_keeps_the_box():
    errors = []
    for m, noise in ((40, 3.0), (400, 0.3), (40_000, 0.3)):
        found = []
        for seed in range(5):
            factors, gain, x, _ = gained(seed, m=m, noise=noise)
            fit = nuisance_fit(factors, np.full(3, float(m)), np.ones((3, 11)) * m, gain)
            u = fit.x[: gain.shape[1]]
            assert (np.abs(u) <= 1.0).all() and (1.0 + gain @ u >= 0.5).all()
            found.append(np.linalg.norm(fit.x - x))
        errors.append(np.median(found))
    assert errors[2] < 0.25 * errors[1]


def test_linear_expansion_is_that_of_the_divided_rows():
    _, gain, x, rows = gained(1, m=60)
    # Stand-ins for triangular factors: rows as they are have the same expansion.
    linear = linearised(rows, gain, x)
    np.testing.assert_allclose(linear @ np.append(x, -1.0), divided(rows, gain, x), atol=1e-12)
    for step in 1e-6 * np.eye(len(x)):
        slope = (divided(rows, gain, x + step) - divided(rows, gain, x - step)) / 2e-6
        np.testing.assert_allclose(linear[..., :-1] @ step / 1e-6, slope, atol=1e-7)


def test_common_factor_changes_no_residual():
    # Payload, the rest of u and 1 + gain u, all times the same: the divided rows do not change.
    _, gain, x, rows = gained(2, m=60, noise=0.0, known=0.0)
    scaled = 1.1 * x
    scaled[5:8] = (1.1 * (1.0 + GAIN * x[5:8]) - 1.0) / GAIN
    for y in (x, scaled):
        assert np.abs(divided(rows, gain, y)).max() < 1e-12
