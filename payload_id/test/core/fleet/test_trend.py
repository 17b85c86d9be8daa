"""Drifts from run to run: named where they are, and by chance hardly ever."""

import numpy as np
import pytest

from payload_id.core.errors import InputError
from payload_id.core.fleet import trend
from payload_id.core.fleet.trend import CHANCE, LEAST

JOINTS = 7


def series(rng, count, change=0.0, scatter=0.2, outliers=0):
    day = np.sort(rng.uniform(0.0, 90.0, count))
    value = 0.3 + change * day / 90.0 + scatter * rng.normal(size=count)
    value[rng.choice(count, outliers, replace=False)] += 5.0 * rng.choice([-1, 1], outliers)
    return day, value, np.full(count, 0.05)


@pytest.mark.slow
def test_a_drift_of_half_a_newton_metre_over_200_runs_is_named_with_its_size():
    rng = np.random.default_rng(1)
    for _ in range(20):
        found = trend(*series(rng, 200, change=0.5))
        assert found.drifts(JOINTS * 4)
    changes = [trend(*series(rng, 200, change=0.5)) for _ in range(100)]
    assert np.mean([each.lower <= 0.5 <= each.upper for each in changes]) > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("outliers", [0, 5])
def test_chance_names_hardly_any(outliers):
    rng = np.random.default_rng(2)
    named = [trend(*series(rng, 200, outliers=outliers)).drifts(1) for _ in range(500)]
    assert sum(named) <= 500 * CHANCE + 4 * np.sqrt(500 * CHANCE)


def test_scatter_larger_than_stated_is_no_drift():
    rng = np.random.default_rng(3)
    for _ in range(300):
        day, value, deviation = series(rng, 60, scatter=1.0)
        assert not trend(day, value, deviation / 100.0).drifts(JOINTS)


def test_units_and_origin_do_not_matter():
    day, value, deviation = series(np.random.default_rng(4), 100, change=0.4)
    one = trend(day, value, deviation)
    two = trend(86400.0 * day + 1e9, 1e3 * value - 7.0, 1e3 * deviation)
    assert two.change == pytest.approx(1e3 * one.change, rel=1e-6)
    assert two.chance == pytest.approx(one.chance, rel=1e-3)


def test_few_runs_and_a_variable_that_rests_say_nothing():
    day, value, deviation = series(np.random.default_rng(5), LEAST - 1, change=9.0)
    assert trend(day, value, deviation) is None
    assert trend(np.zeros(50), np.arange(50.0), np.ones(50)) is None
    gaps = np.where(np.arange(50) % 2, np.nan, 1.0)
    assert trend(np.arange(50.0), gaps * np.arange(50.0), np.ones(50)).runs == 25


def test_exact_values_are_no_trouble():
    steady = trend(np.arange(20.0), np.full(20, 0.4), np.zeros(20))
    assert steady.change == pytest.approx(0.0, abs=1e-12) and not steady.drifts(1)


def test_numbers_must_go_together():
    with pytest.raises(InputError, match="Each run has one value"):
        trend(np.arange(9.0), np.arange(8.0), np.ones(9))
