"""Containment in made-up runs of teams; `benchmarks/team_containment.py` draws thousands."""

import pytest

from team_trials import run_trial


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed",
    [
        1,
        20106,  # after 7 s clocks look 106 ms late for errors that change slowly
        20321,  # after 4 s a robot looks like its mirror image
        20414,  # forces of two robots look 1 % too large for constant errors of their poses
        20805,  # likewise, of three
    ],
)
def test_at_every_update_intervals_hold_the_truth_and_true_bounds_are_not_called_false(seed):
    trial = run_trial(seed)
    assert not trial.missed, (trial.robots, trial.kind, trial.arrival)
