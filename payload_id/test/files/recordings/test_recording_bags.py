"""Recordings read from bags: exact, by name, and never anything worse than a sentence."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from payload_id.core.errors import RecordingError, UnknownNameError
from payload_id.core.samples.stamps import seconds_since
from payload_id.files.bags.joint_states_bag import JointStateMessage, write_joint_state
from payload_id.files.recordings.recording import Recording

JOINTS = ("joint_1", "joint_2", "joint_3")
START = 1_760_000_000_123_456_789
STORE = get_typestore(Stores.ROS2_JAZZY)
STORAGES = {"mcap": StoragePlugin.MCAP, "sqlite3": StoragePlugin.SQLITE3}
BROKEN = b"\x28\xb5\x2f\xfd" + b"not compressed at all"


def messages(count=50, names=JOINTS):
    rng = np.random.default_rng(1)
    stamps = START + np.cumsum(rng.integers(900_000, 1_100_000, count))
    data = rng.normal(size=(count, 3, len(names)))
    return [
        JointStateMessage(int(stamp), names, *rows)
        for stamp, rows in zip(stamps, data, strict=True)
    ]


MESSAGES = messages()


@pytest.fixture
def write(tmp_path):
    """Return a function that writes with rosbags alone, as other software would have recorded."""

    def write_bag(contents, storage="mcap", topic="/joint_states", chunk=10**9, packed=False):
        path = tmp_path / f"bag_{len(list(tmp_path.iterdir()))}"
        writer = Writer(path, version=8, storage_plugin=STORAGES[storage])
        if packed:
            writer.set_compression(CompressionMode.MESSAGE, CompressionFormat.ZSTD)
        with writer:
            kinds = {topic: "sensor_msgs/msg/JointState", "/chat": "std_msgs/msg/String"}
            connection, _ = (writer.add_connection(*x, typestore=STORE) for x in kinds.items())
            for k, message in enumerate(contents):
                raw = message if isinstance(message, bytes) else write_joint_state(message, "base")
                writer.write(connection, START + k * 1_000_000, raw)
                if k % chunk == chunk - 1:
                    writer.storage.close_chunk()
        return path

    return write_bag


def file_of(path):
    """Return the file of a bag that holds its messages."""
    (file,) = [x for x in path.iterdir() if x.suffix != ".yaml"]
    return file


def arrays(contents, columns=slice(None)):
    return [
        np.array([getattr(m, f)[columns] for m in contents]) for f in JointStateMessage._fields[2:]
    ]


def same(recording, contents=MESSAGES):
    """Check that a recording has the numbers of messages."""
    found = (recording.q, recording.dq, recording.tau)
    for one, wanted in zip(found, arrays(contents), strict=True):
        np.testing.assert_array_equal(one, wanted)


@pytest.mark.parametrize("storage", STORAGES)
def test_reads_back_bit_equal_however_it_was_stored(write, storage):
    stamps = np.array([m.stamp_ns for m in MESSAGES])
    path, packed = write(MESSAGES, storage), write(MESSAGES, storage, packed=True)
    for place in (path, file_of(path), packed):
        recording = Recording.from_bag(place)
        same(recording)
        assert recording.joints == JOINTS and recording.start_ns == stamps[0]
        assert recording.dropped == {} and recording.notes == ()
        np.testing.assert_array_equal(recording.stamp, seconds_since(stamps, stamps[0]))
    for place in (path, packed):
        (place / "metadata.yaml").unlink()
        same(Recording.from_bag(place))
        assert Recording.from_bag(place).notes


def test_order_sign_and_offset(write):
    rng, shuffled = np.random.default_rng(5), []
    for m in MESSAGES:
        order = rng.permutation(3)
        names = ("gripper", *(JOINTS[k] for k in order))
        fields = (np.concatenate([[9.0], getattr(m, f)[order]]) for f in m._fields[2:])
        shuffled.append(JointStateMessage(m.stamp_ns, names, *fields))
    options = {"joints": ["joint_3", "joint_1"], "effort_sign": -1.0}
    recording = Recording.from_bag(write(shuffled), **options, effort_offset=(0.5, -0.5))
    q, dq, effort = arrays(MESSAGES, [2, 0])
    np.testing.assert_array_equal(recording.q, q)
    np.testing.assert_array_equal(recording.dq, dq)
    np.testing.assert_array_equal(recording.tau, -effort - [0.5, -0.5])


def test_a_part_between_two_stamps(write):
    path, stamp = write(MESSAGES), [m.stamp_ns for m in MESSAGES]
    part = Recording.from_bag(path, start_ns=stamp[7], end_ns=stamp[20])
    assert part.start_ns == stamp[7] and part.stamp[0] == 0.0
    same(part, MESSAGES[7:21])
    some = Recording.from_bag(path).between(part.stamp[2] - 1e-9, part.stamp[5] + 1e-9)
    assert (some.joints, some.start_ns) == (JOINTS, stamp[0]) and len(some) < 10
    with pytest.raises(RecordingError, match="no samples"):
        Recording.from_bag(path, end_ns=START - 1)


def with_effort(effort):
    return [m._replace(effort=effort) for m in MESSAGES]


USELESS = {
    "no payload": [with_effort(x) for x in (np.zeros(3), np.zeros(0), np.full(3, np.nan))],
    "header.stamp": [[m._replace(stamp_ns=0) for m in MESSAGES]],
    "holds no joint states": [[]],
    "not one of 5 messages": [[b"\x00\x01\x00\x00 text"] * 5],
    "damaged": [[BROKEN] * 3],
}  # fmt: skip


def test_bags_without_joint_states_that_can_be_used_are_told_by_their_cause(write, tmp_path):
    for words, bags in USELESS.items():
        for contents in bags:
            with pytest.raises(RecordingError, match=words):
                Recording.from_bag(write(contents), effort_sign=-1.0)
    elsewhere = write(MESSAGES, topic="/arm/joint_states")
    for topic, words in (
        ("/joint_states", "'/arm/joint_states'"),
        ("/chat", "std_msgs/msg/String"),
    ):
        with pytest.raises(RecordingError, match=words):
            Recording.from_bag(elsewhere, topic)
    with pytest.raises(UnknownNameError, match="Did you mean 'joint_[123]'") as caught:
        Recording.from_bag(write(MESSAGES), joints=["joint_1", "joint_7"])
    assert caught.value.known == JOINTS
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "empty").mkdir()
    for name in ("missing", "notes.txt", "empty"):
        with pytest.raises(RecordingError, match=name):
            Recording.from_bag(tmp_path / name)


@pytest.mark.parametrize("velocity", [np.zeros(0), np.full(2, np.nan)])
def test_velocities_that_were_not_measured(write, velocity):
    contents = []
    for k in range(300):
        t = k * 1e-3
        q = np.array([np.sin(t), 0.5 * t**2])
        contents.append(JointStateMessage(START + k * 1_000_000, ("a", "b"), q, velocity, q + 1.0))
    contents.insert(5, contents[4]._replace(position=np.array([np.nan, 0.0])))
    recording = Recording.from_bag(write(contents))
    t = recording.stamp
    assert recording.dropped == {"not_finite": 1}
    np.testing.assert_allclose(recording.dq, np.stack([np.cos(t), t], axis=1), atol=1e-4)
    assert "differentiated" in recording.notes[0]


def test_a_database_that_is_still_being_written_or_holds_other_cells(write):
    path = write(MESSAGES, "sqlite3")
    with closing(sqlite3.connect(file_of(path))) as recorder:
        recorder.execute(
            "INSERT INTO messages SELECT NULL, topic_id, timestamp, data FROM messages"
        )
        recording = Recording.from_bag(path)
        same(recording)
        assert "not closed" in " ".join(recording.notes)
        recorder.rollback()
        for cell in ("text", 2.5, -7, 3_000_000_000):
            recorder.execute("UPDATE messages SET data = ? WHERE id = 2", (cell,))
            recorder.commit()
            recording = Recording.from_bag(path)
            same(recording, MESSAGES[:1] + MESSAGES[2:])
            assert recording.dropped == {"wrong_length": 1}
        recorder.execute("BEGIN EXCLUSIVE")
        file_of(path).with_suffix(".db3-journal").write_bytes(b"x")
        with pytest.raises(RecordingError, match="locked"):
            Recording.from_bag(path)
