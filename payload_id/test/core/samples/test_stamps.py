"""Seconds from stamps in nanoseconds."""

import numpy as np

from payload_id.core.samples.stamps import seconds_since


def test_stamps_relative_to_an_integer_origin_keep_nanoseconds():
    start = 1_760_000_000_123_456_789
    stamps = start + np.arange(1_000, dtype=np.int64)
    relative = seconds_since(stamps, start)
    np.testing.assert_array_equal(np.round(relative * 1e9), np.arange(1_000))
    assert [seconds_since(int(stamp), start) for stamp in stamps] == relative.tolist()
