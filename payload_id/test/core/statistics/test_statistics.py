"""Sufficient statistics: the same as all rows at once, in whatever portions they came."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from payload_id.core.rows.row_block import RowBlock
from payload_id.core.statistics.normal_form import condition_number, without_attenuation
from payload_id.core.statistics.nuisance_fit import nuisance_fit
from payload_id.core.statistics.statistics import Statistics
from payload_id.core.statistics.variance_components import (
    LEAST_VARIANCE,
    UNIFORM_VARIANCE,
    row_variance,
)

PHI_MAX = np.array([3.0] + [0.3] * 3 + [0.1] * 6)


def random_rows(seed, m=200, p=6, noise=0.1):
    rng = np.random.default_rng(seed)
    A, B, d = rng.normal(size=(m, 10)), rng.normal(size=(m, p)), rng.uniform(0.5, 2.0, m)
    b = A @ rng.normal(size=10) + B @ rng.uniform(-1, 1, p) + noise * d * rng.uniform(-1, 1, m)
    zero = np.zeros(m)
    return RowBlock(A, 0.01 * np.abs(A), B, b, d, zero.astype(int), zero, zero)


def statistics_of(rows, parts=1):
    """Return the statistics of rows given in so many portions."""
    cuts = np.sort(np.random.default_rng(0).integers(0, len(rows), parts - 1))
    statistics = Statistics.empty(rows.B.shape[1])
    for part in np.split(np.arange(len(rows)), cuts):
        statistics = statistics.add(rows.take(part), PHI_MAX)
    return statistics


def gram(R):
    return R.T @ R


@pytest.mark.parametrize("parts", [1, 7, 60])
def test_factors_are_those_of_all_rows_in_whatever_portions(parts):
    rows = random_rows(2)
    statistics, whole = statistics_of(rows, parts), statistics_of(rows)
    plain = np.column_stack([rows.A, rows.b])
    weighted = np.column_stack([rows.B, plain]) / (rows.d + rows.A_error @ PHI_MAX)[:, None]
    assert statistics.rows == len(rows)
    for name, expected in (("plain", plain), ("weighted", weighted)):
        found = getattr(statistics, name)
        np.testing.assert_allclose(gram(found), gram(expected), atol=1e-9)
        np.testing.assert_allclose(np.abs(found), np.abs(getattr(whole, name)), atol=1e-9)


def test_nominal_problem_is_ordinary_least_squares():
    rows = random_rows(3)
    form = statistics_of(rows, 9).nominal()
    phi, squares, *_ = np.linalg.lstsq(rows.A, rows.b, rcond=None)
    np.testing.assert_allclose(np.linalg.solve(form.R, form.z), phi, atol=1e-10)
    assert form.residual**2 == pytest.approx(squares[0])
    assert form.rows == len(rows)
    assert condition_number(form) == pytest.approx(np.linalg.cond(rows.A), rel=1e-8)


@pytest.mark.parametrize(("noise", "m"), [(0.3, 200), (1e-7, 200), (100.0, 200), (0.3, 12)])
def test_marginal_problem_is_explicit_elimination(noise, m):
    # |W (A phi + B u - b)|^2 + lambda^2 |u|^2, least over u, is |R phi - z|^2 + residual^2.
    rows = random_rows(4, m=m, noise=noise)
    statistics, d, p = statistics_of(rows, 4), rows.bound(PHI_MAX), rows.B.shape[1]
    form, A, B, b = statistics.marginal(), rows.A / d[:, None], rows.B / d[:, None], rows.b / d
    variance = UNIFORM_VARIANCE
    if m - p - 10 >= 10:
        squares = np.linalg.lstsq(np.hstack([B, A]), b, rcond=None)[1][0]
        variance = np.clip(squares / (m - p - 10), LEAST_VARIANCE, UNIFORM_VARIANCE)
    pull = variance / UNIFORM_VARIANCE

    def in_the_box(columns, right):
        wide = np.vstack([columns, np.sqrt(pull) * np.eye(p, columns.shape[1])])
        end = np.append(np.ones(p), np.full(columns.shape[1] - p, np.inf))
        return lsq_linear(wide, np.append(right, np.zeros(p)), (-end, end), method="bvls").x

    phi = np.random.default_rng(5).normal(size=10)
    close = {"rtol": 1e-6, "atol": 1e-6}
    np.testing.assert_allclose(statistics.nuisance(phi), in_the_box(B, b - A @ phi), **close)
    u = in_the_box(np.hstack([B, A]), b)[:p]
    held = np.abs(u) > 1 - 1e-9
    b, C = b - B[:, held] @ u[held], B[:, ~held]
    keep = np.eye(m) - C @ np.linalg.solve(C.T @ C + pull * np.eye(C.shape[1]), C.T)
    np.testing.assert_allclose(gram(form.R), A.T @ keep @ A, **close)
    np.testing.assert_allclose(form.R.T @ form.z, A.T @ keep @ b, **close)
    left = A @ phi - b
    total = left @ keep @ left + pull * held.sum()
    assert total == pytest.approx(np.sum((form.R @ phi - form.z) ** 2) + form.residual**2, rel=1e-6)


def test_rows_without_payload_teach_the_nuisance_only():
    rows = random_rows(6)
    rows = replace(rows, A_error=0 * rows.A_error)  # otherwise the weights differ
    phi = np.random.default_rng(6).normal(size=10)
    for known, b in ((None, rows.b), (phi, rows.b - rows.A @ phi)):
        taught = statistics_of(rows, 3).of_nuisance_only(*([] if known is None else [known]))
        expected = statistics_of(replace(rows, b=b).with_payload(np.zeros(10)))
        np.testing.assert_allclose(gram(taught.weighted), gram(expected.weighted), atol=1e-8)
        assert taught.rows == expected.rows == len(rows)
        assert not taught.plain.any() and not taught.marginal().R.any()
    assert taught.add(random_rows(7, m=30), PHI_MAX).rows == 230


def channel_rows(seed, sizes=(0.1, 1.0, 10.0), m=300, A_noise=0.0):
    """Return rows of channels whose noise differs while their bounds do not, and the true phi."""
    rng = np.random.default_rng(seed)
    channel, zero = np.arange(m) % len(sizes), np.zeros(m)
    noise, true, phi = np.array(sizes)[channel], rng.normal(size=(m, 10)), rng.normal(size=10)
    b = true @ phi + noise * rng.normal(size=m)
    A, error = true + A_noise * rng.normal(size=(m, 10)), np.full((m, 10), 3.0 * A_noise)
    d = 3.0 * noise if A_noise else np.ones(m)
    return RowBlock(A, error, np.zeros((m, 0)), b, d, channel, zero, zero), phi


def test_noise_of_each_channel_is_found():
    rows, _ = channel_rows(1)
    found = statistics_of(rows, 5)
    fit = nuisance_fit(found.channels, found.counts, found.errors, found.gain)
    sigma = np.sqrt(fit.variance) * rows.bound(PHI_MAX)[0]
    np.testing.assert_allclose(sigma[:2], [0.1, 1.0], rtol=0.3)
    np.testing.assert_array_equal(found.counts, [100, 100, 100])


def test_channels_weighted_by_their_noise_are_generalised_least_squares():
    errors = []
    for seed in range(10):
        rows, phi = channel_rows(seed)
        form, sigma = statistics_of(rows, 3).balanced(), np.array([0.1, 1.0, 10.0])[rows.joint]
        best = np.linalg.lstsq(rows.A / sigma[:, None], rows.b / sigma, rcond=None)[0]
        ordinary = np.linalg.lstsq(rows.A, rows.b, rcond=None)[0]
        fits = np.linalg.solve(form.R, form.z), ordinary, best
        errors.append([np.linalg.norm(fit - phi) for fit in fits])
    balanced, plain, best = np.array(errors).T
    assert np.median(balanced / best) < 1.2 and np.median(plain / best) > 5.0


def test_noise_of_the_coefficients_does_not_attenuate():
    errors = []
    for seed in range(20):
        rows, phi = channel_rows(seed, (0.3, 0.3), 2000, A_noise=0.5)
        statistics = Statistics.empty(0).add(rows, np.zeros(10))
        form = statistics.balanced()
        fit = np.linalg.solve(form.R, form.z)
        corrected = without_attenuation(form, statistics.noise_moments(fit))
        better = np.linalg.solve(corrected.R, corrected.z)
        errors.append([x @ phi / (phi @ phi) - 1.0 for x in (fit, better)])
    as_it_is, better = np.mean(errors, axis=0)
    assert as_it_is < -0.15 and abs(better) < 0.02  # about 1 / (1 + 0.5^2) - 1
    for moments in (np.ones(11), np.append(np.ones(10), 0.0), np.eye(11)[0]):
        corrected = without_attenuation(form, moments)  # never takes all information
        left = np.linalg.svd(corrected.R @ np.linalg.inv(form.R), compute_uv=False) ** 2
        assert 0.0999 < left.min() < left.max() < 1.0 + 1e-9
    assert without_attenuation(form, np.zeros(11)) is form


def test_dependent_nuisance_columns_leave_the_noise_as_it_is():
    rows = random_rows(10)
    alone, *doubled = (
        statistics_of(replace(rows, B=np.hstack([rows.B] * times)), parts)
        for times, parts in ((1, 1), (2, 1), (2, 9))
    )
    expected = row_variance(alone.weighted, alone.rows)
    for found in doubled:
        assert row_variance(found.weighted, found.rows) == pytest.approx(expected, rel=1e-9)


def test_rows_are_mixed_by_the_share_of_the_full_model():
    rows, rng = random_rows(11), np.random.default_rng(11)
    static, share = rng.normal(size=rows.A.shape), rng.uniform(0.0, 1.0, len(rows))
    mixed = replace(rows, A_static=static, full_share=share)
    d, w = rows.bound(PHI_MAX)[:, None], share[:, None]
    full, still = (np.column_stack([rows.B, A, rows.b]) / d for A in (rows.A, static))
    expected = gram(np.vstack([w * full, (1 - w) * still]))
    found = statistics_of(mixed, 6).blended.sum(axis=0)
    np.testing.assert_allclose(gram(found), expected, atol=1e-8)
    assert statistics_of(rows).blended is None
    both = statistics_of(rows).add(mixed, PHI_MAX)
    np.testing.assert_allclose(gram(both.blended[0]), expected + gram(full), atol=1e-8)
