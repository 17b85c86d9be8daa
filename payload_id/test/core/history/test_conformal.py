"""Ranks: a new score stays below the bound as often as is said, whatever the distribution."""

import numpy as np
import pytest

from payload_id.core.errors import InputError
from payload_id.core.history.conformal import largest_score, runs_needed


def test_number_of_runs_from_which_an_interval_exists():
    for level, runs in ((0.5, 1), (0.9, 9), (0.95, 19), (0.99, 99)):
        assert runs_needed(level) == runs
        assert np.isfinite(largest_score(np.ones(runs), level))
        assert np.isinf(largest_score(np.ones(runs - 1), level))
    for level in (0.0, 1.0, 95.0, -0.1, float("nan")):
        with pytest.raises(InputError, match="between 0 and 1"):
            runs_needed(level)


@pytest.mark.parametrize(("runs", "level"), [(19, 0.95), (20, 0.95), (40, 0.9)])
def test_a_new_score_is_within_the_bound_as_often_as_its_rank_says(runs, level):
    scores = np.abs(np.random.default_rng(5).standard_cauchy((5000, runs + 1)))
    bound = np.array([largest_score(row, level) for row in scores[:, :-1]])
    held = np.mean(scores[:, -1] <= bound)
    expected = np.ceil(level * (runs + 1) - 1e-9) / (runs + 1)
    assert abs(held - expected) < 4.0 * np.sqrt(expected * (1.0 - expected) / len(scores))
    assert expected >= level


def test_runs_that_did_not_know_the_parameter_do_not_count():
    scores = np.arange(1.0, 20.0)
    with_gaps = np.insert(scores, [3, 7], np.nan)
    assert largest_score(with_gaps, 0.95) == largest_score(scores, 0.95) == 19.0
