"""Publishers are told apart by the numbers of their messages."""

import numpy as np
import pytest

from payload_id.ros.effort_loop.pose_watch import PoseWatch, Seen
from payload_id.ros.effort_loop.publisher_numbers import Publishers


def told_apart(messages):
    """Return who is said to have sent each of (time, sender, number), which senders did."""
    publishers = Publishers()
    return [publishers.of(number, now) for now, _, number in messages]


def judged(messages, places):
    """Return how many states of an arm, sender 0, do not count, and how many of others do."""
    watch, missed, believed = PoseWatch(np.full(1, 10.0), [False]), 0, 0
    for (now, who, _), one in zip(messages, told_apart(messages), strict=True):
        seen = Seen(round(1e9 * now), places[[who]], now, one)
        if counts := watch.admits(seen):
            watch.take(seen)
        missed, believed = missed + (who == 0 and not counts), believed + (who != 0 and counts)
    return missed, believed


def sent(sender, first, begins, ends, rate, silent=(9e9, 9e9), lost=(), rng=None):
    """Return what a publisher sends; `silent` it does not, and what is lost has a number."""
    times = np.arange(begins, ends, 1.0 / rate)
    if rng is not None:
        times = np.sort(times + rng.uniform(0.0, 0.3 / rate, len(times)))
    times = times[(times < silent[0]) | (times > silent[1])]
    return [(t, sender, first + k) for k, t in enumerate(times) if k not in lost]


@pytest.mark.parametrize("seed", range(30))
def test_whatever_their_rates_and_numbers_are_the_arms_states_count_and_no_others(seed):
    """Where numbers pass one another, publishers may be confused; positions tell."""
    rng = np.random.default_rng(seed)
    messages = sent(0, int(rng.integers(1, 1500)), 0.0, 5.0, rng.uniform(20.0, 1000.0), rng=rng)
    for other in range(1, int(rng.integers(2, 5))):
        first, begins = int(rng.integers(1, 1500)), rng.uniform(0.1, 2.0)
        messages += sent(other, first, begins, 5.0, rng.uniform(1.0, 1000.0), rng=rng)
    missed, believed = judged(sorted(messages), np.array([0.0, 0.6, -0.8, 1.5]))
    assert missed <= 5 and believed == 0


@pytest.mark.parametrize("share", [0.02, 0.2, 0.5])
def test_lost_messages_are_nobody_elses(share):
    rng = np.random.default_rng(0)
    lost = np.flatnonzero(rng.uniform(size=5000) < share)
    found = told_apart(sent(0, 7, 0.0, 5.0, 1000.0, lost={*lost}))
    assert len({one for one in found if one.is_sure}) == 1
    assert np.mean([one.is_sure for one in found]) > 0.95 * (1.0 - share)


@pytest.mark.parametrize("first", range(8))
def test_an_arm_counts_though_the_message_before_its_motion_was_lost(first):
    messages = sent(0, 7, 0.0, 1.0, 100.0, lost={3, 5, 6})
    watch, counted = PoseWatch(np.full(1, 10.0), [False]), 0
    for k, ((now, *_), one) in enumerate(zip(messages, told_apart(messages), strict=True)):
        seen = Seen(round(1e9 * now), np.zeros(1), now, one)
        if k <= first or watch.admits(seen):
            watch.take(seen)
            counted += 1
    assert counted >= len(messages) - 2


def test_held_up_messages_that_are_read_in_pieces_are_nobody_elses():
    messages = sent(0, 7, 0.0, 1.0, 1000.0)
    late = [
        (0.6 + 1e-3 * (number > 300) if 0.3 < t < 0.6 else t, 0, number)
        for t, _, number in messages
    ]
    assert len({*told_apart(late)}) == 1


def test_what_a_gripper_has_said_before_is_nothing_that_the_arm_has_not_said():
    """Its numbers are ahead; another arm's are between, and follow none of the arm's."""
    publishers, arm = Publishers(), None
    for k in range(1000):
        publishers.skip(1050 + k, 4e-3 * k)
        arm = publishers.of(1000 + k, 4e-3 * k + 1e-3)
    for k in range(20):
        assert publishers.of(2020 + k, 4.0 + 4e-3 * k) is not arm
        assert publishers.of(2000 + k, 4.001 + 4e-3 * k) is arm


def test_of_many_that_begin_anew_the_arm_is_not_forgotten():
    messages = sent(0, 5000, 0.0, 4.0, 500.0)
    messages += [(0.5 + 0.01 * k, 1 + k, 1) for k in range(200)]
    found = [(who, one) for (_, who, _), one in zip(
        sorted(messages), told_apart(sorted(messages)), strict=True)]  # fmt: skip
    assert len({one for who, one in found if who == 0}) == 1


def test_messages_that_came_at_the_same_time_are_told_apart_as_well():
    publishers = Publishers()
    for number in (1, 2, 10, 4):
        publishers.of(number, 5.0)


@pytest.mark.parametrize("ahead", [-1, 0, 2, 5, 19, 60, 105])
@pytest.mark.parametrize("count", [1, 3, 4000])
def test_another_ones_number_beside_the_own_does_not_take_its_place(ahead, count):
    own = sent(0, 3000, 0.0, 10.0, 500.0)
    other = sent(1, 4000 + ahead, 2.0005, 9.0, 500.0)[:count]
    messages = sorted(own + other)
    found = [(who, one) for (_, who, _), one in zip(messages, told_apart(messages), strict=True)]
    arm = found[0][1]
    missed = sum(who == 0 and one is not arm for who, one in found)
    believed = sum(who == 1 and one is arm for who, one in found)
    assert missed == 0 and believed == 0


@pytest.mark.parametrize("lost", [1, 2, 3])
def test_another_ones_number_ahead_does_not_take_its_place_where_messages_are_lost_too(lost):
    own = sent(0, 3000, 0.0, 10.0, 500.0, lost={*range(1001, 1001 + lost)})
    other = sent(1, 4030, 2.0005, 9.0, 10.0)
    messages = sorted(own + other)
    found = [(who, one) for (_, who, _), one in zip(messages, told_apart(messages), strict=True)]
    assert sum(who == 0 and one is not found[0][1] for who, one in found) <= 2
    assert not any(who == 1 and one is found[0][1] for who, one in found)


@pytest.mark.parametrize("away", [0.0, 0.02, 0.6])
@pytest.mark.parametrize("begins", [0.1, 0.145, 3.0])  # before a gap of the own one, in it, never
@pytest.mark.parametrize("first", [1, 700, 10**6])
def test_another_publisher_is_not_believed_wherever_its_arm_is_and_however_long_the_gap(
    away, begins, first
):
    messages = sent(0, 800, 0.0, 2.0, 1000.0, (0.1405, 0.9995))
    messages = sorted(messages + sent(1, first, begins + 2e-4, 2.0, 1000.0))
    assert judged(messages, np.array([0.0, away])) == (0, 0)
