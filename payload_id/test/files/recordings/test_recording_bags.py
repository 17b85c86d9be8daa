"""Recordings read from bags: exact, by name, and never anything worse than a sentence."""

import os
import shutil
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
JOINT_STATE = "sensor_msgs/msg/JointState"
STORAGES = {"mcap": StoragePlugin.MCAP, "sqlite3": StoragePlugin.SQLITE3}


def messages(count=50, seed=1, names=JOINTS):
    rng = np.random.default_rng(seed)
    stamps = START + np.cumsum(rng.integers(900_000, 1_100_000, count))
    data = rng.normal(size=(count, 3, len(names)))
    return [
        JointStateMessage(int(stamp), names, *rows)
        for stamp, rows in zip(stamps, data, strict=True)
    ]


def write_bag(
    path, contents, storage="mcap", topic="/joint_states", others=(), chunk=None, packed=False
):
    """Write with rosbags alone: what other software would have recorded."""
    store = get_typestore(Stores.ROS2_JAZZY)
    writer = Writer(path, version=8, storage_plugin=STORAGES[storage])
    if packed:
        writer.set_compression(CompressionMode.MESSAGE, CompressionFormat.ZSTD)
    with writer:
        connection = writer.add_connection(topic, JOINT_STATE, typestore=store)
        for name, kind in others:
            writer.add_connection(name, kind, typestore=store)
        for k, message in enumerate(contents):
            raw = message if isinstance(message, bytes) else write_joint_state(message, "base")
            writer.write(connection, START + k * 1_000_000, raw)
            if chunk and k % chunk == chunk - 1:
                writer.storage.close_chunk()
    return path


def arrays(contents, columns=slice(None)):
    return [
        np.array([getattr(m, f)[columns] for m in contents]) for f in JointStateMessage._fields[2:]
    ]


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("single_file", [False, True])
def test_reads_back_bit_equal(tmp_path, storage, single_file):
    contents = messages()
    path = write_bag(tmp_path / "bag", contents, storage)
    if single_file:
        (path,) = [x for x in path.iterdir() if x.suffix != ".yaml"]
    recording = Recording.from_bag(path)
    assert recording.joints == JOINTS
    assert recording.start_ns == contents[0].stamp_ns
    assert recording.dropped == {} and recording.notes == ()
    stamps = np.array([m.stamp_ns for m in contents])
    np.testing.assert_array_equal(recording.stamp, seconds_since(stamps, contents[0].stamp_ns))
    for found, expected in zip(
        (recording.q, recording.dq, recording.tau), arrays(contents), strict=True
    ):
        np.testing.assert_array_equal(found, expected)


def test_order_sign_and_offset(tmp_path):
    contents = messages()
    rng = np.random.default_rng(5)
    shuffled = []
    for m in contents:
        order = rng.permutation(3)
        extra = ("gripper", *(JOINTS[k] for k in order))
        fields = (np.concatenate([[9.0], getattr(m, f)[order]]) for f in m._fields[2:])
        shuffled.append(JointStateMessage(m.stamp_ns, extra, *fields))
    path = write_bag(tmp_path / "bag", shuffled)
    recording = Recording.from_bag(
        path, joints=["joint_3", "joint_1"], effort_sign=-1.0, effort_offset=(0.5, -0.5)
    )
    q, dq, effort = arrays(contents, [2, 0])
    np.testing.assert_array_equal(recording.q, q)
    np.testing.assert_array_equal(recording.dq, dq)
    np.testing.assert_array_equal(recording.tau, -effort - [0.5, -0.5])


def test_bad_messages_are_left_out_and_counted(tmp_path):
    good = messages()
    nan = good[10]._replace(effort=np.array([1.0, np.nan, 0.0]), stamp_ns=good[10].stamp_ns + 1)
    bad = [
        nan,
        good[10],
        good[5],
        good[12]._replace(velocity=np.zeros(2)),
        good[12]._replace(names=("gripper", "joint_1", "joint_2")),
        b"\x00\x01\x00\x00 not a message",
        b"",
    ]
    path = write_bag(tmp_path / "bag", good[:11] + bad + good[11:])
    recording = Recording.from_bag(path, joints=JOINTS)
    assert recording.dropped == {
        "not_finite": 1,
        "duplicate": 1,
        "out_of_order": 1,
        "wrong_length": 3,
        "unknown_joints": 1,
    }
    np.testing.assert_array_equal(recording.q, arrays(good)[0])


def test_a_part_between_two_stamps(tmp_path):
    contents = messages()
    path = write_bag(tmp_path / "bag", contents)
    part = Recording.from_bag(path, start_ns=contents[7].stamp_ns, end_ns=contents[20].stamp_ns)
    assert part.start_ns == contents[7].stamp_ns and part.stamp[0] == 0.0
    np.testing.assert_array_equal(part.q, arrays(contents[7:21])[0])
    with pytest.raises(RecordingError, match="holds no samples from"):
        Recording.from_bag(path, end_ns=START - 1)


def test_topic_that_is_not_there(tmp_path):
    path = write_bag(
        tmp_path / "bag",
        messages(),
        topic="/arm/joint_states",
        others=[("/chat", "std_msgs/msg/String")],
    )
    with pytest.raises(RecordingError, match="Did you mean '/arm/joint_states'"):
        Recording.from_bag(path)
    with pytest.raises(RecordingError, match="std_msgs/msg/String, not sensor_msgs"):
        Recording.from_bag(path, topic="/chat")


def test_file_cut_before_its_first_message(tmp_path):
    path = write_bag(tmp_path / "bag", messages())
    file = path / "bag.mcap"
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(RecordingError, match="cut off"):
        Recording.from_bag(path)


def test_topic_without_messages(tmp_path):
    with pytest.raises(RecordingError, match="holds no joint states"):
        Recording.from_bag(write_bag(tmp_path / "bag", []))


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("metadata", [True, False])
def test_messages_that_were_compressed_one_by_one(tmp_path, storage, metadata):
    """Without its metadata.yaml a recording does not say that they were."""
    contents = messages()
    path = write_bag(tmp_path / "bag", contents, storage, packed=True)
    if not metadata:
        (path / "metadata.yaml").unlink()
    recording = Recording.from_bag(path)
    np.testing.assert_array_equal(recording.q, arrays(contents)[0])
    broken = b"\x28\xb5\x2f\xfd" + b"not compressed at all"
    with pytest.raises(RecordingError, match="damaged"):
        Recording.from_bag(write_bag(tmp_path / "broken", [broken] * 3, storage))


def test_messages_of_which_not_one_can_be_decoded_are_not_blamed_on_the_driver(tmp_path):
    with pytest.raises(RecordingError, match="not one of 5 messages") as caught:
        Recording.from_bag(write_bag(tmp_path / "bag", [b"\x00\x01\x00\x00 text"] * 5))
    assert "driver" not in str(caught.value)


def test_messages_that_are_counted_and_not_there_are_told(tmp_path):
    path = write_bag(tmp_path / "bag", messages())
    metadata = path / "metadata.yaml"
    text = metadata.read_text()
    assert "message_count: 50" in text
    metadata.write_text(text.replace("message_count: 50", "message_count: 90"))
    assert "Of 90 messages" in " ".join(Recording.from_bag(path).notes)


@pytest.mark.parametrize("storage", STORAGES)
def test_a_pipe_among_the_files_of_a_bag_is_not_waited_for(tmp_path, storage):
    path = write_bag(tmp_path / "bag", messages(), storage)
    (file,) = [x for x in path.iterdir() if x.suffix != ".yaml"]
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(RecordingError, match="no file but a pipe"):
        Recording.from_bag(path)


@pytest.mark.parametrize("storage", STORAGES)
def test_a_folder_whose_name_is_no_text_is_read_or_named_as_such(tmp_path, storage):
    path = write_bag(tmp_path / "bag", messages(), storage)
    odd = path.rename(tmp_path / os.fsdecode(b"\xff\xfe"))
    try:
        assert len(Recording.from_bag(odd)) == 50
    except RecordingError as error:
        assert "not UTF-8" in str(error)


def test_unknown_joint_names_the_nearest(tmp_path):
    path = write_bag(tmp_path / "bag", messages())
    with pytest.raises(UnknownNameError, match="Did you mean 'joint_[123]'") as caught:
        Recording.from_bag(path, joints=["joint_1", "joint_7"])
    assert caught.value.known == JOINTS


def test_joints_in_separate_messages(tmp_path):
    contents = messages(names=("joint_1",)) + messages(names=("joint_2",))
    with pytest.raises(RecordingError, match="One message must hold"):
        Recording.from_bag(write_bag(tmp_path / "bag", contents), joints=["joint_1", "joint_2"])


@pytest.mark.parametrize("effort", [np.zeros(3), np.zeros(0), np.full(3, np.nan)])
def test_effort_that_was_not_measured(tmp_path, effort):
    contents = [m._replace(effort=effort) for m in messages()]
    path = write_bag(tmp_path / "bag", contents)
    with pytest.raises(RecordingError, match="no payload can be identified"):
        Recording.from_bag(path, effort_sign=-1.0, effort_offset=(0.1, 0.2, 0.3))


def test_stamps_that_stand_still(tmp_path):
    contents = [m._replace(stamp_ns=0) for m in messages()]
    with pytest.raises(RecordingError, match="does not set header.stamp"):
        Recording.from_bag(write_bag(tmp_path / "bag", contents))


@pytest.mark.parametrize("velocity", [np.zeros(0), np.full(2, np.nan), np.zeros(2)])
def test_velocities_that_were_not_measured(tmp_path, velocity):
    contents = []
    for k in range(300):
        t = k * 1e-3
        q = np.array([np.sin(t), 0.5 * t**2])
        contents.append(JointStateMessage(START + k * 1_000_000, ("a", "b"), q, velocity, q + 1.0))
    contents.insert(5, contents[4]._replace(position=np.array([np.nan, 0.0])))
    recording = Recording.from_bag(write_bag(tmp_path / "bag", contents))
    t = recording.stamp
    assert recording.dropped == {"not_finite": 1}
    np.testing.assert_allclose(recording.dq, np.stack([np.cos(t), t], axis=1), atol=1e-4)
    assert "differentiated" in recording.notes[0]


def test_folder_without_metadata(tmp_path):
    contents = messages()
    for storage in STORAGES:
        path = write_bag(tmp_path / storage, contents, storage)
        (path / "metadata.yaml").unlink()
        recording = Recording.from_bag(path)
        np.testing.assert_array_equal(recording.q, arrays(contents)[0])
        assert len(recording.notes) == 1


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("with_metadata", [True, False])
def test_cut_off_bags(tmp_path, storage, with_metadata):
    """Whatever is left of the file: a correct beginning with a note, or a RecordingError."""
    contents = messages(400)
    chunk = 37 if storage == "mcap" else None
    path = write_bag(tmp_path / "whole", contents, storage, chunk=chunk)
    (file,) = [x for x in path.iterdir() if x.suffix != ".yaml"]
    whole = file.read_bytes()
    rng = np.random.default_rng(7)
    cuts = [0, 1, 8, 9, 40, len(whole) - 1, len(whole) - 37, *rng.integers(0, len(whole), 25)]
    saved = 0
    for cut in cuts:
        damaged = tmp_path / "cut"
        damaged.mkdir()
        (damaged / file.name).write_bytes(whole[:cut])
        if with_metadata:
            shutil.copy(path / "metadata.yaml", damaged)
        try:
            recording = Recording.from_bag(damaged)
        except RecordingError as error:
            assert "\n" not in str(error)
        else:
            saved += 1
            assert recording.notes
            np.testing.assert_array_equal(recording.q, arrays(contents[: len(recording)])[0])
        shutil.rmtree(damaged)
    assert saved > 10 or storage == "sqlite3"


@pytest.mark.parametrize("storage", STORAGES)
def test_bags_with_flipped_bytes(tmp_path, storage):
    """Random damage inside the file ends in a recording or a RecordingError, nothing else."""
    path = write_bag(tmp_path / "bag", messages(60), storage)
    (file,) = [x for x in path.iterdir() if x.suffix != ".yaml"]
    whole = file.read_bytes()
    rng = np.random.default_rng(11)
    for _ in range(60):
        broken = bytearray(whole)
        for at in rng.integers(0, len(whole), 6):
            broken[at] = rng.integers(256)
        file.write_bytes(broken)
        try:
            Recording.from_bag(path, joints=JOINTS)
        except (RecordingError, UnknownNameError):
            pass


@pytest.mark.parametrize(
    "text", ["", "rosbag2_bagfile_information:\n  version: 5\n", "{", "[]", "a"]
)
def test_damaged_metadata(tmp_path, text):
    contents = messages()
    path = write_bag(tmp_path / "bag", contents)
    (path / "metadata.yaml").write_text(text)
    recording = Recording.from_bag(path)
    np.testing.assert_array_equal(recording.q, arrays(contents)[0])
    assert recording.notes


def test_paths_that_are_no_bags(tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "empty").mkdir()
    for name in ("missing", "notes.txt", "empty"):
        with pytest.raises(RecordingError, match=name):
            Recording.from_bag(tmp_path / name)


def test_database_that_is_still_being_written(tmp_path):
    contents = messages()
    path = write_bag(tmp_path / "bag", contents, "sqlite3")
    with closing(sqlite3.connect(path / "bag.db3")) as recorder:
        recorder.execute(
            "INSERT INTO messages SELECT NULL, topic_id, timestamp, data FROM messages"
        )
        recording = Recording.from_bag(path)
        np.testing.assert_array_equal(recording.q, arrays(contents)[0])
        assert recording.dropped == {}
        assert "not closed" in " ".join(recording.notes)
        recorder.rollback()
        recorder.execute("BEGIN EXCLUSIVE")
        (path / "bag.db3-journal").write_bytes(b"x")
        with pytest.raises(RecordingError, match="locked"):
            Recording.from_bag(path)


@pytest.mark.parametrize("cell", ["text", 2.5, -7, 3_000_000_000])
def test_a_cell_of_a_database_that_is_no_message_is_left_out_and_counted(tmp_path, cell):
    contents = messages()
    path = write_bag(tmp_path / "bag", contents, "sqlite3")
    with closing(sqlite3.connect(path / "bag.db3")) as base:
        base.execute("UPDATE messages SET data = ? WHERE id = 2", (cell,))
        base.commit()
    recording = Recording.from_bag(path)
    np.testing.assert_array_equal(recording.q, np.delete(arrays(contents)[0], 1, axis=0))
    assert recording.dropped == {"wrong_length": 1}


def test_a_part_keeps_names_and_origin():
    t = np.arange(10) * 0.1
    q = np.arange(10.0)[:, None]
    recording = Recording(t, q, q, q, joints=("a",), start_ns=5, source="here")
    part = recording.between(0.25, 0.75)
    assert (part.joints, part.start_ns, part.source) == (("a",), 5, "here")
    np.testing.assert_array_equal(part.q[:, 0], [3, 4, 5, 6, 7])
    with pytest.raises(RecordingError, match="2 joints"):
        Recording(t, q, q, q, joints=("a", "b"))
