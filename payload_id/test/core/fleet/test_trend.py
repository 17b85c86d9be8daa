"""Drifts from run to run: named where they are, and by chance hardly ever."""

import numpy as np
import pytest

from payload_id.core.errors import InputError
from payload_id.core.fleet import trend
from payload_id.core.fleet.trend import CHANCE, LEAST

JOINTS = 7


def series(rng, count, change=0.0, scatter=0.2, outliers=0):
    """Return days, values and their deviations, some of them far off."""
    day = np.sort(rng.uniform(0.0, 90.0, count))
    value = 0.3 + change * day / 90.0 + scatter * rng.normal(size=count)
    value[rng.choice(count, outliers, replace=False)] += 5.0 * rng.choice([-1, 1], outliers)
    return day, value, np.full(count, 0.05)


def test_a_drift_of_half_a_newton_metre_over_200_runs_is_named_with_its_size():
    rng = np.random.default_rng(1)
    found = [trend(*series(rng, 200, change=0.5)) for _ in range(60)]
    assert all(each.drifts(JOINTS * 4) for each in found[:20])
    assert np.mean([each.lower <= 0.5 <= each.upper for each in found]) > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("outliers", [0, 5])
def test_chance_names_hardly_any(outliers):
    rng, count = np.random.default_rng(2), 200
    named = [trend(*series(rng, 200, outliers=outliers)).drifts(1) for _ in range(count)]
    assert sum(named) <= count * CHANCE + 4 * np.sqrt(count * CHANCE)


def test_scatter_larger_than_stated_is_no_drift():
    rng = np.random.default_rng(3)
    for _ in range(100):
        day, value, deviation = series(rng, 60, scatter=1.0)
        assert not trend(day, value, deviation / 100.0).drifts(JOINTS)


def test_units_and_origin_do_not_matter():
    day, value, deviation = series(np.random.default_rng(4), 100, change=0.4)
    one = trend(day, value, deviation)
    two = trend(86400.0 * day + 1e9, 1e3 * value - 7.0, 1e3 * deviation)
    assert two.change == pytest.approx(1e3 * one.change, rel=1e-6)
    assert two.chance == pytest.approx(one.chance, rel=1e-3)


def test_few_runs_unknown_values_and_exact_ones():
    assert trend(*series(np.random.default_rng(5), LEAST - 1, change=9.0)) is None
    assert trend(np.zeros(50), np.arange(50.0), np.ones(50)) is None
    gaps = np.where(np.arange(50) % 2, np.nan, np.arange(50.0))
    assert trend(np.arange(50.0), gaps, np.ones(50)).runs == 25
    steady = trend(np.arange(20.0), np.full(20, 0.4), np.zeros(20))
    assert steady.change == pytest.approx(0.0, abs=1e-12) and not steady.drifts(1)
    with pytest.raises(InputError, match="one value"):
        trend(np.arange(9.0), np.arange(8.0), np.ones(9))
