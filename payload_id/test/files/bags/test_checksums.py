"""No bit of a recording changes unnoticed: checksums are written, and checked when it is read."""

from __future__ import annotations

import struct
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest

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


def test_checksums_are_those_of_the_format(tmp_path):
    """As the MCAP specification defines them: chunks, data section with its head, summary."""
    (file,) = recorded(tmp_path).glob("*.mcap")
    data = file.read_bytes()
    place, chunks, summary = 8, 0, 0
    while place < len(data) - 8:
        kind, length = struct.unpack_from("<BQ", data, place)
        content = data[place + 9 : place + 9 + length]
        if kind == 0x06:
            size, crc, compression = struct.unpack_from("<QII", content, 16)
            assert compression == 0
            assert crc == crc32(content[40 : 40 + size]) != 0
            chunks += 1
        elif kind == 0x0F:
            assert struct.unpack("<I", content)[0] == crc32(data[:place])
            summary = place + 13
        elif kind == 0x02:
            assert struct.unpack_from("<Q", content)[0] == summary
            assert struct.unpack_from("<I", content, 16)[0] == crc32(data[summary : place + 25])
        place += 9 + length
    assert chunks > 1 and summary


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


def test_a_bit_that_changed_anywhere_is_noticed(tmp_path):
    path = recorded(tmp_path)
    (file,) = path.glob("*.mcap")
    whole = file.read_bytes()
    for place in np.linspace(8, len(whole) - 9, 80).astype(int):
        altered = bytearray(whole)
        altered[place] ^= 4
        file.write_bytes(altered)
        with pytest.raises(RecordingError):
            Recording.from_bag(path)
