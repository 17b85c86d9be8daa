"""No bit of a recording changes a number: checksums are written, and checked when it is read."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

from payload_id.core.errors import RecordingError
from payload_id.files.bags.bag_writer import BagWriter
from payload_id.files.bags.joint_states_bag import JOINT_STATE, JointStateMessage, write_joint_state
from payload_id.files.recordings.recording import Recording

COUNT = 60


def recorded(folder: Path) -> Path:
    """Record joint states in several chunks."""
    random = np.random.default_rng(1)
    with BagWriter(folder / "bag", flush_interval=0.0) as writer:
        for k in range(COUNT):
            q, dq, tau = random.normal(size=(3, 2))
            message = JointStateMessage(10**15 + 1_000_000 * k, ("a", "b"), q, dq, tau)
            writer.write("/joint_states", JOINT_STATE, k, write_joint_state(message))
    return writer.path


def test_recordings_without_checksums_are_read(tmp_path):
    """As other recorders leave them, which is zero in place of each."""
    path = recorded(tmp_path)
    whole = Recording.from_bag(path)
    (file,) = path.glob("*.mcap")
    data, place = bytearray(file.read_bytes()), 8
    while place < len(data) - 8:
        kind, length = struct.unpack_from("<BQ", data, place)
        for of, start in ((0x06, 24), (0x0F, 0), (0x02, 16)):
            if kind == of:
                data[place + 9 + start : place + 13 + start] = bytes(4)
        place += 9 + length
    file.write_bytes(data)
    np.testing.assert_array_equal(Recording.from_bag(path).q, whole.q)


def test_a_bit_that_changed_anywhere_changes_no_number(tmp_path):
    path = recorded(tmp_path)
    (file,) = path.glob("*.mcap")
    whole, sent, refused = file.read_bytes(), Recording.from_bag(path), 0
    for place in np.random.default_rng(2).integers(0, 8 * len(whole), 100):
        altered = bytearray(whole)
        altered[place // 8] ^= 1 << place % 8
        file.write_bytes(altered)
        try:
            found = Recording.from_bag(path)
        except RecordingError as error:
            assert file.name in str(error) or path.name in str(error)
            refused += 1
        else:
            for name in ("stamp", "q", "dq", "tau"):
                np.testing.assert_array_equal(getattr(found, name), getattr(sent, name))
    assert 33 < refused < 100
