"""Acceptance of samples, one at a time or as arrays, by one rule."""

import numpy as np
import pytest

from payload_id.core.errors import RecordingError
from payload_id.core.samples.joint_samples import Samples
from payload_id.core.samples.sample_checks import AGREEING, ClockGate, Drop, SampleGate
from payload_id.core.samples.stamps import seconds_since

START = 1_700_000_000_000_000_000
SECOND = 10**9
YEAR = 365 * 86_400 * SECOND
GOOD = START + 1_000_000 * np.arange(50, dtype=np.int64)


def test_gate_and_arrays_keep_the_same_samples():
    """Random good, broken, late and repeated messages: one rule, message-wise or array-wise."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        steps = rng.choice([0, 1, 1_000_000, -2_500_000], 200, p=[0.1, 0.2, 0.6, 0.1])
        stamp_ns, arrays = START + np.cumsum(steps), rng.normal(size=(3, 200, 2))
        broken = rng.random(size=arrays.shape) < 0.02
        arrays[broken] = rng.choice([np.nan, np.inf, -np.inf], broken.sum())
        gate, kept = SampleGate(), []
        for k in range(200):
            gate, cause = gate.offer(int(stamp_ns[k]), *arrays[:, k])
            kept += [k] if cause is None else []
        samples = Samples(seconds_since(stamp_ns, START), *arrays)
        assert dict(gate.dropped) == dict(samples.dropped)
        np.testing.assert_array_equal(samples.stamp, seconds_since(stamp_ns[kept], START))
        for whole, array in zip((samples.q, samples.dq, samples.tau), arrays, strict=True):
            np.testing.assert_array_equal(whole, array[kept])


def taken(stamps, **settings) -> tuple[list[int], ClockGate]:
    """Return the stamps that pass, and the gate after them."""
    gate, passed = ClockGate(**settings), []
    for stamp in stamps:
        gate, drop = gate.offer(int(stamp))
        assert drop in (None, Drop.STAMP_LEAP)
        passed += [int(stamp)] if drop is None else []
    return passed, gate


def after(leap):
    """Return good stamps of a clock that was set."""
    return GOOD[-1] + leap + 1_000_000 * np.arange(1, 51, dtype=np.int64)


@pytest.mark.parametrize("leap", [YEAR, -YEAR, 3_600 * SECOND, -11 * SECOND, 2**62])
def test_a_few_wrong_stamps_cost_no_others(leap):
    """Wherever they are but at the start, and whether or not they agree with each other."""
    for count in range(1, AGREEING):
        for place, step in ((1, 1_000_000), (20, 0), (49, -1_000_000)):
            wrong = GOOD[place] + leap + step * np.arange(count)
            passed, gate = taken([*GOOD[:place], *wrong, *GOOD[place:]])
            assert passed == GOOD.tolist() and gate.times == 0
    mixed = [stamp for x in GOOD for stamp in (x, x + leap)]  # between any two good ones
    assert taken(mixed)[0] == GOOD.tolist()


@pytest.mark.parametrize("leap", [20 * SECOND, -3_600 * SECOND, YEAR, -YEAR])
def test_a_clock_that_was_set_costs_few_samples_also_where_messages_come_twice(leap):
    passed, gate = taken([*GOOD, *after(leap)])
    assert passed == [*GOOD.tolist(), *after(leap)[AGREEING - 1 :].tolist()]
    assert gate.times == (leap < 0)
    for times in (2, 3):
        repeated, _ = taken([*GOOD, *np.repeat(after(leap), times)])
        assert list(dict.fromkeys(repeated)) == passed
    passed, gate = taken([START + YEAR, *GOOD])  # a first stamp that is wrong
    assert passed[1:] == GOOD[AGREEING - 1 :].tolist() and gate.times == 1


def test_a_gate_that_is_stricter_follows_a_clock_that_was_set_by_less():
    for leap in (3 * SECOND, -3 * SECOND):
        passed, gate = taken([*GOOD, GOOD[-1] + leap, *after(0)[:3]], leap=2.0)
        assert len(passed) == 53 and gate.times == 0  # one wrong stamp costs itself
    slow = START + 3 * SECOND * np.arange(50, dtype=np.int64)
    assert len(taken(slow, leap=2.0)[0]) == 1 + 49 // AGREEING


def test_stamps_keep_nanoseconds_and_those_that_are_no_seconds_are_told():
    stamps = START + 123_456_789 + np.arange(1_000, dtype=np.int64)
    relative = seconds_since(stamps, int(stamps[0]))
    np.testing.assert_array_equal(np.round(relative * 1e9), np.arange(1_000))
    assert [seconds_since(int(stamp), int(stamps[0])) for stamp in stamps] == relative.tolist()
    rest = np.zeros((30, 2))
    with pytest.raises(RecordingError, match="seconds.*found 1.7e.18"):
        Samples(1.7e18 + 1e7 * np.arange(30), rest, rest, rest)
    stamp = 1.7e9 + 0.01 * np.arange(30)
    stamp[7] = 1e300
    some = Samples(stamp, rest, rest, rest)
    assert len(some) == 29 and some.dropped == {Drop.NOT_FINITE.value: 1}


@pytest.mark.parametrize("step", [1e-302, 1e-10])
def test_stamps_closer_than_a_nanosecond_are_one_instant(step):
    stamp, values = np.concatenate([step * np.arange(40), [1.0, 1.0 + 2e-9]]), np.zeros((42, 2))
    samples = Samples(stamp, values, values, values)
    assert len(samples) == 3 and samples.dropped == {"duplicate": 39}
