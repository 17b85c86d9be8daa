"""Conversion and acceptance of joint states, one message at a time."""

import numpy as np
import pytest

from payload_id.core.errors import InputError
from payload_id.core.samples.joint_map import JointMap, SampleGate, seconds_since
from payload_id.core.samples.joint_samples import Drop, Samples

NAMES = ["a", "b", "c"]


def test_picks_joints_by_name_and_ignores_the_others():
    rng = np.random.default_rng(1)
    position, velocity, effort = rng.normal(size=(3, 3))
    joint_map = JointMap(("c", "a"), effort_sign=(1.0, -2.0), effort_offset=(0.5, 0.25))
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        names = [NAMES[k] for k in order]
        q, dq, tau = joint_map.convert(names, position[order], velocity[order], effort[order])
        np.testing.assert_array_equal(q, position[[2, 0]])
        np.testing.assert_array_equal(dq, velocity[[2, 0]])
        np.testing.assert_array_equal(tau, [effort[2] - 0.5, -2.0 * effort[0] - 0.25])


def test_names_the_cause_of_an_unusable_message():
    joint_map = JointMap(("a", "b"))
    three = np.zeros(3)
    assert joint_map.convert(["a", "x", "c"], three, three, three) is Drop.UNKNOWN_JOINTS
    assert joint_map.convert(["a", "b", "b"], three, three, three) is Drop.UNKNOWN_JOINTS
    assert joint_map.convert([], [], [], []) is Drop.UNKNOWN_JOINTS
    for bad in range(3):
        arrays = [np.zeros(2 if k == bad else 3) for k in range(3)]
        assert joint_map.convert(NAMES, *arrays) is Drop.WRONG_LENGTH


def test_arrays_that_a_driver_leaves_empty_are_not_measured():
    q, dq, tau = JointMap(("b",)).convert(NAMES, np.arange(3.0), [], [])
    assert q == [1.0]
    assert np.isnan(dq).all() and np.isnan(tau).all()


def test_a_result_never_shares_memory_with_the_message():
    position = np.zeros(3)
    q, _, _ = JointMap(tuple(NAMES)).convert(NAMES, position, position, position)
    position += 1.0
    np.testing.assert_array_equal(q, np.zeros(3))


@pytest.mark.parametrize(
    "arguments",
    [
        {"joints": ()},
        {"joints": ("a", "a")},
        {"joints": ("a", "b"), "effort_sign": (1.0, 0.0)},
        {"joints": ("a", "b"), "effort_sign": (1.0, 1.0, 1.0)},
        {"joints": ("a", "b"), "effort_offset": float("nan")},
    ],
)
def test_refuses_impossible_maps(arguments):
    with pytest.raises(InputError):
        JointMap(**arguments)


def test_stamps_relative_to_an_integer_origin_keep_nanoseconds():
    start = 1_760_000_000_123_456_789
    stamps = start + np.arange(1_000, dtype=np.int64)
    relative = seconds_since(stamps, start)
    np.testing.assert_array_equal(np.round(relative * 1e9), np.arange(1_000))
    assert [seconds_since(int(stamp), start) for stamp in stamps] == relative.tolist()


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
