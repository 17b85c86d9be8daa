"""Sufficient statistics: the same as all rows at once, in whatever portions they came."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from arms import arm, record, rows_of
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
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
USUAL = Uncertainty(torque_relative=0.025, link_relative=0.05)


def random_rows(seed, m=200, p=6, noise=0.1):
    rng = np.random.default_rng(seed)
    A, B, d = rng.normal(size=(m, 10)), rng.normal(size=(m, p)), rng.uniform(0.5, 2.0, m)
    b = A @ rng.normal(size=10) + B @ rng.uniform(-1, 1, p) + noise * d * rng.uniform(-1, 1, m)
    zero = np.zeros(m)
    return RowBlock(A, 0.01 * np.abs(A), B, b, d, zero.astype(int), zero, zero)


def statistics_of(rows, parts=1, seed=0):
    """Return the statistics of rows given in so many portions."""
    cuts = np.sort(np.random.default_rng(seed).integers(0, len(rows), parts - 1))
    statistics = Statistics.empty(rows.B.shape[1])
    for part in np.split(np.arange(len(rows)), cuts):
        statistics = statistics.add(rows.take(part), PHI_MAX)
    return statistics


def gram(R):
    return R.T @ R


@pytest.mark.parametrize("parts", [2, 7, 60])
def test_portions_do_not_matter(parts):
    rows = random_rows(1)
    whole, portions = statistics_of(rows), statistics_of(rows, parts)
    assert whole.rows == portions.rows == len(rows)
    for name in ("plain", "weighted"):
        one, other = getattr(whole, name), getattr(portions, name)
        np.testing.assert_allclose(gram(one), gram(other), atol=1e-9)
        np.testing.assert_allclose(np.abs(one), np.abs(other), atol=1e-9)


def test_factor_is_that_of_all_rows():
    rows = random_rows(2)
    statistics = statistics_of(rows, 5)
    plain = np.column_stack([rows.A, rows.b])
    weighted = np.column_stack([rows.B, plain]) / (rows.d + rows.A_error @ PHI_MAX)[:, None]
    np.testing.assert_allclose(gram(statistics.plain), gram(plain), atol=1e-9)
    np.testing.assert_allclose(gram(statistics.weighted), gram(weighted), atol=1e-9)


def test_nominal_problem_is_ordinary_least_squares():
    rows = random_rows(3)
    form = statistics_of(rows, 9).nominal()
    phi, squares, *_ = np.linalg.lstsq(rows.A, rows.b, rcond=None)
    np.testing.assert_allclose(np.linalg.solve(form.R, form.z), phi, atol=1e-10)
    assert form.residual**2 == pytest.approx(squares[0])
    assert form.rows == len(rows)


@pytest.mark.parametrize(("noise", "m"), [(0.3, 200), (1e-7, 200), (100.0, 200), (0.3, 12)])
def test_marginal_problem_is_explicit_elimination(noise, m):
    # |W (A phi + B u - b)|^2 + lambda^2 |u|^2, least over u, is |R phi - z|^2 + residual^2.
    rows = random_rows(4, m=m, noise=noise)
    statistics = statistics_of(rows, 4)
    form = statistics.marginal()
    d, p = rows.bound(PHI_MAX), rows.B.shape[1]
    A, B, b = rows.A / d[:, None], rows.B / d[:, None], rows.b / d
    variance = UNIFORM_VARIANCE
    if m - p - 10 >= 10:
        squares = np.linalg.lstsq(np.hstack([B, A]), b, rcond=None)[1][0]
        variance = np.clip(squares / (m - p - 10), LEAST_VARIANCE, UNIFORM_VARIANCE)
    pull = variance / UNIFORM_VARIANCE

    def in_the_box(columns, right):
        wide = np.vstack([columns, np.sqrt(pull) * np.eye(p, columns.shape[1])])
        end = np.append(np.ones(p), np.full(columns.shape[1] - p, np.inf))
        found = lsq_linear(wide, np.append(right, np.zeros(p)), (-end, end), method="bvls")
        return found.x

    phi = np.random.default_rng(5).normal(size=10)
    np.testing.assert_allclose(
        statistics.nuisance(phi), in_the_box(B, b - A @ phi), rtol=1e-6, atol=1e-6
    )
    u = in_the_box(np.hstack([B, A]), b)[:p]
    held = np.abs(u) > 1 - 1e-9
    b, C = b - B[:, held] @ u[held], B[:, ~held]
    keep = np.eye(m) - C @ np.linalg.solve(C.T @ C + pull * np.eye(C.shape[1]), C.T)
    np.testing.assert_allclose(gram(form.R), A.T @ keep @ A, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(form.R.T @ form.z, A.T @ keep @ b, rtol=1e-6, atol=1e-6)
    left = keep @ (A @ phi - b)
    total = (A @ phi - b) @ left + pull * held.sum()
    assert total == pytest.approx(np.sum((form.R @ phi - form.z) ** 2) + form.residual**2, rel=1e-6)


def test_rows_without_payload_teach_the_nuisance_only():
    rows = random_rows(6)
    taught = statistics_of(rows, 3).of_nuisance_only()
    expected = statistics_of(rows.without_payload())
    # The weights differ: errors of A have no part where there is no payload.
    same = RowBlock(
        rows.A, 0 * rows.A_error, rows.B, rows.b, rows.d, rows.joint, rows.start, rows.end
    )
    np.testing.assert_allclose(
        gram(statistics_of(same, 3).of_nuisance_only().weighted),
        gram(statistics_of(same.without_payload()).weighted),
        atol=1e-9,
    )
    phi = np.random.default_rng(6).normal(size=10)
    known = replace(same, b=same.b - same.A @ phi).without_payload()
    np.testing.assert_allclose(
        gram(statistics_of(same, 3).of_nuisance_only(phi).weighted),
        gram(statistics_of(known).weighted),
        atol=1e-8,
    )
    assert not taught.plain.any()
    assert not gram(taught.weighted)[:, 6:16].any()
    assert taught.rows == expected.rows == len(rows)
    assert not taught.marginal().R.any()


def test_tare_narrows_the_estimate_of_the_nuisance():
    rows = random_rows(7, m=30)
    tare = statistics_of(random_rows(8, m=400, noise=0.01)).of_nuisance_only()
    assert np.linalg.norm(tare.weighted[:6, :6]) > 0
    both = tare.add(rows, PHI_MAX)
    assert both.rows == 430


def test_nothing_is_known_without_rows():
    statistics = Statistics.empty(3)
    assert not statistics.nominal().R.any()
    assert not statistics.marginal().R.any()
    assert condition_number(statistics.nominal()) == float("inf")
    np.testing.assert_array_equal(statistics.nuisance(np.ones(10)), np.zeros(3))


def test_condition_number_is_that_of_the_regressor():
    rows = rows_of(arm("gen3"), USUAL, record(arm("gen3"), 9).true)
    expected = np.linalg.cond(rows.A)
    assert condition_number(statistics_of(rows, 4).nominal()) == pytest.approx(expected, rel=1e-8)


def channel_rows(seed, sizes=(0.1, 1.0, 10.0), m=300, A_noise=0.0):
    """Return rows of channels whose noise differs while their bounds do not, and the true phi."""
    rng = np.random.default_rng(seed)
    channel = np.arange(m) % len(sizes)
    true, phi = rng.normal(size=(m, 10)), rng.normal(size=10)
    b = true @ phi + np.array(sizes)[channel] * rng.normal(size=m)
    A = true + A_noise * rng.normal(size=(m, 10))
    zero = np.zeros(m)
    error = np.full((m, 10), 3.0 * A_noise)
    d = 3.0 * np.array(sizes)[channel] if A_noise else np.ones(m)
    return RowBlock(A, error, np.zeros((m, 0)), b, d, channel, zero, zero), phi


def test_noise_of_each_channel_is_found():
    rows, _ = channel_rows(1)
    statistics = statistics_of(rows, 5)
    variance = nuisance_fit(
        statistics.channels, statistics.counts, statistics.errors, statistics.gain
    ).variance
    found = np.sqrt(variance) * rows.bound(PHI_MAX)[0]
    np.testing.assert_allclose(found[:2], [0.1, 1.0], rtol=0.3)
    np.testing.assert_array_equal(statistics.counts, [100, 100, 100])


def test_channels_weighted_by_their_noise_are_generalised_least_squares():
    plain, balanced = [], []
    for seed in range(10):
        rows, phi = channel_rows(seed)
        form = statistics_of(rows, 3).balanced()
        sigma = np.array([0.1, 1.0, 10.0])[rows.joint][:, None]
        best = np.linalg.lstsq(rows.A / sigma, rows.b / sigma[:, 0], rcond=None)[0]
        found = np.linalg.solve(form.R, form.z)
        balanced.append(np.linalg.norm(found - phi) / np.linalg.norm(best - phi))
        ordinary = np.linalg.lstsq(rows.A, rows.b, rcond=None)[0]
        plain.append(np.linalg.norm(ordinary - phi) / np.linalg.norm(best - phi))
    assert np.median(balanced) < 1.2
    assert np.median(plain) > 5.0


def test_noise_of_the_coefficients_does_not_attenuate():
    errors = {"as they are": [], "corrected": []}
    for seed in range(20):
        rows, phi = channel_rows(seed, (0.3, 0.3), 2000, A_noise=0.5)
        statistics = Statistics.empty(0).add(rows, np.zeros(10))
        form = statistics.balanced()
        fit = np.linalg.solve(form.R, form.z)
        corrected = without_attenuation(form, statistics.noise_moments(fit))
        better = np.linalg.solve(corrected.R, corrected.z)
        errors["as they are"].append(fit @ phi / (phi @ phi) - 1.0)
        errors["corrected"].append(better @ phi / (phi @ phi) - 1.0)
    assert np.mean(errors["as they are"]) < -0.15  # about 1 / (1 + 0.5^2) - 1
    assert abs(np.mean(errors["corrected"])) < 0.02


def test_correction_never_takes_all_information():
    form = statistics_of(random_rows(9)).balanced()
    for moments in (np.ones(11), np.append(np.ones(10), 0.0), np.eye(11)[0]):
        corrected = without_attenuation(form, moments)
        left = np.linalg.svd(corrected.R @ np.linalg.inv(form.R), compute_uv=False) ** 2
        assert 0.0999 < left.min() < left.max() < 1.0 + 1e-9
    assert without_attenuation(form, np.zeros(11)) is form


def test_dependent_nuisance_columns_leave_the_noise_as_it_is():
    rows = random_rows(10)
    doubled = RowBlock(
        rows.A, rows.A_error, np.hstack([rows.B] * 2), rows.b, rows.d, rows.joint, rows.start,
        rows.end,
    )  # fmt: skip
    alone = statistics_of(rows)
    expected = row_variance(alone.weighted, alone.rows)
    for parts in (1, 9):
        statistics = statistics_of(doubled, parts)
        found = row_variance(statistics.weighted, statistics.rows)
        assert found == pytest.approx(expected, rel=1e-9)


def test_rows_are_mixed_by_their_dynamism():
    rows = random_rows(11)
    rng = np.random.default_rng(11)
    static, dynamism = rng.normal(size=rows.A.shape), rng.uniform(0.0, 300.0, len(rows))
    mixed = replace(rows, A_static=static, dynamism=dynamism)
    statistics = statistics_of(mixed, 6)
    d, w = rows.bound(PHI_MAX)[:, None], np.tanh(3 * dynamism / 300.0)[:, None]
    full = np.column_stack([rows.B, rows.A, rows.b]) / d
    still = np.column_stack([rows.B, static, rows.b]) / d
    expected = gram(np.vstack([w * full, (1 - w) * still]))
    np.testing.assert_allclose(gram(statistics.blended.sum(axis=0)), expected, atol=1e-8)
    assert statistics_of(rows).blended is None
    both = statistics_of(rows).add(mixed, PHI_MAX)
    np.testing.assert_allclose(gram(both.blended[0]), expected + gram(full), atol=1e-8)


def test_saved_statistics_are_the_same():
    rows, _ = channel_rows(12)
    for statistics in (Statistics.empty(4), statistics_of(rows, 2), statistics_of(random_rows(1))):
        loaded = Statistics.from_dict(json.loads(json.dumps(statistics.to_dict())))
        for name, value in vars(statistics).items():
            np.testing.assert_array_equal(getattr(loaded, name), value)
