"""Joint states from bytes: what rclpy reads of them, whatever their layout."""

from __future__ import annotations

from itertools import product

import numpy as np
from rclpy.serialization import serialize_message

from harness import joint_state
from payload_id.ros.common.conversions import stamp_of
from payload_id.ros.common.joint_state_reader import JointStateReader


def test_what_is_read_is_what_was_sent_in_every_layout_and_after_another() -> None:
    random, reader = np.random.default_rng(0), JointStateReader()
    for n, frame, filled, twice in product(
        (0, 1, 7), ("", "base"), product((0, 1), repeat=3), range(2)
    ):
        names = [f"joint_{'x' * k}" for k in range(n)]
        values = [random.normal(size=n * part) for part in filled]
        message = joint_state(10**18 + int(random.integers(10**12)), names, *values)
        message.header.frame_id = frame
        data = bytes(serialize_message(message))
        found = reader.read(data)
        assert found[:2] == (stamp_of(message.header.stamp), tuple(names)), (frame, filled, twice)
        assert all(np.array_equal(a, b) for a, b in zip(found[2:], values, strict=True))
    assert reader.read(data[:20]) is reader.read(b"") is None
