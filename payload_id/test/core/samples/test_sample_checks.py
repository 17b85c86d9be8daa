"""Acceptance of samples, one at a time or as arrays, by one rule."""

import numpy as np
import pytest

from payload_id.core.errors import RecordingError
from payload_id.core.samples.joint_samples import Samples
from payload_id.core.samples.sample_checks import AGREEING, ClockGate, Drop, SampleGate
from payload_id.core.samples.stamps import seconds_since

START = 1_700_000_000_000_000_000


@pytest.mark.parametrize("seed", range(25))
def test_gate_and_arrays_keep_the_same_samples(seed):
    """Random good, broken, late and repeated messages: one rule, message-wise or array-wise."""
    rng = np.random.default_rng(seed)
    count = 200
    start = 1_700_000_000_000_000_000
    stamp_ns = start + np.cumsum(
        rng.choice([0, 1, 1_000_000, -2_500_000], count, p=[0.1, 0.2, 0.6, 0.1])
    )
    arrays = rng.normal(size=(3, count, 2))
    broken = rng.random(size=arrays.shape) < 0.02
    arrays[broken] = rng.choice([np.nan, np.inf, -np.inf], broken.sum())

    gate, kept = SampleGate(), []
    for k in range(count):
        gate, cause = gate.offer(int(stamp_ns[k]), *arrays[:, k])
        if cause is None:
            kept.append(k)
    samples = Samples(seconds_since(stamp_ns, start), *arrays)

    assert dict(gate.dropped) == dict(samples.dropped)
    np.testing.assert_array_equal(samples.stamp, seconds_since(stamp_ns[kept], start))
    for whole, array in zip((samples.q, samples.dq, samples.tau), arrays, strict=True):
        np.testing.assert_array_equal(whole, array[kept])


def test_gate_is_a_value():
    gate = SampleGate()
    after, cause = gate.offer(1, np.zeros(2))
    assert cause is None and after.newest == 1
    assert gate == SampleGate()
    assert after.reject(Drop.WRONG_LENGTH).dropped == {"wrong_length": 1}
    assert after.dropped == {}


YEAR = 365 * 86_400 * 10**9


def taken(stamps) -> tuple[list[int], ClockGate]:
    """Return the stamps that pass, and the gate after them."""
    gate, passed = ClockGate(), []
    for stamp in stamps:
        gate, drop = gate.offer(int(stamp))
        if drop is None:
            passed.append(int(stamp))
        else:
            assert drop is Drop.STAMP_LEAP
    return passed, gate


@pytest.mark.parametrize("leap", [YEAR, -YEAR, 3_600 * 10**9, -3_600 * 10**9, 11 * 10**9, 2**62])
@pytest.mark.parametrize("count", range(1, AGREEING))
def test_a_few_wrong_stamps_cost_no_others(leap, count):
    """Wherever they are but at the start, and whether or not they agree with each other."""
    good = START + 1_000_000 * np.arange(50, dtype=np.int64)
    for place in (1, 20, 49):
        for step in (1_000_000, 0, -1_000_000):
            wrong = good[place] + leap + step * np.arange(count)
            passed, gate = taken([*good[:place], *wrong, *good[place:]])
            assert passed == good.tolist()
            assert gate.times == 0


@pytest.mark.parametrize("leap", [20 * 10**9, -3_600 * 10**9])
@pytest.mark.parametrize("times", [2, 3])
def test_messages_that_come_several_times_do_not_hide_that_a_clock_was_set(leap, times):
    good = START + 1_000_000 * np.arange(50, dtype=np.int64)
    after = good[-1] + leap + 1_000_000 * np.arange(100, dtype=np.int64)
    passed, _ = taken([*good, *np.repeat(after, times)])
    once, _ = taken([*good, *after])
    assert list(dict.fromkeys(passed)) == once


@pytest.mark.parametrize("leap", [3 * 10**9, -3 * 10**9])
def test_a_gate_that_is_stricter_follows_a_clock_that_was_set_by_less(leap):
    good = START + 1_000_000 * np.arange(50, dtype=np.int64)
    gate = ClockGate(leap=2.0)
    passed = []
    for stamp in [*good, good[-1] + leap, *(good[-1] + 1_000_000 + np.arange(3))]:
        gate, drop = gate.offer(int(stamp))
        passed += [int(stamp)] if drop is None else []
    assert len(passed) == 53 and gate.times == 0  # one wrong stamp costs itself
    slow = START + 3_000_000_000 * np.arange(50, dtype=np.int64)
    gate = ClockGate(leap=2.0)
    taken_here = 0
    for stamp in slow.tolist():
        gate, drop = gate.offer(stamp)
        taken_here += drop is None
    assert taken_here == 1 + 49 // AGREEING


def test_one_wrong_stamp_between_any_two_good_ones():
    good = START + 1_000_000 * np.arange(20, dtype=np.int64)
    mixed = [stamp for x in good for stamp in (x, x + YEAR)]
    assert taken(mixed)[0] == good.tolist()


@pytest.mark.parametrize("step", [3_600 * 10**9, -3_600 * 10**9, YEAR, -YEAR])
def test_a_clock_that_was_set_costs_few_samples(step):
    before = START + 1_000_000 * np.arange(20, dtype=np.int64)
    after = before[-1] + step + 1_000_000 * np.arange(1, 21)
    passed, gate = taken([*before, *after])
    assert passed == [*before.tolist(), *after[AGREEING - 1 :].tolist()]
    assert gate.times == (step < 0)


def test_a_first_stamp_that_is_wrong_costs_few_samples():
    good = START + 1_000_000 * np.arange(20, dtype=np.int64)
    passed, gate = taken([START + YEAR, *good])
    assert passed[1:] == good[AGREEING - 1 :].tolist()
    assert gate.times == 1


def test_stamps_in_nanoseconds_are_told_and_a_single_odd_one_is_left_out():
    stamp, rest = 1.7e18 + 1e7 * np.arange(30), np.zeros((30, 2))
    with pytest.raises(RecordingError, match="Stamps are seconds.*found 1.7e.18.*Divide"):
        Samples(stamp, rest, rest, rest)
    stamp = 1.7e9 + 0.01 * np.arange(30)
    stamp[7] = 1e300
    some = Samples(stamp, rest, rest, rest)
    assert len(some) == 29 and some.dropped == {Drop.NOT_FINITE.value: 1}


@pytest.mark.parametrize("step", [1e-302, 1e-200, 1e-10])
def test_stamps_closer_than_a_nanosecond_are_one_instant(step):
    stamp = np.concatenate([step * np.arange(40), [1.0, 1.0 + 2e-9]])
    values = np.zeros((42, 2))
    samples = Samples(stamp, values, values, values)
    assert len(samples) == 3 and samples.dropped == {"duplicate": 39}
