"""Bags written during a run."""

import shutil
import time

import numpy as np
import pytest
from rosbags.highlevel import AnyReader

from payload_id.core.errors import InputError, RecordingError, UnknownNameError
from payload_id.files.bags.bag_writer import BagWriter
from payload_id.files.bags.joint_states_bag import JOINT_STATE, JointStateMessage, write_joint_state
from payload_id.files.recordings.recording import Recording
from payload_id.files.recordings.write_bag import write_joint_states


def joint_state(k, names=("a", "b")):
    q = np.array([float(k), 0.5])
    return write_joint_state(JointStateMessage(1_000_000 * k, names, q, q, q + 1.0))


def fill(writer, receive_times):
    """Write a joint state for each time at which one was received [ns]."""
    for k, stamp_ns in enumerate(receive_times):
        writer.write("/joint_states", JOINT_STATE, stamp_ns, joint_state(k + 1))


def test_several_topics_and_types_beside_a_folder_of_earlier_runs(tmp_path):
    definition = "std_msgs/Header header\nfloat64[2] interval  # [kg]\n"
    payload = b"\x00\x01\x00\x00" + bytes(32)
    with BagWriter(tmp_path / "bag") as writer:
        writer.add_message_type("my_msgs/msg/Mass", definition)
        fill(writer, range(5))
        for k in range(5):
            writer.write("/mass", "my_msgs/msg/Mass", k, payload)
        (writer.path / "earlier_runs" / "1").mkdir(parents=True)
    with AnyReader([writer.path]) as reader:
        counts = {x.topic: (x.msgtype, x.msgcount) for x in reader.connections}
        raw = {x.topic: data for x, _, data in reader.messages()}
    assert counts == {"/joint_states": (JOINT_STATE, 5), "/mass": ("my_msgs/msg/Mass", 5)}
    assert raw == {"/joint_states": joint_state(5), "/mass": payload}
    assert len(Recording.from_bag(writer.path)) == 5


def test_order_of_arrival_is_kept_and_an_existing_bag_is_never_touched(tmp_path):
    paths = []
    for _ in range(3):
        with BagWriter(tmp_path / "run") as writer:
            fill(writer, [50, 40, 40, 60, 10, 60, 70])  # whatever the clock does
        paths.append(writer.close())
        recording = Recording.from_bag(writer.path)
        np.testing.assert_array_equal(recording.q[:, 0], np.arange(1.0, 8.0))
        assert recording.dropped == {}
    assert [path.name for path in paths] == ["run", "run_2", "run_3"]
    with BagWriter(tmp_path / "empty") as writer:
        pass
    with pytest.raises(RecordingError, match="holds no joint states"):
        Recording.from_bag(writer.path)


def test_what_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    for place, words in ((tmp_path / "file" / "bag", "could not be written"), ("/", "name")):
        with pytest.raises(RecordingError, match=words):
            BagWriter(place)
    with BagWriter(tmp_path / "bag") as writer:
        with pytest.raises(UnknownNameError, match="message type"):
            writer.write("/x", "my_msgs/msg/Mass", 0, b"")
        with pytest.raises(InputError, match="my_msgs/msg/Mass"):
            writer.add_message_type("my_msgs/msg/Mass", "float64[2 interval ?")
    with pytest.raises(RecordingError, match="closed"):
        fill(writer, [0])
    recording = Recording([0.0, 1.0], np.ones((2, 2)), np.ones((2, 2)), np.ones((2, 2)))
    with pytest.raises(InputError, match="2 joints"):
        write_joint_states(tmp_path / "other", recording)


def written_until_failed(writer):
    """Write until the writer notices that it cannot any more."""
    give_up = time.monotonic() + 20.0
    while not writer.failed and time.monotonic() < give_up:
        fill(writer, [100])
        time.sleep(0.005)
    assert writer.failed


@pytest.mark.parametrize("how", ["folder", "file"])
def test_a_bag_that_is_removed_while_it_is_written_is_told_with_all_that_was_in_it(tmp_path, how):
    writer = BagWriter(tmp_path / "bag", flush_interval=0.02)
    fill(writer, range(20))
    while not (files := [x for x in writer.path.glob("*.mcap") if x.stat().st_size > 1000]):
        time.sleep(0.005)
    if how == "folder":
        shutil.rmtree(writer.path)
    else:
        files[0].unlink()
    written_until_failed(writer)
    assert writer.lost >= 20
    with pytest.raises(RecordingError, match="removed while it was written to"):
        writer.close()
