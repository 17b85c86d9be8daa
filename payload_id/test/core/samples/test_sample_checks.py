"""Acceptance of samples, one at a time or as arrays, by one rule."""

import numpy as np
import pytest

from payload_id.core.samples.joint_samples import Samples
from payload_id.core.samples.sample_checks import Drop, SampleGate
from payload_id.core.samples.stamps import seconds_since


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
