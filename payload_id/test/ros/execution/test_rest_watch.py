"""Whether an arm stands still, by joint states that come one by one or many at once."""

from __future__ import annotations

import numpy as np
import pytest

from payload_id.ros.execution.rest_watch import AT_REST, RestWatch

PERIOD = 10_000_000  # [ns]
BEGIN = 1_700_000_000_000_000_000


def moved(rests_from, until):
    """Return stamps, positions and velocities of two joints that move, and rest from a time on."""
    time = 0.01 * np.arange(round(100 * until))
    q = np.stack([np.minimum(time, rests_from), np.zeros_like(time)], axis=1)
    dq = np.stack([1.0 * (time < rests_from), np.zeros_like(time)], axis=1)
    return BEGIN + PERIOD * np.arange(len(time)), q, dq


def seen(rows, count):
    """Return a watch that has seen so many joint states at a time."""
    watch = RestWatch((False, False))
    for k in range(0, len(rows[0]), count):
        part = tuple(column[k : k + count] for column in rows)
        watch.see(*part, 0.01 * len(part[0]))
    return watch


@pytest.mark.parametrize("count", [1, 7, 30, 1000])
def test_how_long_an_arm_stands_does_not_depend_on_how_its_states_arrive(count):
    watch = seen(moved(1.0, 1.6), count)
    assert watch.seconds == pytest.approx(0.59, abs=0.011) and not watch.leaps
    assert watch.place == pytest.approx([1.0, 0.0])


@pytest.mark.parametrize("count", [1, 7, 1000])
def test_a_moving_arm_and_one_that_moved_within_what_was_read_stand_for_no_time(count):
    assert seen(moved(2.0, 1.5), count).moves
    stamps, q, dq = moved(0.0, 1.0)
    q[60:70, 0] += AT_REST  # aside and back, its velocity not measured
    watch = seen((stamps, q, np.full_like(dq, np.nan)), count)
    assert watch.seconds == pytest.approx(0.29, abs=0.011)


@pytest.mark.parametrize("leap", [-5.0, 60.0])
def test_what_was_seen_before_stamps_leapt_does_not_count(leap):
    stamps, q, dq = moved(0.0, 1.0)
    stamps[80:] += round(1e9 * leap)
    watch = seen((stamps, q, dq), 1000)
    assert watch.leaps == 1 and watch.seconds == pytest.approx(0.19, abs=0.011)
