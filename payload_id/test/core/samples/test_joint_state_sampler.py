"""JointStateSampler of joint states: the rules of recordings, message by message."""

import numpy as np
import pytest

from payload_id.core.samples.joint_map import JointMap
from payload_id.core.samples.joint_state_sampler import ZERO_EFFORT_TIME, JointStateSampler
from payload_id.core.samples.sample_checks import Drop

MILLISECOND = 1_000_000
START = 1_700_000_000_000_000_000
MAP = JointMap(("a", "b"), effort_sign=(-1.0, 2.0), effort_offset=(0.5, 0.0))


def offer(
    sampler,
    stamp_ns=START,
    names=("b", "x", "a"),
    velocity=(2.0, 9.0, 1.0),
    effort=(3.0, 9.0, 4.0),
    position=(20.0, 99.0, 10.0),
):
    """Offer a message with the joints in another order, and one that nobody wants."""
    return sampler.offer(int(stamp_ns), names, position, velocity, effort)


def test_every_cause_is_counted_and_explained():
    sampler = JointStateSampler(MAP, 1000.0)
    offer(sampler)
    cases = {
        Drop.DUPLICATE: ({"stamp_ns": START}, "same"),
        Drop.OUT_OF_ORDER: ({"stamp_ns": START - MILLISECOND}, "0.001000 s older"),
        Drop.NOT_FINITE: ({"stamp_ns": START + 1, "effort": (np.nan, 0.0, 0.0)}, "effort"),
        Drop.WRONG_LENGTH: ({"stamp_ns": START + 1, "effort": (1.0,)}, "1 efforts"),
        Drop.UNKNOWN_JOINTS: ({"stamp_ns": START + 1, "names": ("b", "x", "y")}, "joint a"),
    }
    for cause, (message, words) in cases.items():
        assert offer(sampler, **message) is cause is sampler.complaint.cause
        assert words in sampler.complaint.sentence
    assert sampler.dropped == {cause.value: 1 for cause in cases}
    assert (sampler.received, sampler.accepted) == (6, 1)


@pytest.mark.parametrize("names", [("\x1b[2J", "x", "y"), ("x" * 10**6, "y", "z"), ("x",) * 10**4])
def test_names_from_the_network_cannot_flood_or_steer_a_terminal(names):
    sampler = JointStateSampler(MAP, 1000.0)
    offer(sampler, names=names)
    sentence = sampler.complaint.sentence
    assert sentence.isprintable() and len(sentence) < 1000


def test_gaps_are_found_by_stamp_and_jitter_is_not_a_gap():
    sampler, generator = JointStateSampler(MAP, 1000.0), np.random.default_rng(1)
    stamps = START + np.arange(300) * MILLISECOND + generator.integers(-300_000, 300_000, 300)
    stamps[150:] += 20 * MILLISECOND
    stamps[200:] += 5 * MILLISECOND
    for k, stamp in enumerate(stamps):
        offer(sampler, stamp)
        if k % 20 == 0:
            sampler.take()
    assert sampler.pace.gaps == 2
    assert sampler.pace.longest_gap == pytest.approx(0.021, abs=1e-3)
    assert sampler.pace.step == pytest.approx(1e-3, rel=0.1)
    slow = JointStateSampler(MAP, 1000.0)  # at another rate than expected
    for stamp in START + 10 * MILLISECOND * np.arange(100):
        offer(slow, stamp)
        slow.take()
    assert slow.pace.step == pytest.approx(0.01) and slow.pace.gaps <= 1


@pytest.mark.parametrize("size", [1, 7, 300])
def test_zero_efforts_are_timed_until_one_is_measured_whatever_the_blocks(size):
    sampler = JointStateSampler(MAP, 100.0)
    for k in range(300):
        changes = {} if k < 50 else {"effort": (0.0, 7.0, 0.0)}
        offer(sampler, START + k * 10 * MILLISECOND, **changes)
        if (k + 1) % size == 0:
            sampler.take()
    sampler.take()
    assert sampler.zero_effort_time == pytest.approx(2.49) and ZERO_EFFORT_TIME < 2.49
    offer(sampler, START + 4_000 * MILLISECOND)
    sampler.take()
    assert sampler.zero_effort_time == 0.0


def test_many_messages_at_once_are_the_same_samples_as_one_by_one():
    random, names = np.random.default_rng(0), ("b", "x", "a")
    for _ in range(200):
        steps = random.choice([MILLISECOND, 0, -MILLISECOND, 10**11], 12, p=[0.9, 0.04, 0.04, 0.02])
        stamps, values = START + np.cumsum(steps), random.normal(size=(12, 3, 3))
        values[random.random(values.shape) < 0.01] = np.nan
        messages = [(int(t), names, *rows) for t, rows in zip(stamps, values, strict=True)]
        together, alone = JointStateSampler(MAP, 1000.0), JointStateSampler(MAP, 1000.0)
        for first in range(0, 12, 3):
            together.offer_all(messages[first : first + 3])
        for message in messages:
            alone.offer(*message)
        one, other = together.take(), alone.take()
        assert all(np.array_equal(getattr(one, x), getattr(other, x)) for x in vars(one))
        assert (together.received, together.accepted) == (alone.received, alone.accepted)
        assert together.dropped == alone.dropped
